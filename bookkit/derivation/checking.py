"""One step of a derivation: contradicted by a point, or shown, or neither."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import sympy as sp
from sympy.core.function import AppliedUndef

from bookkit.derivation.algebra.equal import zero_by
from bookkit.derivation.algebra.matrix_words import difference
from bookkit.derivation.algebra.order import doubtful_range, nonnegative_by
from bookkit.derivation.algebra.rules import equal_in_each_term, follows
from bookkit.derivation.algebra.series import add_up
from bookkit.derivation.language.binding import rename_bound
from bookkit.derivation.language.errors import Refuted, Undecided, deciding
from bookkit.derivation.language.goal import Goal
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.language.notation import unfold, write_out
from bookkit.derivation.points.calculus import CALCULUS
from bookkit.derivation.points.counterexample import Search, attempts, differs, exceeds, is_not_real, not_below
from bookkit.derivation.points.values import Point, evaluate, exact_value
from bookkit.derivation.value.definedness import not_real, without_value
from bookkit.derivation.z3 import solver

_BEFORE, _AFTER = 6, 4  # points that are tried before a proof, and after one that went through
_FAILS = {"=": differs, "≤": exceeds, "≥": exceeds, "<": not_below, ">": not_below}


class Proof(NamedTuple):
    """By which tactics a step is shown, in words; or why it is not."""

    shown_by: str = ""
    doubt: str = ""


def check(goal: Goal) -> str:
    """By which tactics the step is shown, in words. Raise where it is not."""
    with deciding(goal):
        return _decide(goal)


def _decide(goal: Goal) -> str:
    """Points first, since most errors fail at once; then a proof; then more points, also where it went through.

    Without a point at which the hypotheses hold there is no proof: from a contradiction, everything follows.
    """
    there, proof = goal.in_its_model(), Proof()
    search = Search(attempts(there.small, there.large, _FAILS[goal.sign], there.given, goal.fixed))
    point = search.next(_BEFORE)
    if point is None and there.given and not search.met_a_value:
        point = search.next(None)
    if point is None and there.given and not search.met_a_value and solver.model(there.given) is None:
        raise Undecided(f"{goal}: the hypotheses are not shown to hold anywhere{solver.if_missing()}")
    if point is None:
        proof = _proof(goal)
        point = search.next(None if proof.doubt or _is_untested(goal, search) else _AFTER)
    if point is None and proof.doubt:
        point = _where_not_real(there)
    if point is not None:
        raise Refuted(f"{goal} fails {in_numbers(there.lhs, there.rhs, point)}")
    if proof.doubt or _is_untested(goal, search):
        road = "is not shown: at no point could it be put into numbers by another road than the proof's"
        raise Undecided(f"{goal} {proof.doubt or road}{solver.if_missing()}")
    return proof.shown_by


def _where_not_real(goal: Goal) -> Point | None:
    """A point at which a side of an inequality is no real number."""
    if goal.sign == "=":
        return None
    sides = (goal.small, goal.large)
    tried = (attempts(side, sp.S.Zero, is_not_real, goal.given, goal.fixed) for side in sides)
    return Search(itertools.chain(*tried)).next(None)


def _is_untested(goal: Goal, search: Search) -> bool:
    """Whether sympy takes an integral, a derivative or a limit in the proof, and no other road led to a number."""
    return not search.met_a_value and _needs_a_number(goal.lhs, goal.rhs)


def _needs_a_number(*lines: sp.Basic) -> bool:
    """Whether there is an integral, a derivative or a limit, and of a function that is known."""
    pending = set().union(*(write_out(line).atoms(*CALCULUS) for line in lines))
    return any(not e.has(AppliedUndef, sp.Indexed) for e in pending)


def _proof(goal: Goal) -> Proof:
    """First whether each line has a value, then whether the step is shown."""
    lines, given = [goal.small, goal.large], goal.given
    open_part = without_value(lines, given, goal.fixed) or (goal.sign != "=" and not_real(lines, given))
    if open_part:
        return Proof(doubt=f"is open: {open_part}")
    taken = given.constants(lines) | goal.fixed
    lower, upper = (rename_bound(unfold(side), taken) for side in lines)
    if upper.has(sp.Float) or lower.has(sp.Float):
        return Proof(doubt="holds a rounded number: write it as a fraction")
    gap = add_up(difference(upper, lower), given)
    doubtful = doubtful_range(gap, given)
    if doubtful:
        i, start, end = doubtful
        return Proof(
            doubt=f"is open: the sum over {i} from {start} to {end} is not shown to run upwards where {i} lies; "
            "what makes its ends whole, such as even=True, is said of their letters"
        )
    shown_by = _equal_by(gap, goal.used) if goal.sign == "=" else _ordered_by(gap, goal)
    return Proof(shown_by) if shown_by else Proof(doubt="is neither shown nor contradicted")


def _equal_by(gap: sp.Basic, used: Hypotheses) -> str | None:
    return zero_by(gap, used) or ("by what holds in each term" if equal_in_each_term(gap, used) else None)


def _ordered_by(gap: sp.Basic, goal: Goal) -> str | None:
    shown_by = nonnegative_by(gap, goal.used, strict=goal.strict)
    if shown_by is None and follows(gap, goal.used.relational, goal.given, strict=goal.strict):
        return "by an inequality that is known"
    return shown_by


def in_numbers(lhs: sp.Basic, rhs: sp.Basic, point: Point) -> str:
    where = ", ".join(f"{s} = {v}" for s, v in point.items())
    return f"at {where}: {rounded(lhs, point)} and {rounded(rhs, point)}"


def rounded(expr: sp.Basic, point: Point) -> sp.Basic:
    return sp.N(exact_value(evaluate(expr, point), point.get), 6)
