"""Inequalities: `is_nonnegative` answers True only for what is shown; False means not shown.

What is asked of numbers is put to the solver; what is known of sums (the triangle inequality, term by term) is here.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from bookkit.derivation.algebra.equal import is_elsewhere, is_zero
from bookkit.derivation.algebra.modulus import with_moduli
from bookkit.derivation.algebra.sums import merge_sums
from bookkit.derivation.algebra.tactics import Tactic, shown_by
from bookkit.derivation.language.hypotheses import NOTHING, Hypotheses
from bookkit.derivation.language.intervals import is_positive_number
from bookkit.derivation.language.kinds import is_real, is_whole
from bookkit.derivation.language.notation import free_letters, unfold
from bookkit.derivation.language.ranges import fits_range, in_range, nested_ranges
from bookkit.derivation.language.sign import NOT_NEGATIVE, NOT_POSITIVE, POSITIVE, sign_of
from bookkit.derivation.z3.solver import proves, shows_whole


@dataclass(frozen=True)
class NotNegative:
    """The goal that `expr` ≥ 0, or > 0 where strict, where the hypotheses hold."""

    expr: sp.Expr
    given: Hypotheses
    strict: bool


def is_nonnegative(expr: sp.Expr, given: Hypotheses = NOTHING, *, strict: bool = False) -> bool:
    """Whether `expr` ≥ 0 (or > 0 where strict) is shown under the hypotheses.

    >>> x, y = sp.symbols("x y", real=True)
    >>> is_nonnegative(x**2 + y**2 - 2 * x * y), is_nonnegative(x**2 - y)
    (True, False)
    """
    return nonnegative_by(expr, given, strict=strict) is not None


def nonnegative_by(expr: sp.Expr, given: Hypotheses = NOTHING, *, strict: bool = False) -> str | None:
    """The tactic by which `expr` ≥ 0 (or > 0 where strict) is shown, in words; None where it is not.

    >>> x, y = sp.symbols("x y", real=True)
    >>> nonnegative_by(x**2 + y**2 - 2 * x * y), nonnegative_by(sp.pi - 3)
    ('by the solver', 'by its digits')
    """
    return shown_by(TACTICS, NotNegative(unfold(expr), given, strict))


def doubtful_range(expr: sp.Expr, given: Hypotheses = NOTHING) -> sp.Tuple | None:
    """The first range of a sum that is not shown to run upwards, or to lie where its letter does."""
    for letter, lower, upper, around in nested_ranges(expr):
        known = given.also(*around)
        end = lower if not is_whole(upper) and shows_whole(upper - lower, known) else upper
        if not (is_nonnegative(upper - lower + 1, known) and fits_range(letter, signed(lower, known), end)):
            return sp.Tuple(letter, lower, upper)
    return None


def signed(limit: sp.Expr, given: Hypotheses) -> sp.Expr:
    """`limit`, or where its sign is only known by the hypotheses, a letter of that sign."""
    if sign_of(limit) <= NOT_NEGATIVE or not is_nonnegative(limit, given):
        return limit
    above = is_nonnegative(limit, given, strict=True)
    return sp.Dummy(integer=is_whole(limit) or None, nonnegative=True, positive=True if above else None)


def _triangle(expr: sp.Expr) -> sp.Expr:
    """A lower bound: in every term that is subtracted, |Σ a| becomes Σ |a|, and Re z becomes |z|."""

    def spread(inner: sp.Expr) -> sp.Expr:
        if isinstance(inner, sp.Sum):
            return sp.Sum(sp.Abs(inner.function), *inner.limits)
        return sp.Add(*map(sp.Abs, sp.Add.make_args(inner)))

    def weaken(term: sp.Expr) -> sp.Expr:
        for a in term.atoms(sp.Abs):
            wider = spread(a.args[0])
            if wider != a and sign_of(term / a) <= NOT_POSITIVE:
                return term / a * wider
        for part in term.atoms(sp.re, sp.im):
            if is_real(term / part) and not (term / part).has(part):
                return -sp.Abs(term / part) * sp.Abs(part.args[0])
        return term

    return sp.Add(*map(weaken, sp.Add.make_args(with_moduli(expr))))


def _by_signs(goal: NotNegative) -> bool:
    return sign_of(sp.expand(goal.expr)) <= (POSITIVE if goal.strict else NOT_NEGATIVE)


def _by_digits(goal: NotNegative) -> bool:
    return not free_letters(goal.expr) and is_positive_number(goal.expr)


def _by_the_solver(goal: NotNegative) -> bool:
    return proves((sp.Gt if goal.strict else sp.Ge)(goal.expr, 0, evaluate=False), goal.given)


def _by_the_triangle(goal: NotNegative) -> bool:
    weaker = _triangle(goal.expr)
    return weaker != goal.expr and is_nonnegative(weaker, goal.given, strict=goal.strict)


def _by_terms(goal: NotNegative) -> bool:
    if goal.strict or not goal.expr.has(sp.Sum):
        return False
    rest, sums = merge_sums(goal.expr)
    return (
        bool(sums)
        and is_nonnegative(rest, goal.given)
        and all(is_nonnegative(summand, goal.given.also(*in_range(limits))) for limits, summand in sums.items())
    )


def _by_equality(goal: NotNegative) -> bool:
    return not goal.strict and not is_elsewhere(goal.expr, goal.given) and is_zero(goal.expr, goal.given)


TACTICS: tuple[Tactic, ...] = (  # the quick ones first
    Tactic("by the signs of its letters", _by_signs),
    Tactic("by its digits", _by_digits),
    Tactic("by the solver", _by_the_solver),
    Tactic("by the triangle inequality", _by_the_triangle),
    Tactic("term by term", _by_terms),
    Tactic("by an equality", _by_equality),
)
