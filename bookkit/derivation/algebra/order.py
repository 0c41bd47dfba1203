"""Inequalities: `is_nonnegative` answers True only for what is shown; False means not shown.

What is asked of numbers is put to the solver; what is known of sums (the triangle inequality, term by term) is here.
"""

from __future__ import annotations

import sympy as sp

from bookkit.derivation.algebra.equal import is_elsewhere, is_zero
from bookkit.derivation.algebra.modulus import above_by_squares, with_moduli
from bookkit.derivation.algebra.sums import merge_sums
from bookkit.derivation.language.hypotheses import NOTHING, Hypotheses
from bookkit.derivation.language.notation import free_letters, unfold
from bookkit.derivation.language.ranges import fits_range, in_range, nested_ranges
from bookkit.derivation.z3.intervals import is_positive_number
from bookkit.derivation.z3.solver import is_whole, proves


def is_nonnegative(expr: sp.Expr, given: Hypotheses = NOTHING, *, strict: bool = False) -> bool:
    """Whether `expr` ≥ 0 (or > 0 where strict) is shown under the hypotheses. The quick ways come first.

    >>> x, y = sp.symbols("x y", real=True)
    >>> is_nonnegative(x**2 + y**2 - 2 * x * y), is_nonnegative(x**2 - y)
    (True, False)
    """
    expr = unfold(expr)
    if not free_letters(expr) and is_positive_number(expr):
        return True
    if proves((sp.Gt if strict else sp.Ge)(expr, 0, evaluate=False), given):
        return True
    weaker = _triangle(expr)
    if weaker != expr and is_nonnegative(weaker, given, strict=strict):
        return True
    if _sum_of_nonnegative(expr, given, strict):
        return True
    if strict:
        return False
    if expr.has(sp.Abs) and above_by_squares(expr):
        return True
    return not is_elsewhere(expr, given) and is_zero(expr, given)


def doubtful_range(expr: sp.Expr, given: Hypotheses = NOTHING) -> sp.Tuple | None:
    """The first range of a sum that is not shown to run upwards, or to lie where its letter does."""
    for letter, lower, upper, around in nested_ranges(expr):
        known = given.also(*around)
        end = lower if upper.is_integer is None and is_whole(upper - lower, known) else upper
        if not (is_nonnegative(upper - lower + 1, known) and fits_range(letter, _signed(lower, known), end)):
            return sp.Tuple(letter, lower, upper)
    return None


def _signed(limit: sp.Expr, given: Hypotheses) -> sp.Expr:
    """`limit`, or where its sign is only known by the hypotheses, a letter of that sign."""
    if limit.is_nonnegative or not is_nonnegative(limit, given):
        return limit
    above = is_nonnegative(limit, given, strict=True)
    return sp.Dummy(integer=limit.is_integer, nonnegative=True, positive=True if above else None)


def _triangle(expr: sp.Expr) -> sp.Expr:
    """A lower bound: in every term that is subtracted, |Σ a| becomes Σ |a|, and Re z becomes |z|."""

    def spread(inner: sp.Expr) -> sp.Expr:
        if isinstance(inner, sp.Sum):
            return sp.Sum(sp.Abs(inner.function), *inner.limits)
        return sp.Add(*map(sp.Abs, sp.Add.make_args(inner)))

    def weaken(term: sp.Expr) -> sp.Expr:
        for a in term.atoms(sp.Abs):
            wider = spread(a.args[0])
            if wider != a and (term / a).is_nonpositive:
                return term / a * wider
        for part in term.atoms(sp.re, sp.im):
            if (term / part).is_real and not (term / part).has(part):
                return -sp.Abs(term / part) * sp.Abs(part.args[0])
        return term

    return sp.Add(*map(weaken, sp.Add.make_args(with_moduli(expr))))


def _sum_of_nonnegative(expr: sp.Expr, given: Hypotheses, strict: bool) -> bool:
    if strict or not expr.has(sp.Sum):
        return False
    rest, sums = merge_sums(expr)
    return (
        bool(sums)
        and is_nonnegative(rest, given)
        and all(is_nonnegative(summand, given.also(*in_range(limits))) for limits, summand in sums.items())
    )
