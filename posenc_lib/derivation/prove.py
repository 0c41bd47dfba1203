"""Equalities: `is_zero` answers True only for what sympy shows exactly; False means not shown."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.matrices import MatrixBase
from sympy.matrices.expressions import MatrixExpr

from posenc_lib.derivation.notation import unfold
from posenc_lib.derivation.words import same

Given = Sequence[sp.Basic]


def is_zero(expr: sp.Basic, given: Given = ()) -> bool:
    """Whether `expr` (a scalar, or every entry of a matrix) is shown to be zero under the hypotheses.

    >>> x = sp.Symbol("x", real=True)
    >>> is_zero(sp.sin(x) ** 2 + sp.cos(x) ** 2 - 1), is_zero(sp.sin(x) - x)
    (True, False)
    """
    expr = unfold(expr)
    if isinstance(expr, MatrixBase):
        return all(is_zero(entry, given) for entry in expr)
    equations = [g for g in given if isinstance(g, sp.Eq)]
    if isinstance(expr, MatrixExpr):
        return same(expr, sp.ZeroMatrix(*expr.shape), [e for e in equations if e.lhs.is_Matrix])
    for equation in equations:  # read from left to right
        if isinstance(equation.lhs, (sp.Symbol, AppliedUndef, sp.Indexed, sp.Sum)):
            expr = expr.subs(equation.lhs, unfold(equation.rhs))
    return (
        _tactics(expr)
        or _by_terms(expr)
        or _by_induction(expr)
        or _in_ideal(expr, equations)
        or (expr.has(sp.Sum) and _tactics(sp.simplify(expr.doit())))
    )


def _tactics(expr: sp.Expr) -> bool:
    if expr.has(sp.Sum):  # simplifying sums is slow, and term by term or by induction does it better
        return sp.expand(expr) == 0
    return any(tactic(expr) == 0 for tactic in (sp.expand, _trigonometric, _exponential, sp.simplify, _real))


def _trigonometric(expr: sp.Expr) -> sp.Expr:
    """Addition theorems, then sin² = 1 - cos²."""
    expr = sp.expand(expr, trig=True)
    return sp.expand(expr.replace(lambda e: isinstance(e, sp.Pow) and isinstance(e.base, sp.sin) and e.exp == 2,
                                  lambda e: 1 - sp.cos(e.base.args[0]) ** 2))  # fmt: skip


def _exponential(expr: sp.Expr) -> sp.Expr:
    """Everything as powers of e, products of powers joined."""
    expr = sp.expand(expr.rewrite(sp.exp), power_exp=False)
    return sp.expand(sp.powsimp(sp.expand(expr), deep=True))


def _real(expr: sp.Expr) -> sp.Expr:
    """Real and imaginary part; only where there is one, because it is slow."""
    if not expr.has(sp.I, sp.re, sp.im, sp.conjugate, sp.Abs, sp.arg):
        return expr
    return sp.simplify(sp.expand_trig(sp.expand_complex(expr)))


def merge_sums(expr: sp.Expr) -> tuple[sp.Expr, dict[tuple, sp.Expr]]:
    """`expr` as a rest plus one sum for each range: the rest, and {limits: summand}."""
    rest, sums = sp.S.Zero, {}
    for term in sp.Add.make_args(sp.expand(expr)):
        coefficient, factors = sp.S.One, []
        for f in sp.Mul.make_args(term):
            if isinstance(f, sp.Sum):
                factors.append(f)
            else:
                coefficient *= f
        if len(factors) != 1:
            rest += term
            continue
        (total,) = factors
        limits = next((known for known in sums if _ranges(known) == _ranges(total.limits)), total.limits)
        names = {old[0]: new[0] for old, new in zip(total.limits, limits, strict=True)}
        sums[limits] = sums.get(limits, 0) + coefficient * total.function.xreplace(names)
    return rest, sums


def _ranges(limits: Sequence[sp.Tuple]) -> list[tuple]:
    return [(lower, sp.expand(upper)) for _, lower, upper in limits]


def _by_terms(expr: sp.Expr) -> bool:
    """Sums over the same range are equal where one generic term is."""
    if not expr.has(sp.Sum):
        return False
    rest, sums = merge_sums(expr)
    return bool(sums) and all(_tactics(e) or (e.has(sp.Sum) and _by_terms(e)) for e in (rest, *sums.values()))


def _by_induction(expr: sp.Expr) -> bool:
    """Induction on a letter in the upper limit of a sum: zero at the start, and the same at n and n + 1."""
    uppers = [limit[2] for total in expr.atoms(sp.Sum) for limit in total.limits]
    for letter in sorted(set().union(*(u.free_symbols for u in uppers)), key=str):
        if not (letter.is_integer and letter.is_nonnegative):
            continue
        n = sp.Dummy("n", integer=True, positive=letter.is_positive, nonnegative=True)
        claim = expr.xreplace({letter: 2 * n if letter.is_even else n})
        start = 1 if letter.is_positive else 0
        if any(u.xreplace({letter: sp.Integer(start * (2 if letter.is_even else 1))}).is_negative for u in uppers):
            continue
        step = _peel(claim.xreplace({n: n + 1}), n) - claim
        if _tactics(claim.subs(n, start).doit()) and (_tactics(step) or _by_terms(step)):
            return True
    return False


def _peel(expr: sp.Expr, n: sp.Symbol) -> sp.Expr:
    """Every sum up to u(n + 1), written as the sum up to u(n) and the last terms."""

    def peel(total: sp.Sum) -> sp.Expr:
        (i, lower, upper), *others = total.limits
        before = sp.expand(upper.subs(n, n - 1))
        extra = sp.expand(upper - before)
        if others or not extra.is_Integer or extra < 1:
            return total
        last = sum(total.function.subs(i, before + t) for t in range(1, int(extra) + 1))
        return sp.Sum(total.function, (i, lower, before)) + last

    return expr.replace(lambda e: isinstance(e, sp.Sum), peel)


def _in_ideal(expr: sp.Expr, equations: Sequence[sp.Eq]) -> bool:
    """Whether the hypotheses, as polynomials in whatever they are made of, generate the numerator of `expr`."""
    hypotheses = [unfold(e.lhs) - unfold(e.rhs) for e in equations if not e.lhs.is_Matrix]
    if not hypotheses:
        return False
    numerator = sp.numer(sp.together(expr))
    try:
        gens = sp.parallel_poly_from_expr([numerator, *hypotheses])[1].gens
        return sp.groebner(hypotheses, *gens, order="grevlex").contains(numerator)
    except sp.PolynomialError:
        return False
