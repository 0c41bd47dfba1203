"""One step of a derivation: contradicted by a point, or shown, or neither."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import sympy as sp
from sympy.core.function import AppliedUndef

from bookkit.derivation.algebra.equal import zero_by
from bookkit.derivation.algebra.matrix_words import difference
from bookkit.derivation.algebra.order import doubtful_range, nonnegative_by
from bookkit.derivation.algebra.rules import equal_in_each_term, follows
from bookkit.derivation.algebra.tactics import forget_tried, noting
from bookkit.derivation.hints import hint
from bookkit.derivation.language.admitted import refuse_outside
from bookkit.derivation.language.binding import rename_bound
from bookkit.derivation.language.errors import Refuted, Undecided, deciding
from bookkit.derivation.language.goal import Goal
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.language.kinds import is_real
from bookkit.derivation.language.notation import unfold, write_out
from bookkit.derivation.language.work import OutOfWork, limited
from bookkit.derivation.left_over import left_over
from bookkit.derivation.points.counterexample import Search, attempts, differs, exceeds, is_not_real, not_below
from bookkit.derivation.points.second_road import walk
from bookkit.derivation.points.values import Point, evaluate, exact_value
from bookkit.derivation.value.definedness import not_real, without_value
from bookkit.derivation.z3 import solver

_BEFORE = 6  # points that are tried before a proof
_ENOUGH = 10  # far points of the second road; where it reaches fewer, all others are tried too
_FAILS = {"=": differs, "≤": exceeds, "≥": exceeds, "<": not_below, ">": not_below}


class Proof(NamedTuple):
    """By which tactics a step is shown, in words; or why it is not."""

    shown_by: str = ""
    doubt: str = ""


def check(goal: Goal) -> str:
    """By which tactics the step is shown, in words. Raise where it is not."""
    with noting() as tried:
        try:
            with deciding(goal), limited():
                refuse_outside(goal.lhs, goal.rhs, *goal.used.relations)
                return _decide(goal)
        except Undecided as error:
            error.tried = tuple(tried.names)
            raise
        except OutOfWork:
            where = tried.now or "before a tactic was tried"
            raise Undecided(
                f"{goal} is not shown: the work that a step may take was used up ({where}): {hint(goal)}"
            ) from None


def _decide(goal: Goal) -> str:
    """Points first, since most errors fail at once; then a proof; then far points, also where it went through.

    Without a point at which the hypotheses hold there is no proof: from a contradiction, everything follows.
    """
    there, proof, outcome = goal.in_its_model(), Proof(), None
    search = Search(attempts(there.small, there.large, _FAILS[goal.sign], there.given, goal.fixed))
    point = search.next(_BEFORE)
    if point is None and there.given and not search.met_a_value:
        point = search.next(None)
    if point is None and there.given and not search.met_a_point:
        outcome = walk(goal)
        point = outcome.point
        if point is None and not outcome.reached:
            raise Undecided(f"{goal}: the hypotheses are not shown to hold anywhere")
    if point is None:
        proof = _proof(goal)
        outcome = walk(goal) if proof.shown_by else None
        point = outcome.point if outcome else None
    if point is None and (outcome is None or outcome.reached < _ENOUGH):
        point = search.next(None)
    if point is None and proof.doubt:
        point = _where_not_real(there)
    if point is not None:
        raise _refuted(goal, there, point)
    if outcome and outcome.lacking is not None:
        where = ", ".join(f"{s} = {v}" for s, v in outcome.lacking.items())
        raise Undecided(f"{goal} is open: a side has no value at {where}")
    if outcome and not (outcome.reached or search.met_a_value):
        raise Undecided(f"{goal} is not shown: no point was found at which both sides have a number")
    untested = outcome and _first_that_matters(goal, outcome.untested)
    if untested:
        road = f"is not shown: at no point could {untested} be put into numbers by another road than the proof's"
        raise Undecided(f"{goal} {road}{solver.if_missing()}")
    if proof.doubt:
        raise Undecided(f"{goal} {proof.doubt}{solver.if_missing()}")
    return proof.shown_by


def _refuted(goal: Goal, there: Goal, point: Point) -> Refuted:
    error = Refuted(f"{goal} fails {in_numbers(there.lhs, there.rhs, point)}")
    error.failure = point, told_apart(there.lhs, there.rhs, point)
    return error


def _first_that_matters(goal: Goal, untested: Iterable[sp.Basic]) -> sp.Basic | None:
    """A part without a number of its own, on which the step depends: with any number in its place it is not shown."""
    for part in untested:
        if part.has(AppliedUndef, sp.Indexed):  # of a function that is open, nothing is worked out
            continue
        if not _holds_for_any_number(goal, part):
            return part
    return None


def _holds_for_any_number(goal: Goal, part: sp.Basic) -> bool:
    """Whether the step is shown with a letter in the place of the part."""
    letter = sp.Dummy(real=True if is_real(part) else None)
    lhs, rhs = (write_out(side).xreplace({part: letter}) for side in (goal.lhs, goal.rhs))
    return bool(_proof(replace(goal, lhs=lhs, rhs=rhs)).shown_by)


def _where_not_real(goal: Goal) -> Point | None:
    """A point at which a side of an inequality is no real number."""
    if goal.sign == "=":
        return None
    sides = (goal.small, goal.large)
    tried = (attempts(side, sp.S.Zero, is_not_real, goal.given, goal.fixed) for side in sides)
    return Search(itertools.chain(*tried)).next(None)


def _proof(goal: Goal) -> Proof:
    """First whether each line has a value, then whether the step is shown."""
    lines, given = [goal.small, goal.large], goal.given
    taken = given.constants(lines) | goal.fixed
    open_part = without_value(lines, given, goal.fixed) or (goal.sign != "=" and not_real(lines, given, taken))
    if open_part:
        return Proof(doubt=f"is open: {open_part}")
    backwards = _doubtful_range(goal, taken)
    if backwards:
        return Proof(doubt=backwards)
    lower, upper = (rename_bound(unfold(side), taken) for side in lines)
    gap = difference(upper, lower)
    forget_tried()
    doubtful = doubtful_range(gap, given)
    if doubtful:
        i, start, end = doubtful
        return Proof(
            doubt=f"is open: the sum over {i} from {start} to {end} is not shown to run upwards where {i} lies; "
            "what makes its ends whole, such as even=True, is said of their letters"
        )
    shown_by = _equal_by(gap, goal.used) if goal.sign == "=" else _ordered_by(gap, goal)
    return Proof(shown_by) if shown_by else Proof(doubt=_what_is_left(goal))


def _what_is_left(goal: Goal) -> str:
    left = f"; {said}" if (said := left_over(goal)) else ""
    return f"is neither shown nor contradicted{left}: {hint(goal)}"


def _doubtful_range(goal: Goal, taken: set[sp.Basic]) -> str | None:
    """Ranges are read before anything is worked out, in the lines, under each derivative and integral, and in what
    the step may use: where one runs backwards, the rules for its sum are not those of an empty one."""
    lower, upper = (rename_bound(write_out(side), taken) for side in (goal.small, goal.large))
    hypotheses = [g for g in goal.used.relations if isinstance(g, sp.Eq)]
    for formula in (difference(upper, lower), *hypotheses):
        doubtful = doubtful_range(write_out(formula), goal.given)
        if doubtful:
            i, start, end = doubtful
            where = f" in the hypothesis {formula}" if isinstance(formula, sp.Eq) else ""
            return (
                f"is open: the sum over {i} from {start} to {end}{where} is not shown to run upwards where {i} lies; "
                "what makes its ends whole, such as even=True, is said of their letters"
            )
    return None


def _equal_by(gap: sp.Basic, used: Hypotheses) -> str | None:
    return zero_by(gap, used) or ("by what holds in each term" if equal_in_each_term(gap, used) else None)


def _ordered_by(gap: sp.Basic, goal: Goal) -> str | None:
    shown_by = nonnegative_by(gap, goal.used, strict=goal.strict)
    if shown_by is None and follows(gap, goal.used.relational, goal.given, strict=goal.strict):
        return "by an inequality that is known"
    return shown_by


def in_numbers(lhs: sp.Basic, rhs: sp.Basic, point: Point) -> str:
    where = ", ".join(f"{s} = {v}" for s, v in point.items()) or "any point"
    left, right = told_apart(lhs, rhs, point)
    return f"at {where}: both sides are {left}" if left == right else f"at {where}: {left} and {right}"


def told_apart(lhs: sp.Basic, rhs: sp.Basic, point: Point) -> tuple[sp.Basic, sp.Basic]:
    """The values of both sides at a point, with as many digits as it takes to see that they differ."""
    for digits in (6, 15, 30):
        values = tuple(sp.N(exact_value(evaluate(side, point), point.get), digits) for side in (lhs, rhs))
        if values[0] != values[1]:
            break
    return values
