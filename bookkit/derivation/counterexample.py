"""Counterexamples: points of the domain at which a relation fails, found by trying."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Iterator, Sequence

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from bookkit.derivation.hypotheses import constants, indices_of
from bookkit.derivation.notation import free_letters
from bookkit.derivation.values import Point, entries, evaluate, exact_value, numeric_value

Check = Callable[[sp.Expr], bool]

_INTEGERS = [2, 3, 1, 4, 5, 7, 6, 8, 0, -1, -2, -3, 10, 12]
_RATIONALS = [sp.Rational(p, q) for p, q in [(1, 2), (7, 5), (-3, 2), (2, 3), (9, 4), (-1, 3), (11, 7), (23, 2)]]
_COMPLEX = [sp.Rational(1, 2) + 2 * sp.I, -1 + sp.I / 3]
_CANDIDATES = [*map(sp.Integer, _INTEGERS), *_RATIONALS, *_COMPLEX]
_t = sp.Symbol("t", real=True)
_FUNCTIONS = [sp.Lambda(_t, e) for e in (_t**2 - 4 * _t + 2, sp.exp(_t), sp.Integer(3))]  # where f is derived
_TRIALS = 100
_ENOUGH = 12  # points at which the two sides agree: then the search ends
_TOLERANCE = sp.Float("1e-12")  # of 30 digits that are computed


def counterexample(lhs: sp.Basic, rhs: sp.Basic, fails: Check, given: Sequence[sp.Basic] = ()) -> Point | None:
    """A point of the domain where the hypotheses hold and `fails(lhs - rhs)`, or None where none was found.

    >>> x = sp.Symbol("x", integer=True, positive=True)
    >>> counterexample(sp.sin(x), x, lambda gap: abs(gap) > 1e-9)
    {x: 4}
    """
    return first_counterexample(attempts(lhs, rhs, fails, given))


def first_counterexample(points: Iterable[Point | None]) -> Point | None:
    """The first that is a counterexample. (The point {} is one: of a formula without letters.)"""
    return next((p for p in points if p is not None), None)


def attempts(lhs: sp.Basic, rhs: sp.Basic, fails: Check, given: Sequence[sp.Basic] = ()) -> Iterator[Point | None]:
    """One point after another: the point itself if it is a counterexample, None if it is not."""
    for point, draw in itertools.islice(_points(lhs, rhs, given), _ENOUGH):
        values = [numeric_value(entry, draw) for entry in entries(lhs, rhs, point)]
        failing = values and all(v is not None for v in values) and any(fails(v) for v in values)
        if failing and all(_holds(g, point, draw) for g in given):  # again: for the h[i] that have been drawn since
            for side in (lhs, rhs):  # what cancels in the gap gets a number too
                exact_value(evaluate(side, point), draw)
            yield {**point, **draw.values}
        else:
            yield None


def differs(gap: sp.Expr) -> bool:
    return bool(abs(gap) > _TOLERANCE)


def exceeds(gap: sp.Expr) -> bool:
    """Whether lhs ≤ rhs fails, given lhs - rhs; numbers that are not real are in no order."""
    real, imaginary = gap.as_real_imag()
    return bool(real > _TOLERANCE or abs(imaginary) > _TOLERANCE)


def is_not_real(number: sp.Expr) -> bool:
    return abs(sp.im(number)) > _TOLERANCE


def not_below(gap: sp.Expr) -> bool:
    """Whether lhs < rhs fails, given lhs - rhs."""
    return bool(exceeds(gap) or sp.re(gap) >= 0)


def _points(lhs: sp.Basic, rhs: sp.Basic, given: Sequence[sp.Basic]) -> Iterator[tuple[Point, Callable]]:
    rng = random.Random(0)
    exprs = [lhs, rhs, *given]
    symbols = sorted(constants([lhs, rhs], given), key=str)
    matrices = [s for s in symbols if s.is_Matrix]
    sizes = set().union(*(s.free_symbols for m in matrices for s in m.shape))
    scalars = sorted({s for s in symbols if not s.is_Matrix} | sizes, key=str)
    derived = {a.func for e in exprs for d in e.atoms(sp.Derivative) for a in d.atoms(AppliedUndef) if len(a.args) == 1}
    pools = {s: [c for c in _CANDIDATES if _fits(c, s)] for s in scalars}
    pools |= {f: [rule for rule in _FUNCTIONS if _fits(rule.expr, f(_t))] for f in derived}
    solved = [
        g
        for g in given
        if isinstance(g, sp.Eq)
        and isinstance(g.lhs, (sp.Symbol, sp.Indexed, AppliedUndef))
        and free_letters(g) <= set(symbols)
    ]
    if any(not pool for pool in pools.values()):
        return
    for trial in range(_TRIALS):
        draw = _Draw(rng)
        point: Point = {s: rng.choice(pools[s][:4] if s in sizes or trial < 2 else pools[s]) for s in scalars}
        for g in solved:
            name = g.lhs if g.lhs.is_Symbol else evaluate(g.lhs, point)
            (point if g.lhs.is_Symbol else draw.values)[name] = exact_value(evaluate(g.rhs, point), draw)
        for f in sorted(derived, key=str):
            point[f] = rng.choice(pools[f])
        for m in matrices:
            point[m] = _matrix(m.subs(point), rng)
        fitting = all(_fits(v, s) for s, v in point.items() if isinstance(s, sp.Symbol))
        if fitting and all(_holds(g, point, draw) for g in given):
            yield point, draw


class _Draw:
    """Numbers for h[2] and f(3): each drawn once, when it is met."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.values: Point = {}

    def __call__(self, atom: sp.Basic) -> sp.Basic:
        if atom not in self.values:
            self.values[atom] = self.rng.choice([c for c in _CANDIDATES if _fits(c, atom)])
        return self.values[atom]


def _fits(value: sp.Expr, letter: sp.Basic) -> bool:
    known = {**letter.default_assumptions, **letter.assumptions0}  # of f(3) and of a letter
    return all(getattr(value, f"is_{k}") is v for k, v in known.items())


def _matrix(symbol: sp.MatrixSymbol, rng: random.Random) -> sp.ImmutableDenseMatrix:
    """A permutation where the shape allows one (hypotheses often ask for it), else small random integers."""
    rows, columns = map(int, symbol.shape)
    if rows == columns and rng.random() < 0.5:
        order = rng.sample(range(rows), rows)
        return sp.ImmutableDenseMatrix(rows, rows, lambda i, j: int(order[i] == j))
    return sp.ImmutableDenseMatrix(rows, columns, lambda i, j: rng.randint(-3, 3))


def _holds(hypothesis: sp.Basic, point: Point, draw: _Draw) -> bool:
    """Whether a hypothesis is true at the point; an index stands for 0, 1, … 8 and for all that have been drawn."""
    if not isinstance(hypothesis, Relational):
        return bool(hypothesis)
    indices = sorted((s for s in free_letters(hypothesis) if s not in point), key=str)
    numbers = {*range(9), *(int(a) for atom in draw.values for a in indices_of(atom) if a.is_Integer)}
    pools = [[(s, n) for n in map(sp.Integer, sorted(numbers)) if _fits(n, s)] for s in indices]
    return all(_true(hypothesis.subs(dict(values)), point, draw) for values in itertools.product(*pools))


def _true(relation: sp.Basic, point: Point, draw: Callable) -> bool:
    if not isinstance(relation, Relational):
        return bool(relation)
    values = [numeric_value(gap, draw) for gap in entries(relation.lhs, relation.rhs, point)]
    if any(v is None for v in values):
        return False
    if isinstance(relation, sp.Eq):
        return not any(map(differs, values))
    return all(v.is_real and bool(relation.func(v, 0)) for v in values)
