"""One step of a derivation: contradicted by a point, or shown, or neither."""

from __future__ import annotations

import itertools

import sympy as sp
from sympy.core.function import AppliedUndef

from bookkit.derivation.algebra.equal import is_zero
from bookkit.derivation.algebra.matrix_words import difference
from bookkit.derivation.algebra.order import doubtful_range, is_nonnegative
from bookkit.derivation.algebra.rules import equal_in_each_term, follows
from bookkit.derivation.algebra.series import add_up
from bookkit.derivation.language.binding import rename_bound
from bookkit.derivation.language.errors import Refuted, Undecided, deciding
from bookkit.derivation.language.goal import Goal
from bookkit.derivation.language.notation import unfold, write_out
from bookkit.derivation.points.calculus import CALCULUS
from bookkit.derivation.points.counterexample import Search, attempts, differs, exceeds, is_not_real, not_below
from bookkit.derivation.points.values import Point, evaluate, exact_value
from bookkit.derivation.value.definedness import not_real, without_value
from bookkit.derivation.z3 import solver

_BEFORE, _AFTER = 6, 4  # points that are tried before a proof, and after one that went through


def check(goal: Goal) -> None:
    """Raise where the step is not shown."""
    with deciding(goal):
        _decide(goal)


def _decide(goal: Goal) -> None:
    """Points first, since most errors fail at once; then a proof; then more points, also where it went through.

    Without a point at which the hypotheses hold there is no proof: from a contradiction, everything follows.
    """
    there = goal.in_its_model()
    wrong = {"=": differs, "<": not_below, ">": not_below}.get(goal.sign, exceeds)
    search = Search(attempts(there.small, there.large, wrong, there.given, goal.fixed))

    point = search.next(_BEFORE)
    if point is None and there.given and not search.met_a_value:
        point = search.next(None)
    if point is None and there.given and not search.met_a_value and solver.model(there.given) is None:
        raise Undecided(f"{goal}: the hypotheses are not shown to hold anywhere")
    doubt = _doubt(goal) if point is None else None
    untested = point is None and not doubt and not search.met_a_value and _needs_a_number(goal.lhs, goal.rhs)
    if point is None:
        point = search.next(None if doubt or untested else _AFTER)
    if point is None and doubt and goal.sign != "=":
        sides = (there.small, there.large)
        tried = (attempts(side, sp.S.Zero, is_not_real, there.given, goal.fixed) for side in sides)
        point = Search(itertools.chain(*tried)).next(None)
    if point is not None:
        raise Refuted(f"{goal} fails {in_numbers(there.lhs, there.rhs, point)}")
    if untested and not search.met_a_value:
        doubt = "is not shown: at no point could it be put into numbers by another road than the proof's"
    if doubt:
        raise Undecided(f"{goal} {doubt}")


def _needs_a_number(*lines: sp.Basic) -> bool:
    """Whether sympy takes an integral, a derivative or a limit in the proof, and of a function that is known."""
    pending = set().union(*(write_out(line).atoms(*CALCULUS) for line in lines))
    return any(not e.has(AppliedUndef, sp.Indexed) for e in pending)


def _doubt(goal: Goal) -> str | None:
    """Why the step is not shown; None where it is."""
    lines, given = [goal.small, goal.large], goal.given
    open_part = without_value(lines, given, goal.fixed) or (goal.sign != "=" and not_real(lines, given))
    if open_part:
        return f"is open: {open_part}"
    taken = given.constants(lines) | goal.fixed
    lower, upper = (rename_bound(unfold(side), taken) for side in lines)
    if upper.has(sp.Float) or lower.has(sp.Float):
        return "holds a rounded number: write it as a fraction"
    gap = add_up(difference(upper, lower), given)
    doubtful = doubtful_range(gap, given)
    if doubtful:
        i, start, end = doubtful
        return (
            f"is open: the sum over {i} from {start} to {end} is not shown to run upwards where {i} lies; "
            "what makes its ends whole, such as even=True, is said of their letters"
        )
    shown = (
        is_zero(gap, goal.used) or equal_in_each_term(gap, goal.used)
        if goal.sign == "="
        else is_nonnegative(gap, goal.used, strict=goal.strict)
        or follows(gap, goal.used.relational, given, strict=goal.strict)
    )
    return None if shown else "is neither shown nor contradicted"


def in_numbers(lhs: sp.Basic, rhs: sp.Basic, point: Point) -> str:
    where = ", ".join(f"{s} = {v}" for s, v in point.items())
    return f"at {where}: {rounded(lhs, point)} and {rounded(rhs, point)}"


def rounded(expr: sp.Basic, point: Point) -> sp.Basic:
    return sp.N(exact_value(evaluate(expr, point), point.get), 6)
