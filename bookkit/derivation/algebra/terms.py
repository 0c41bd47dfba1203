"""Ways in which a formula with sums and products is 0: term by term, by their ends, by induction, by what is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sympy as sp
from sympy.concrete.expr_with_intlimits import ExprWithIntLimits

from bookkit.derivation.algebra.antidifferences import Expand, flatten
from bookkit.derivation.algebra.forms import exponential, trigonometric, vanishes
from bookkit.derivation.algebra.sums import merge_sums, peel
from bookkit.derivation.language.notation import free_letters
from bookkit.derivation.language.ranges import nested_ranges
from bookkit.derivation.language.sign import NOT_NEGATIVE, POSITIVE, sign_of
from bookkit.derivation.points.values import added


def by_terms(expr: sp.Expr) -> bool:
    """Sums over the same range are equal where one generic term is."""
    if not expr.has(sp.Sum):
        return vanishes(expr)
    rest, sums = merge_sums(expr)
    return not rest.has(sp.Sum) and vanishes(rest) and all(map(by_terms, sums.values()))


def by_ends(expr: sp.Expr, hypotheses: Sequence[sp.Expr] = ()) -> bool:
    """Sums and products written by their ends."""
    if not expr.has(ExprWithIntLimits):
        return False
    return vanishes_by_ends(expr, hypotheses, (sp.expand, trigonometric, exponential))


def vanishes_by_ends(expr: sp.Expr, hypotheses: Sequence[sp.Expr], forms: Iterable[Expand]) -> bool:
    """With the summands brought to one form after another."""
    tried = []
    for expand in forms:
        flat, *known = flatten([expr, *hypotheses], expand)
        if flat in tried:
            continue
        tried.append(flat)
        if not flat.has(ExprWithIntLimits) and (vanishes(flat) or in_ideal(flat, known)):
            return True
    return False


def by_induction(expr: sp.Expr, hypotheses: Sequence[sp.Expr] = ()) -> str | None:
    """The name of a letter, in the upper limit of a sum or a product, on which induction goes through."""
    uppers = [limit[2] for total in expr.atoms(ExprWithIntLimits) for limit in total.limits]
    letters = set().union(*(u.free_symbols for u in uppers)) & free_letters(expr)
    return next((n.name for n in sorted(letters, key=str) if _inductive(expr, n, hypotheses)), None)


def _inductive(expr: sp.Expr, letter: sp.Symbol, hypotheses: Sequence[sp.Expr] = ()) -> bool:
    """Zero at the start, and the same at n and n + 1, or zero at n + 1 where it is zero at n.

    This n is a new letter. What the hypotheses say of the old one stays true, and says nothing of n.
    """
    sign = sign_of(letter)
    if not (letter.is_integer and sign <= NOT_NEGATIVE):
        return False
    n = sp.Dummy(integer=True, nonnegative=True, positive=True if sign == POSITIVE else None)
    claim = expr.xreplace({letter: n})
    if not _runs_upwards(claim, n):
        return False
    start = added(claim.subs(n, 1 if sign == POSITIVE else 0))
    if not (by_terms(start) or by_ends(start, hypotheses)):
        return False
    after = claim.xreplace({n: n + 1})
    return (
        by_terms(peel(after, n) - claim)
        or by_ends(after - claim, hypotheses)
        or (expr.has(sp.Product) and by_ends(peel(after, n) - claim, hypotheses))
        or (expr.has(sp.Product) and by_ends(peel(after, n), [claim, *hypotheses]))
    )


def _runs_upwards(claim: sp.Expr, n: sp.Symbol) -> bool:
    """From the start on: below it, what a hypothesis says of the old letter does not hold."""
    lengths = [upper - lower + 1 for _, lower, upper, _ in nested_ranges(claim)]
    return all(sign_of(sp.expand(length)) <= NOT_NEGATIVE for length in lengths if length.has(n))


def in_ideal(expr: sp.Expr, hypotheses: Sequence[sp.Expr]) -> bool:
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
