"""Counterexamples: points of the domain at which a relation fails, found by trying."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import mpmath
import sympy as sp

from bookkit.derivation.language.errors import AuthorError
from bookkit.derivation.language.hypotheses import NOTHING, Hypotheses
from bookkit.derivation.language.notation import write_out
from bookkit.derivation.points.arithmetic import entries_of, read
from bookkit.derivation.points.numbers import NoNumber, NoValue
from bookkit.derivation.points.sample import Sample, points
from bookkit.derivation.points.second_road import Here, difference, is_stable, parts_of, upper_difference
from bookkit.derivation.points.values import TOLERANCE, Point, entries, evaluate, exact_value, numeric_value

Check = Callable[[sp.Expr], bool]

_DIGITS = 30
_ENOUGH = 18  # points at which the two sides agree: then the search ends


class Attempt(NamedTuple):
    """What came out at one point: the point itself where the relation fails; whether there was a value at all."""

    counterexample: Point | None
    has_value: bool


def counterexample(lhs: sp.Basic, rhs: sp.Basic, fails: Check, given: Hypotheses = NOTHING) -> Point | None:
    """A point of the domain where the hypotheses hold and `fails(lhs - rhs)`, or None where none was found.

    >>> x = sp.Symbol("x", integer=True, positive=True)
    >>> counterexample(sp.sin(x), x, lambda gap: abs(gap) > 1e-9)
    {x: 1}
    """
    return first_counterexample(attempts(lhs, rhs, fails, given))


def first_counterexample(tried: Iterable[Attempt]) -> Point | None:
    """The first that there is. (The point {} is one: of a formula without letters.)"""
    return next((a.counterexample for a in tried if a.counterexample is not None), None)


def attempts(
    lhs: sp.Basic, rhs: sp.Basic, fails: Check, given: Hypotheses = NOTHING, fixed: Iterable[sp.Basic] = ()
) -> Iterator[Attempt]:
    """One point after another. The letters in `fixed` mean one number, whatever else is in the relation."""
    letters = given.constants([lhs, rhs]) | ({*fixed} & given.letters)
    for sample in itertools.islice(points(lhs, rhs, given, letters), _ENOUGH):
        try:
            yield _attempt(lhs, rhs, fails, given, sample)
        except AuthorError:
            raise
        except Exception:  # no value fits an entry that is met on the way, or sympy finds none
            yield Attempt(None, has_value=False)


class Search:
    """Attempts that are made bit by bit, with what has been seen so far."""

    def __init__(self, tried: Iterator[Attempt]) -> None:
        self._tried = tried
        self.met_a_point = self.met_a_value = False

    def next(self, number: int | None) -> Point | None:
        """A counterexample among the next so many attempts, or among all that are left."""
        for attempt in itertools.islice(self._tried, number):
            self.met_a_point = True
            self.met_a_value |= attempt.has_value
            if attempt.counterexample is not None:
                return attempt.counterexample
        return None


def _attempt(lhs: sp.Basic, rhs: sp.Basic, fails: Check, given: Hypotheses, sample: Sample) -> Attempt:
    if not any(map(any, map(parts_of, (lhs, rhs)))) and _holds_in_numbers(lhs, rhs, fails, given, sample.copy()):
        return Attempt(None, has_value=True)
    values = [numeric_value(entry, sample) for entry in entries(lhs, rhs, sample.point)]
    if not values or any(v is None for v in values):
        return Attempt(None, has_value=False)
    if not any(map(fails, values)) or not _confirmed(lhs, rhs, fails, given, sample):
        return Attempt(None, has_value=True)
    for side in (lhs, rhs):  # what cancels in the gap gets a number too
        exact_value(evaluate(side, sample.point), sample)
    return Attempt({**sample.point, **sample.values}, has_value=True)


def _holds_in_numbers(lhs: sp.Basic, rhs: sp.Basic, fails: Check, given: Hypotheses, sample: Sample) -> bool:
    """By the arithmetic, which is many times faster than sympy; where it finds no numbers, sympy is asked."""
    try:
        with mpmath.workdps(_DIGITS):
            pairs = Here(given, [read(lhs), read(rhs)], sample).pairs(_DIGITS)
            return bool(pairs) and not any(fails(sp.sympify(upper_difference(*pair))) for pair in pairs)
    except Exception:  # of any kind, as in `attempts`
        return False


def _confirmed(lhs: sp.Basic, rhs: sp.Basic, fails: Check, given: Hypotheses, sample: Sample) -> bool:
    """By the arithmetic: sympy's numbers may have lost all digits where large ones cancel, and its logarithm of -1 has
    a value. Those of integrals and derivatives are rounded."""
    sides = [write_out(side) for side in (lhs, rhs)]
    here = Here(given, [*map(entries_of, sides)], sample)
    try:
        pairs = here.pairs(_DIGITS)
        if here.met_parts:
            return here.stand_apart(pairs, range(len(pairs)))
        finer = here.pairs(3 * _DIGITS)
        with mpmath.workdps(3 * _DIGITS):
            return any(fails(sp.sympify(difference(*fine))) and is_stable(rough, fine)
                       for rough, fine in zip(pairs, finer, strict=True))  # fmt: skip
    except NoValue:
        return False
    except NoNumber:
        return True


def differs(gap: sp.Expr) -> bool:
    return bool(abs(gap) > TOLERANCE)


def exceeds(gap: sp.Expr) -> bool:
    """Whether lhs ≤ rhs fails, given lhs - rhs; numbers that are not real are in no order."""
    real, imaginary = gap.as_real_imag()
    return bool(real > TOLERANCE or abs(imaginary) > TOLERANCE)


def is_not_real(number: sp.Expr) -> bool:
    return bool(abs(sp.im(number)) > TOLERANCE)


def not_below(gap: sp.Expr) -> bool:
    """Whether lhs < rhs fails, given lhs - rhs."""
    return bool(exceeds(gap) or sp.re(gap) >= 0)
