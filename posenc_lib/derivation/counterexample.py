"""Counterexamples: points of the domain at which a relation fails, found by trying."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence

import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction
from sympy.core.relational import Relational
from sympy.matrices import MatrixBase

from posenc_lib.derivation.notation import letters, unfold

Point = dict[sp.Basic, sp.Basic]
Check = Callable[[sp.Expr], bool]

_INTEGERS = [2, 3, 1, 4, 5, 7, 6, 8, 0, -1, -2, -3, 10, 12]
_RATIONALS = [sp.Rational(p, q) for p, q in [(1, 2), (7, 5), (-3, 2), (2, 3), (9, 4), (-1, 3), (11, 7), (23, 2)]]
_COMPLEX = [sp.Rational(1, 2) + 2 * sp.I, -1 + sp.I / 3]
_CANDIDATES = [*map(sp.Integer, _INTEGERS), *_RATIONALS, *_COMPLEX]
_TRIALS = 100
_ENOUGH = 12  # points at which the two sides agree: then it is time to try a proof
_TOLERANCE = sp.Float("1e-12")  # of 30 digits that are computed


def counterexample(lhs: sp.Basic, rhs: sp.Basic, fails: Check, given: Sequence[sp.Basic] = ()) -> Point | None:
    """A point of the domain where the hypotheses hold and `fails(lhs - rhs)`, or None where none was found.

    >>> x = sp.Symbol("x", integer=True, positive=True)
    >>> counterexample(sp.sin(x), x, lambda gap: abs(gap) > 1e-9)
    {x: 4}
    """
    for point, draw in itertools.islice(_points(lhs, rhs, given), _ENOUGH):
        values = [_number(entry, draw) for entry in _entries(lhs, rhs, point, draw)]
        if values and all(v is not None for v in values) and any(fails(v) for v in values):
            return {**point, **draw.values}
    return None


def differ(gap: sp.Expr) -> bool:
    return bool(abs(gap) > _TOLERANCE)


def _entries(lhs, rhs, point: Point, draw) -> list[sp.Expr]:
    left, right = (unfold(at(side, point)) for side in (lhs, rhs))
    if isinstance(left, MatrixBase) or isinstance(right, MatrixBase):
        return [a - b for a, b in zip(left, right, strict=True)]
    return [left - right]


def at(expr: sp.Basic, point: Point) -> sp.Basic:
    """`expr` at the point: functions first, then letters (sizes among them), then matrices of those sizes."""
    functions = {f: rule for f, rule in point.items() if isinstance(f, UndefinedFunction)}
    for f, rule in functions.items():
        expr = expr.replace(f, rule)
    scalars = {s: v for s, v in point.items() if s not in functions and not s.is_Matrix}
    matrices = {s.subs(scalars): v for s, v in point.items() if s not in functions and s.is_Matrix}
    return expr.subs(scalars).xreplace(matrices)


def _number(expr: sp.Expr, draw: Callable[[sp.Basic], sp.Basic]) -> sp.Expr | None:
    """The value with 30 digits; h[2] and f(3) are drawn on the way. None where there is no finite value."""
    expr = unfold(expr.doit())
    expr = expr.replace(lambda e: isinstance(e, (sp.Indexed, AppliedUndef)), draw)
    value = sp.N(expr.doit(), 30)
    return value if value.is_number and value.is_finite else None


def _points(lhs: sp.Basic, rhs: sp.Basic, given: Sequence[sp.Basic]) -> Iterator[tuple[Point, Callable]]:
    rng = random.Random(0)
    exprs = [lhs, rhs, *given]
    symbols = sorted(set().union(*(letters(e) for e in (lhs, rhs))), key=str)
    matrices = [s for s in symbols if s.is_Matrix]
    sizes = set().union(*(s.free_symbols for m in matrices for s in m.shape))
    scalars = sorted({s for s in symbols if not s.is_Matrix} | sizes, key=str)
    pools = {s: [c for c in _CANDIDATES if _fits(c, s)] for s in scalars}
    derived = {d.expr.func for e in exprs for d in e.atoms(sp.Derivative) if isinstance(d.expr, AppliedUndef)}
    solved = [g for g in given if isinstance(g, sp.Eq) and isinstance(g.lhs, (sp.Symbol, sp.Indexed, AppliedUndef))]
    if any(not pool for pool in pools.values()):
        return
    for trial in range(_TRIALS):
        draw = _Draw(rng)
        point: Point = {s: rng.choice(pools[s][:4] if s in sizes or trial < 2 else pools[s]) for s in scalars}
        for g in solved:
            (point if g.lhs.is_Symbol else draw.values)[at(g.lhs, point)] = _number(at(g.rhs, point), draw)
        for f in sorted(derived, key=str):
            point[f] = _parabola(rng.randint(1, 4))
        for m in matrices:
            point[m] = _matrix(m.subs(point), rng)
        if all(_holds(g, point, draw) for g in given):
            yield point, draw


def _parabola(c: int) -> Callable[[sp.Expr], sp.Expr]:
    """A function that can be differentiated, to stand for one that the derivation leaves open."""
    return lambda t: c + t**2 - 2 * c * t


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
    known = {k: v for k, v in letter.assumptions0.items() if v is not None}
    return all(getattr(value, f"is_{k}", v) in (v, None) for k, v in known.items())


def _matrix(symbol: sp.MatrixSymbol, rng: random.Random) -> sp.ImmutableDenseMatrix:
    """A permutation where the shape allows one (hypotheses often ask for it), else small random integers."""
    rows, columns = map(int, symbol.shape)
    if rows == columns and rng.random() < 0.5:
        order = rng.sample(range(rows), rows)
        return sp.ImmutableDenseMatrix(rows, rows, lambda i, j: int(order[i] == j))
    return sp.ImmutableDenseMatrix(rows, columns, lambda i, j: rng.randint(-3, 3))


def _holds(hypothesis: sp.Basic, point: Point, draw: Callable) -> bool:
    """Whether a hypothesis is true at the point; a letter that is only an index stands for 0, 1, … 8."""
    if not isinstance(hypothesis, Relational):
        return False
    free = sorted((s for s in letters(hypothesis) if s not in point), key=str)
    instances = [hypothesis.subs(dict.fromkeys(free, i)) for i in range(9)] if free else [hypothesis]
    return all(_true(h, point, draw) for h in instances)


def _true(relation: sp.Basic, point: Point, draw: Callable) -> bool:
    if not isinstance(relation, Relational):
        return bool(relation)
    values = [_number(gap, draw) for gap in _entries(relation.lhs, relation.rhs, point, draw)]
    if any(v is None for v in values):
        return False
    if isinstance(relation, sp.Eq):
        return not any(map(differ, values))
    return all(v.is_real and bool(relation.func(v, 0)) for v in values)
