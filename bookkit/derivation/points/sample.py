"""Points of the domain at which hypotheses hold: what one of them determines is solved for, the rest is drawn."""

from __future__ import annotations

import copy
import functools
import itertools
import random
from collections.abc import Iterable, Iterator, Sequence

import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction
from sympy.core.relational import Relational

from bookkit.derivation.language.binding import indices_of
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.language.notation import fits
from bookkit.derivation.points.candidates import corners_for, matrix, numbers_for, rules_for
from bookkit.derivation.points.constraints import (
    Constraint,
    matrix_solution,
    near_bounds,
    solutions,
)
from bookkit.derivation.points.landmarks import FAR_NUMBERS, places
from bookkit.derivation.points.unknowns import Unknown, start
from bookkit.derivation.points.values import Point

_FIRST = range(3)  # indices at which a hypothesis on every index is tried, besides those that occur
_SPAN = 40
_TRIALS, _PATIENCE = 60, 24
_FAR = 1000  # the first of the far points, which have numbers of their own
_OWN = 12  # of these, where hypotheses make them slow to draw, are drawn for one step; the others for a derivation
_WITH_RULES = (sp.Derivative, sp.Integral, sp.Subs)  # what is under them is needed around a point


class Contradiction(Exception):
    """The hypotheses leave no value for something."""


def points(lhs: sp.Basic, rhs: sp.Basic, given: Hypotheses, fixed: set[sp.Basic]) -> Iterator[Sample]:
    """Corners of the domain, small points, mixed corners, then any: those at which the hypotheses hold."""
    exprs = [lhs, rhs, *given.relations]
    has_entries = any(e.has(sp.Indexed, AppliedUndef, sp.MatrixSymbol) for e in exprs)
    rules = _open_functions(exprs)
    seen = set()
    for trial in range(_TRIALS):
        if trial == _PATIENCE and not seen:  # most likely they cannot hold
            return
        drawn = _drawn(trial, given, frozenset(fixed), rules)
        if drawn is None:
            continue
        sample = drawn.copy()
        key = frozenset(sample.point.items())
        if has_entries or key not in seen:
            seen.add(key)
            yield sample


def far_points(
    lhs: sp.Basic, rhs: sp.Basic, given: Hypotheses, fixed: set[sp.Basic], marks: tuple[sp.Expr, ...], number: int
) -> Iterator[Sample]:
    """Far from the corners, and next to the landmarks: so many points, where there are so many."""
    rules = _open_functions([lhs, rhs, *given.relations])
    is_empty = not (fixed or rules or any(e.has(sp.Indexed, AppliedUndef) for e in (lhs, rhs)))
    for trial in range(_FAR, _FAR + (1 if is_empty else number)):
        of_this_step = not given or trial < _FAR + _OWN
        drawn = _drawn(trial, given, frozenset(fixed), rules, marks if of_this_step else ())
        if drawn is not None:
            yield drawn.copy()


def _open_functions(exprs: Iterable[sp.Basic]) -> frozenset[UndefinedFunction]:
    return frozenset(a.func for e in exprs for d in e.atoms(*_WITH_RULES) for a in d.atoms(AppliedUndef)
                     if len(a.args) == 1)  # fmt: skip


@functools.lru_cache(maxsize=4096)
def _drawn(
    trial: int,
    given: Hypotheses,
    fixed: frozenset[sp.Basic],
    rules: frozenset[UndefinedFunction],
    marks: tuple[sp.Expr, ...] = (),
) -> Sample | None:
    """The same in each step of a derivation, so it is drawn once; None where the hypotheses leave no value."""
    try:
        return Sample(trial, given, fixed, rules, marks)
    except Contradiction:
        return None


class Sample:
    """One point: of letters, functions and matrices in `point`; called, it gives h[2] and f(3) when they are met."""

    def __init__(
        self,
        trial: int,
        given: Hypotheses,
        fixed: frozenset[sp.Basic],
        rules: frozenset[UndefinedFunction],
        marks: tuple[sp.Expr, ...] = (),
    ) -> None:
        self._trial, self._rng, self._marks = trial, random.Random(trial), marks
        self._rng_is_shared = False
        self.point: Point = {}
        self.values: Point = {}
        self._rules = rules
        begin = start(given, fixed, rules)
        self._sizes, self._open, self._indices = begin.sizes, begin.open, begin.indices
        self._pending = [copy.copy(constraint) for constraint in begin.constraints]
        self._numbers: set[int] = set()
        if any(g == sp.false for g in given.relations):
            raise Contradiction
        self._settle()
        if any(self._indices.values()):
            named = {int(a) for entry in self.values for a in indices_of(entry) if a.is_Integer}
            self._instantiate({*_FIRST, *_between(named)})

    def copy(self) -> Sample:
        """One from which values can be drawn without a trace in this one."""
        other = copy.copy(self)
        other._rng_is_shared = True
        other.point, other.values, other._numbers = {**self.point}, {**self.values}, {*self._numbers}
        other._pending = [copy.copy(constraint) for constraint in self._pending]
        return other

    def __call__(self, entry: sp.Basic) -> sp.Basic:
        """The value of h[2] or f(3): under hypotheses on every index, others may determine it."""
        if entry not in self.values and self._rng_is_shared:
            self._rng, self._rng_is_shared = copy.copy(self._rng), False
        if entry not in self.values and any(self._indices.values()):
            met = {int(a) for a in indices_of(entry) if a.is_Integer}
            self._instantiate(_between(self._numbers | met))
        if entry not in self.values:
            self._draw(entry, [])
        return self.values[entry]

    def _instantiate(self, numbers: Iterable[int]) -> None:
        """The hypotheses on every index, for these indices too."""
        new = {*numbers} - self._numbers
        self._numbers |= new
        for g, indices in self._indices.items():
            pools = [[n for n in sorted(self._numbers) if fits(sp.Integer(n), s)] for s in indices]
            for at in itertools.product(*pools) if indices else []:
                if new & {*at}:
                    instance = _instance(g, tuple(indices), at)
                    if isinstance(instance, Relational):
                        self._pending.append(copy.copy(_constraint(instance, self._rules)))
                    elif instance == sp.false:
                        raise Contradiction
        self._settle()

    def _settle(self) -> None:
        """Draw one unknown after another. What is the last unknown of an equation is solved for."""
        while True:
            alone, several = self._by_last_unknown()
            solvable = [u for u, constraints in alone.items() if any(c.is_equation for c in constraints)]
            unknown = next(iter([*solvable, *self._open, *alone, *several]), None)
            if unknown is None:
                return
            shown = alone.get(unknown, [])
            self._draw(unknown, shown)
            self._pending = [constraint for constraint in self._pending if constraint not in shown]

    def _by_last_unknown(self) -> tuple[dict[Unknown, list[Constraint]], list[Unknown]]:
        """The open hypotheses by their only unknown; and of each that has several unknowns, one."""
        alone: dict[Unknown, list[Constraint]] = {}
        several, waiting = [], []
        for constraint in self._pending:
            unknowns = constraint.unknowns(self.point, self.values)
            if not unknowns:
                if not constraint.holds():
                    raise Contradiction
                continue
            waiting.append(constraint)
            if len(unknowns) == 1:
                alone.setdefault(unknowns[0], []).append(constraint)
            else:
                several.append(unknowns[0])
        self._pending = waiting
        return alone, several

    def _draw(self, unknown: Unknown, constraints: Sequence[Constraint]) -> None:
        if isinstance(unknown, UndefinedFunction):
            rules = [r for r in rules_for(unknown) if self._fits_all(unknown, r, constraints)]
            self._set(self.point, unknown, rules)
        elif unknown.is_Matrix:
            self._set(self.point, unknown, self._matrices(unknown, constraints))
        else:
            found = self._numbers_found(unknown, constraints)
            entry = isinstance(unknown, (sp.Indexed, AppliedUndef))
            self._set(self.values if entry else self.point, unknown, found)

    def _set(self, where: Point, unknown: Unknown, found: Sequence[sp.Basic]) -> None:
        if not found:
            raise Contradiction
        where[unknown] = self._pick(unknown, found)
        self._open = [s for s in self._open if s != unknown]

    def _pick(self, unknown: Unknown, found: Sequence[sp.Basic]) -> sp.Basic:
        if self._trial < 3:
            return found[min(self._trial, len(found) - 1)]
        return self._rng.choice(found[: self._looks_at(unknown)])

    def _looks_at(self, unknown: Unknown) -> int | None:
        """How many of the values that were found are looked at; all where it is None."""
        if self._trial < 3:
            return self._trial + 1
        if self._trial >= _FAR:
            return 1
        return 4 if self._trial < 5 or 6 <= self._trial < 12 or unknown in self._sizes else None

    def _numbers_found(self, unknown: sp.Basic, constraints: Sequence[Constraint]) -> list[sp.Expr]:
        """No more than are looked at. In half of the cases they lie on the bound, where there is one."""

        def holding(candidates: Iterable[sp.Expr]) -> list[sp.Expr]:
            fitting = (v for v in _once_each(candidates) if fits(v, unknown))
            those = (v for v in fitting if all(c.holds_at(unknown, v) for c in constraints))
            return [*itertools.islice(those, self._looks_at(unknown))]

        if self._trial >= 3 and self._rng.random() < 0.5:
            ends = [*itertools.islice(near_bounds(constraints, unknown), len(constraints))]
            on_bound = holding(v for v in self._numbers_for(unknown, constraints) if v in ends) if ends else []
            if on_bound:
                return on_bound
        return holding(self._numbers_for(unknown, constraints))

    def _numbers_for(self, unknown: sp.Basic, constraints: Sequence[Constraint]) -> Iterable[sp.Expr]:
        solved = solutions(constraints, unknown)
        if solved is not None:
            yield from solved
            return
        if self._trial >= _FAR:
            yield from self._far(unknown)
        corner = self._trial < 3 or 6 <= self._trial < 12
        yield from (corners_for if corner else numbers_for)(unknown)
        yield from near_bounds(constraints, unknown)

    def _far(self, unknown: sp.Basic) -> Iterator[sp.Expr]:
        """In any order; half of them at the landmarks, those of this letter first. Matrices stay small."""
        lot = self._rng.random()
        if unknown in self._sizes:
            pool = [sp.Integer(n) for n in (1, 2, 3, 4)]
        elif not unknown.is_Symbol:
            pool = []
        else:
            own = [mark for mark in self._marks if mark.has(unknown)] if lot < 0.35 else []
            near = []
            if lot < 0.5:
                marks = own or self._marks
                near = [*places(self._rng.sample(marks, min(3, len(marks))), unknown, self.point)]
            pool = near or FAR_NUMBERS
        if any(self._indices.values()):  # what is said of every index is drawn for all up to the last one
            pool = [value for value in pool if abs(value) <= _SPAN / 4]
        yield from self._shuffled(pool)
        yield from self._shuffled(numbers_for(unknown))

    def _shuffled(self, pool: Sequence[sp.Expr]) -> Iterator[sp.Expr]:
        """Bit by bit, since the first are mostly enough."""
        left = [*pool]
        while left:
            k = int(self._rng.random() * len(left))
            left[k], left[-1] = left[-1], left[k]
            yield left.pop()

    def _matrices(self, unknown: sp.MatrixSymbol, constraints: Sequence[Constraint]) -> list[sp.Basic]:
        free = (self._rng.randint(-3, 3) for _ in range(100))
        solved = matrix_solution(constraints, unknown, self.point, self.values, free)
        sized = unknown.xreplace({s: v for s, v in self.point.items() if s in self._sizes})
        drawn = (matrix(sized, self._rng) for _ in range(20 if constraints else 1))
        tried = itertools.chain([] if solved is None else [solved], drawn)
        return [*itertools.islice((m for m in tried if self._fits_all(unknown, m, constraints)), 1)]

    def _fits_all(self, unknown: Unknown, value: sp.Basic, constraints: Sequence[Constraint]) -> bool:
        return all(c.holds_with(unknown, value, self.point, self.values) for c in constraints)


@functools.lru_cache(maxsize=5000)
def _instance(relation: sp.Basic, indices: tuple[sp.Basic, ...], at: tuple[int, ...]) -> sp.Basic:
    return relation.subs(dict(zip(indices, map(sp.Integer, at), strict=True)))


@functools.lru_cache(maxsize=5000)
def _constraint(relation: Relational, rules: frozenset[UndefinedFunction]) -> Constraint:
    """Of which each point takes a copy."""
    return Constraint(relation, rules)


def _once_each(values: Iterable[sp.Expr]) -> Iterator[sp.Expr]:
    """No more are asked for than are looked at."""
    seen = set()
    for value in values:
        if value not in seen:
            seen.add(value)
            yield value


def _between(numbers: set[int]) -> Iterable[int]:
    """All from the least to the greatest, so that what leads from one index to the next is followed."""
    low, high = min(numbers, default=0), max(numbers, default=0)
    if high - low > _SPAN:
        raise Contradiction
    return range(low, high + 1)
