"""One step of a derivation: contradicted by a point, or shown, or neither."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from bookkit.derivation.algebra.equal import is_zero
from bookkit.derivation.algebra.matrix_words import difference
from bookkit.derivation.algebra.order import doubtful_range, is_nonnegative
from bookkit.derivation.algebra.rules import RELATIONS, equal_in_each_term, follows
from bookkit.derivation.algebra.series import add_up
from bookkit.derivation.language.errors import AuthorError, Refuted, Undecided, deciding
from bookkit.derivation.language.hypotheses import Given, constants, rename_bound
from bookkit.derivation.language.model import Model, in_model
from bookkit.derivation.language.notation import unfold, write_out
from bookkit.derivation.points.calculus import CALCULUS
from bookkit.derivation.points.counterexample import Search, attempts, differs, exceeds, is_not_real, not_below
from bookkit.derivation.points.values import Point, evaluate, exact_value
from bookkit.derivation.value.definedness import not_real, without_value
from bookkit.derivation.z3 import solver

_BEFORE, _AFTER = 6, 4  # points that are tried before a proof, and after one that went through


def check(
    lhs: sp.Basic,
    rhs: sp.Basic,
    sign: str,
    given: Given,
    *,
    known: Given = (),
    fixed: Iterable[sp.Basic] = (),
    model: Model | None = None,
) -> None:
    """Raise where the step is not shown.

    What is `known` follows from the hypotheses. The letters in `fixed` mean one number, whatever stands in the step.
    """
    if sign not in RELATIONS:
        raise AuthorError(f"sign must be one of {' '.join(RELATIONS)}; got {sign!r}")
    with deciding(f"{lhs} {sign} {rhs}"):
        _decide(lhs, rhs, sign, given, known, {*fixed}, model)


def _decide(
    lhs: sp.Basic, rhs: sp.Basic, sign: str, given: Given, known: Given, fixed: set[sp.Basic], model: Model | None
) -> None:
    """Points first, since most errors fail at once; then a proof; then more points, also where it went through.

    Without a point at which the hypotheses hold there is no proof: from a contradiction, everything follows.
    """
    small, large = (lhs, rhs) if sign in {"≤", "<"} else (rhs, lhs)
    low, high = (in_model(side, model) for side in (small, large))
    holding = [g for g in (in_model(g, model) for g in given) if g != sp.true]
    wrong = {"=": differs, "<": not_below, ">": not_below}.get(sign, exceeds)
    search = Search(attempts(low, high, wrong, holding, fixed))

    point = search.next(_BEFORE)
    if point is None and holding and not search.met_a_value:
        point = search.next(None)
    if point is None and holding and not search.met_a_value and solver.model(holding) is None:
        raise Undecided(f"{lhs} {sign} {rhs}: the hypotheses are not shown to hold anywhere")
    doubt = _doubt(small, large, sign, given, known, fixed) if point is None else None
    untested = point is None and not doubt and not search.met_a_value and _needs_a_number(lhs, rhs)
    if point is None:
        point = search.next(None if doubt or untested else _AFTER)
    if point is None and doubt and sign != "=":
        tried = (attempts(side, sp.S.Zero, is_not_real, holding, fixed) for side in (low, high))
        point = Search(itertools.chain(*tried)).next(None)
    if point is not None:
        raise Refuted(f"{lhs} {sign} {rhs} fails {in_numbers(in_model(lhs, model), in_model(rhs, model), point)}")
    if untested and not search.met_a_value:
        doubt = "is not shown: at no point could it be put into numbers by another road than the proof's"
    if doubt:
        raise Undecided(f"{lhs} {sign} {rhs} {doubt}")


def _needs_a_number(*lines: sp.Basic) -> bool:
    """Whether sympy takes an integral, a derivative or a limit in the proof, and of a function that is known."""
    pending = set().union(*(write_out(line).atoms(*CALCULUS) for line in lines))
    return any(not e.has(AppliedUndef, sp.Indexed) for e in pending)


def _doubt(small: sp.Basic, large: sp.Basic, sign: str, given: Given, known: Given, fixed: set[sp.Basic]) -> str | None:
    """Why the step is not shown; None where it is."""
    open_part = without_value([small, large], given, fixed) or (sign != "=" and not_real([small, large], given))
    if open_part:
        return f"is open: {open_part}"
    taken = constants([small, large], given) | fixed
    upper, lower = (rename_bound(unfold(side), taken) for side in (large, small))
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
    strict, used = sign in {"<", ">"}, [*known, *given]
    shown = (
        is_zero(gap, used) or equal_in_each_term(gap, used)
        if sign == "="
        else is_nonnegative(gap, used, strict=strict)
        or follows(gap, [g for g in used if isinstance(g, Relational)], given, strict=strict)
    )
    return None if shown else "is neither shown nor contradicted"


def in_numbers(lhs: sp.Basic, rhs: sp.Basic, point: Point) -> str:
    where = ", ".join(f"{s} = {v}" for s, v in point.items())
    return f"at {where}: {rounded(lhs, point)} and {rounded(rhs, point)}"


def rounded(expr: sp.Basic, point: Point) -> sp.Basic:
    return sp.N(exact_value(evaluate(expr, point), point.get), 6)
