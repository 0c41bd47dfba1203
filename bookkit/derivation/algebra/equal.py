"""Equalities: `is_zero` answers True only for what sympy shows exactly; False means not shown."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp
from sympy.concrete.expr_with_intlimits import ExprWithIntLimits
from sympy.core.function import AppliedUndef
from sympy.matrices import MatrixBase
from sympy.matrices.expressions import MatrixExpr

from bookkit.derivation.algebra.antidifferences import flatten
from bookkit.derivation.algebra.blocks import blocks
from bookkit.derivation.algebra.exponents import as_exponentials
from bookkit.derivation.algebra.matrix_words import same
from bookkit.derivation.algebra.modulus import of_one_square
from bookkit.derivation.algebra.sums import merge_sums, peel
from bookkit.derivation.algebra.traces import cyclic
from bookkit.derivation.language.binding import substitute
from bookkit.derivation.language.hypotheses import NOTHING, Hypotheses, with_signs
from bookkit.derivation.language.notation import free_letters, unfold
from bookkit.derivation.language.sympy_workarounds import simplify, without_parity
from bookkit.derivation.points.counterexample import Search, attempts, differs
from bookkit.derivation.z3.solver import proves

_STEPPED = (sp.Min, sp.Max, sp.Abs, sp.Piecewise, sp.floor, sp.ceiling, sp.Mod, sp.sign, sp.Heaviside)  # the solver's


def is_zero(expr: sp.Basic, given: Hypotheses = NOTHING) -> bool:
    """Whether `expr` (a scalar, or every entry of a matrix) is shown to be zero under the hypotheses.

    The ranges of its sums run upwards: `Derivation` sees to that.

    >>> x = sp.Symbol("x", real=True)
    >>> is_zero(sp.sin(x) ** 2 + sp.cos(x) ** 2 - 1), is_zero(sp.sin(x) - x)
    (True, False)
    """
    expr = unfold(expr)
    if isinstance(expr, MatrixBase):
        return all(is_zero(entry, given) for entry in expr)
    if isinstance(expr, MatrixExpr):
        return _same_blocks(expr, given)
    if expr.has(sp.Trace):
        expr = cyclic(expr, given)
    for gap in given.different:
        expr = _different(expr, gap)
    for old, new in given.rewrites:
        expr = substitute(expr, old, new)
    expr, *hypotheses = without_parity(*with_signs([expr, *given.zeros], given))
    return (
        sp.expand(expr) == 0
        or (expr.has(*_STEPPED) and proves(sp.Eq(expr, 0, evaluate=False), given))
        or (not expr.has(ExprWithIntLimits) and _in_ideal(expr, hypotheses))
        or _by_terms(expr)
        or _by_induction(expr, hypotheses)
        or _in_ideal(expr, hypotheses)
        or _by_ends(expr, hypotheses)
        or of_one_square(expr, _by_terms)
        or (bool(given) and proves(sp.Eq(expr, 0, evaluate=False), given))
        or (expr.has(sp.Sum) and not is_elsewhere(expr) and _by_terms(simplify(expr.doit())))
    )


def is_elsewhere(expr: sp.Expr, given: Hypotheses = NOTHING) -> bool:
    """Whether `expr` is not 0 at a point: then there is no use in what takes long to show that it is."""
    return Search(attempts(expr, sp.S.Zero, differs, given)).next(4) is not None


def _different(expr: sp.Expr, gap: sp.Expr) -> sp.Expr:
    """`expr` with its cases decided by a gap that is not 0."""
    known = {
        case: sp.true if isinstance(case, sp.Ne) else sp.false
        for case in expr.atoms(sp.Eq, sp.Ne)
        if sp.cancel((case.lhs - case.rhs) / gap).is_number
    }
    return expr.xreplace(known)


def _same_blocks(expr: MatrixExpr, given: Hypotheses) -> bool:
    """Matrices of open size, block by block; their coefficients are numbers like any other."""
    return all(
        is_zero(block, given)
        if isinstance(block, MatrixBase) or not block.is_Matrix
        else same(block, sp.ZeroMatrix(*block.shape), given, lambda c: is_zero(c, given.between_numbers))
        for block in map(unfold, blocks(expr))
    )


def _tactics(expr: sp.Expr) -> bool:
    plain = _with_letters(expr)
    if _is_rational(plain):
        return sp.cancel(plain) == 0  # this decides
    if expr.has(*_STEPPED) and proves(sp.Eq(expr, 0, evaluate=False)):
        return True
    tactics = (sp.expand, _trigonometric, _exponential, as_exponentials, simplify, _real)
    return any(tactic(expr) == 0 for tactic in tactics)


def _is_rational(expr: sp.Expr) -> bool:
    """Whether `expr` is made of letters and fractions by +, · and whole powers. (Sympy's own answer takes sin 1 in.)"""
    if expr.is_Pow:
        return expr.exp.is_Integer and _is_rational(expr.base)
    return expr.is_Symbol or expr.is_Rational or ((expr.is_Add or expr.is_Mul) and all(map(_is_rational, expr.args)))


def _with_letters(expr: sp.Expr) -> sp.Expr:
    """`expr` with a letter for each h[i] and each f(x)."""
    letters: dict[sp.Basic, sp.Dummy] = {}
    return expr.xreplace(
        {a: letters.setdefault(sp.expand(a), sp.Dummy()) for a in expr.atoms(sp.Indexed, AppliedUndef)}
    )


def _trigonometric(expr: sp.Expr) -> sp.Expr:
    """Addition theorems, then sin² = 1 - cos²."""
    expr = sp.expand(expr, trig=True)
    return sp.expand(expr.replace(lambda e: isinstance(e, sp.Pow) and isinstance(e.base, sp.sin) and e.exp == 2,
                                  lambda e: 1 - sp.cos(e.base.args[0]) ** 2))  # fmt: skip


def _exponential(expr: sp.Expr) -> sp.Expr:
    """Everything as powers of e."""
    return sp.expand(expr.rewrite(sp.exp))


def _real(expr: sp.Expr) -> sp.Expr:
    """Real and imaginary part; only where something is complex, because it is slow."""
    if not expr.has(sp.I, sp.re, sp.conjugate):
        return expr
    return simplify(sp.expand_trig(sp.expand_complex(expr)))


def _by_terms(expr: sp.Expr) -> bool:
    """Sums over the same range are equal where one generic term is."""
    if not expr.has(sp.Sum):
        return _tactics(expr)
    rest, sums = merge_sums(expr)
    return not rest.has(sp.Sum) and _tactics(rest) and all(map(_by_terms, sums.values()))


def _by_ends(expr: sp.Expr, hypotheses: Sequence[sp.Expr] = ()) -> bool:
    """Sums and products written by their ends."""
    if not expr.has(ExprWithIntLimits):
        return False
    tried = []
    for expand in (sp.expand, _trigonometric, _exponential):
        flat, *known = flatten([expr, *hypotheses], expand)
        if flat in tried:
            continue
        tried.append(flat)
        if not flat.has(ExprWithIntLimits) and (_tactics(flat) or _in_ideal(flat, known)):
            return True
    return False


def _by_induction(expr: sp.Expr, hypotheses: Sequence[sp.Expr] = ()) -> bool:
    """Induction on a letter in the upper limit of a sum or a product."""
    uppers = [limit[2] for total in expr.atoms(ExprWithIntLimits) for limit in total.limits]
    letters = set().union(*(u.free_symbols for u in uppers)) & free_letters(expr)
    return any(_inductive(expr, n, hypotheses) for n in sorted(letters, key=str))


def _inductive(expr: sp.Expr, letter: sp.Symbol, hypotheses: Sequence[sp.Expr] = ()) -> bool:
    """Zero at the start, and the same at n and n + 1, or zero at n + 1 where it is zero at n.

    This n is a new letter. What the hypotheses say of the old one stays true, and says nothing of n.
    """
    if not (letter.is_integer and letter.is_nonnegative):
        return False
    n = sp.Dummy(integer=True, nonnegative=True, positive=letter.is_positive)
    claim = expr.xreplace({letter: n})
    start = claim.subs(n, 1 if letter.is_positive else 0).doit()
    if not (_by_terms(start) or _by_ends(start, hypotheses)):
        return False
    after = claim.xreplace({n: n + 1})
    return (
        _by_terms(peel(after, n) - claim)
        or _by_ends(after - claim, hypotheses)
        or (expr.has(sp.Product) and _by_ends(peel(after, n) - claim, hypotheses))
        or (expr.has(sp.Product) and _by_ends(peel(after, n), [claim, *hypotheses]))
    )


def _in_ideal(expr: sp.Expr, hypotheses: Sequence[sp.Expr]) -> bool:
    """Whether the hypotheses, as polynomials in whatever they are made of, generate the numerator of `expr`.

    cos² + sin² = 1 is a hypothesis of its own for each angle that comes up.
    """
    if not hypotheses:
        return False
    numerator, *known = (sp.numer(sp.together(sp.expand(e, trig=True))) for e in (expr, *hypotheses))
    angles = {wave.args[0] for e in (numerator, *known) for wave in e.atoms(sp.sin, sp.cos)}
    known += [sp.cos(t) ** 2 + sp.sin(t) ** 2 - 1 for t in sorted(angles, key=str)]
    try:
        gens = sp.parallel_poly_from_expr([numerator, *known])[1].gens
        return sp.groebner(known, *gens, order="grevlex").contains(numerator)
    except sp.PolynomialError:
        return False
