"""The second road to a step: its two sides at many far points, in numbers that the proof has no part in.

What is exact is compared exactly. Other numbers are worked out with more digits before they contradict anything, and
numbers of integrals and the like, which are rounded, with small errors put in on purpose. An integral or a derivative
counts as tested only where it has a number and the sides would differ if it were another.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import mpmath
import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction

from bookkit.derivation.language.binding import head_of
from bookkit.derivation.language.goal import Goal
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.language.notation import NamedMatrix, NamedScalar, write_out
from bookkit.derivation.points.arithmetic import Arithmetic, Env, Reader, entries_of, value_of
from bookkit.derivation.points.calculus import CALCULUS
from bookkit.derivation.points.exact import rows_of
from bookkit.derivation.points.landmarks import landmarks
from bookkit.derivation.points.numbers import NoNumber, NoValue, Number, mp, plus, times
from bookkit.derivation.points.sample import Sample, far_points
from bookkit.derivation.points.values import Point, calculus_number

POINTS = 40
_WITH_PARTS = 12  # of these, where there are integrals: their numbers take long
_FEW, _MANY = 30, 80  # digits
_SAME = mpmath.mpf("1e-20")
_SHAKE = mpmath.mpf("1e-9")  # the error of an integral's number is far below it

Pairs = list[tuple[Number, Number]]


class Outcome(NamedTuple):
    """A point at which the step fails, or None; and the parts of which no point had a number that mattered."""

    point: Point | None
    untested: tuple[sp.Basic, ...]
    reached: int  # points at which both sides had a number
    lacking: Point | None = None  # one at which a side has no value


def walk(goal: Goal) -> Outcome:
    """Up to `POINTS` points at which the hypotheses hold."""
    there = goal.in_its_model()
    lines = (write_out(line) if line.has(*CALCULUS) else line for line in (there.lhs, there.rhs))
    there = replace(there, **dict(zip(("lhs", "rhs"), lines, strict=True)))
    parts = list(dict.fromkeys(part for line in (there.lhs, there.rhs) for part in parts_of(line)))
    untested, reached = [*parts], 0
    letters = there.given.constants([there.lhs, there.rhs]) | ({*goal.fixed} & there.given.letters)
    marks = landmarks(there.lhs, there.rhs)
    samples = far_points(there.lhs, there.rhs, there.given, letters, marks, _WITH_PARTS if parts else POINTS)
    sides = [entries_of(side) for side in (there.small, there.large)]
    for sample in samples:
        here = Here(there.given, sides, sample)
        try:
            with mpmath.workdps(2 * _MANY):  # for what is done with the numbers
                pairs = here.pairs(_FEW)
                if here.fails(there, pairs):
                    return Outcome({**sample.point, **sample.values}, tuple(untested), reached)
                untested = [part for part in untested if not here.matters(part, pairs)]
        except NoValue:
            return Outcome(None, tuple(untested), reached, {**sample.point, **sample.values})
        except Exception:  # no number here, or none that these rules or sympy's drawing find
            continue
        reached += 1
    return Outcome(None, tuple(untested), reached)


def parts_of(line: sp.Basic) -> Iterator[sp.Basic]:
    """The outermost integrals and derivatives."""
    if isinstance(line, (NamedScalar, NamedMatrix)):
        yield from parts_of(line.value)
    elif isinstance(line, CALCULUS):
        yield line
    else:
        for part in line.args:
            yield from parts_of(part)


class Here:
    """The two sides at one point."""

    def __init__(self, given: Hypotheses, sides: Sequence[Reader], sample: Sample) -> None:
        self._given, self._sides, self.sample = given, sides, sample
        self.met_parts = 0
        self.known: dict[int, dict[sp.Basic, Number]] = {}
        self.entries: dict[tuple, Number] = {}
        self.numbers: dict[tuple, Number] = {}

    def pairs(self, digits: int, error: mpmath.mpf | int = 0, moved: sp.Basic | None = None) -> Pairs:
        """The values of both sides, entry by entry; with errors in the parts, or with one part moved by 1."""
        self.met_parts, self.error, self.moved = 0, error, moved
        with mpmath.workdps(digits):
            if digits not in self.known:
                self.known[digits] = self._in_numbers()
            env = self.known[digits]
            self.arithmetic = Arithmetic(env, self._entry, self._part)
            left, right = (side(self.arithmetic, env) for side in self._sides)
            if len(left) != len(right):
                raise NoNumber("of different sizes")
            return list(zip(left, right, strict=True))

    def _in_numbers(self) -> dict[sp.Basic, Number]:
        """The letters and matrices of the point; the matrices by their sizes too."""
        env = {s: _number(v) for s, v in self.sample.point.items() if not isinstance(s, UndefinedFunction)}
        sizes = {s: v for s, v in self.sample.point.items() if isinstance(s, sp.Symbol)}
        return env | {m.xreplace(sizes): v for m, v in env.items() if getattr(m, "is_Matrix", False)} | env

    @functools.cached_property
    def heads(self) -> set[sp.Basic]:
        """Those of which a hypothesis says something."""
        return {head_of(a) for g in self._given.relations for a in g.atoms(sp.Indexed, AppliedUndef)}

    def _entry(self, e: sp.Basic, values: Sequence[Number]) -> Number:
        if isinstance(e, AppliedUndef) and e.func in self.sample.point:
            rule = self.sample.point[e.func]
            return value_of(rule.expr)(self.arithmetic, dict(zip(rule.variables, values, strict=True)))
        if all(isinstance(v, Fraction) for v in values):
            key = head_of(e), *values, mpmath.mp.dps
            if key in self.entries:
                return self.entries[key]
            at = [*map(_in_sympy, values)]
        elif head_of(e) in self.heads:
            raise NoNumber("a hypothesis may say something of this value")
        else:
            at = [sp.nsimplify(sp.Float(str(v), 15), rational=True) for v in map(mp, values)]
        number = _number(self.sample(_entry_at(head_of(e), tuple(at))))
        if all(isinstance(v, Fraction) for v in values):
            self.entries[key] = number
        return number

    def _part(self, part: sp.Basic, env: Env) -> Number:
        self.met_parts += 1
        key = part, *(env.get(s) for s in self._inside(part))
        if key not in self.numbers:
            self.numbers[key] = self._calculus(part, env)
        number = self.numbers[key]
        slip = self.error * (1 + abs(mp(number))) * (-1) ** self.met_parts / self.met_parts
        return plus(number, mp(Fraction(int(part == self.moved))) + slip) if slip or self.moved else number

    def _inside(self, part: sp.Basic) -> list[sp.Symbol]:
        return sorted((s for s in part.free_symbols if s.is_Symbol and s not in self.sample.point), key=str)

    def _calculus(self, part: sp.Basic, env: Env) -> Number:
        bound = {s: _in_sympy(env[s]) for s in self._inside(part) if isinstance(env.get(s), Fraction)}
        return _number(calculus_number(part, {**bound, **self.sample.point}, self.sample))

    def fails(self, goal: Goal, pairs: Pairs) -> bool:
        """Whether the step fails here, beyond what rounding could have done."""
        suspects = [k for k, pair in enumerate(pairs) if _is_suspect(goal, *pair)]
        if not suspects:
            return False
        if all(isinstance(v, Fraction) for k in suspects for v in pairs[k]) and not self.met_parts:
            return True
        if self.met_parts:
            return self.stand_apart(pairs, suspects)
        finer = self.pairs(_MANY)
        return any(_is_suspect(goal, *finer[k]) and is_stable(pairs[k], finer[k]) for k in suspects)

    def stand_apart(self, pairs: Pairs, at: Iterable[int]) -> bool:
        """Whether the sides differ by more than the rounded numbers of integrals and the like could make them."""
        shaken = [self.pairs(_FEW, error) for error in (_SHAKE, -_SHAKE)]
        return any(_stands_out(pairs[k], [other[k] for other in shaken]) for k in at)

    def matters(self, part: sp.Basic, pairs: Pairs) -> bool:
        """Whether the sides would lie otherwise if the part had another value."""
        moved = self.pairs(_FEW, moved=part)
        return any(abs(_gap(one) - _gap(other)) > _SAME * (1 + abs(_gap(one)))
                   for one, other in zip(pairs, moved, strict=True))  # fmt: skip


def _gap(pair: tuple[Number, Number]) -> Number:
    return mp(plus(pair[0], times(Fraction(-1), pair[1])))


def difference(one: Number, other: Number) -> Number:
    """Of the first and the second; 0 where rounding could have made it."""
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return one - other
    gap = _gap((one, other))
    return Fraction(0) if abs(gap) <= _SAME * (abs(mp(one)) + abs(mp(other))) else gap


def upper_difference(one: Number, other: Number) -> Number:
    """Of the first and the second, and what rounding could have taken from it."""
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return one - other
    return _gap((one, other)) + _SAME * (abs(mp(one)) + abs(mp(other)))


def _is_suspect(goal: Goal, small: Number, large: Number) -> bool:
    """Whether small = large, ≤ or < does not hold of these numbers as they stand."""
    if isinstance(small, Fraction) and isinstance(large, Fraction):
        return not (small == large if goal.sign == "=" else small < large if goal.strict else small <= large)
    gap, size = _gap((small, large)), abs(mp(small)) + abs(mp(large))
    if abs(gap) <= _SAME * size:
        return False
    return goal.sign == "=" or isinstance(gap, mpmath.mpc) or gap > 0


def is_stable(rough: tuple[Number, Number], fine: tuple[Number, Number]) -> bool:
    return abs(_gap(rough) - _gap(fine)) <= mpmath.mpf("1e-6") * abs(_gap(fine))


def _stands_out(pair: tuple[Number, Number], shaken: Sequence[tuple[Number, Number]]) -> bool:
    noise = max(abs(_gap(other) - _gap(pair)) for other in shaken)
    return abs(_gap(pair)) > 20 * noise + mpmath.mpf("1e-12") * sum(abs(mp(v)) for v in pair)


def _number(value: sp.Basic) -> Number:
    """A number of sympy's, or the rows of a matrix, as those of the arithmetic."""
    if getattr(value, "is_Matrix", False):
        rows = rows_of(value)
        return rows or [[_number(value[i, j]) for j in range(value.cols)] for i in range(value.rows)]
    if value.is_Rational:
        return Fraction(int(value.p), int(value.q))
    return _of_digits(value, mpmath.mp.dps)


@functools.lru_cache(maxsize=5000)
def _of_digits(value: sp.Expr, digits: int) -> Number:
    real, imaginary = sp.N(value, digits).as_real_imag()
    if not (real.is_finite and imaginary.is_finite):
        raise NoNumber(value)
    parts = [mpmath.mpf(str(sp.N(part, digits))) for part in (real, imaginary)]
    return mpmath.mpc(*parts) if parts[1] else parts[0]


def _in_sympy(value: Fraction) -> sp.Rational:
    return sp.Integer(value.numerator) if value.denominator == 1 else sp.Rational(value.numerator, value.denominator)


@functools.lru_cache(maxsize=5000)
def _entry_at(head: sp.Basic | UndefinedFunction, at: tuple[sp.Expr, ...]) -> sp.Basic:
    """The same at many points, and slow to make."""
    return head[at] if isinstance(head, sp.IndexedBase) else head(*at)
