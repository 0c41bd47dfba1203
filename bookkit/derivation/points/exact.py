"""Relations at a point of fractions, by the arithmetic: many times faster than sympy's own substitution."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import sympy as sp
from sympy.core.function import UndefinedFunction

from bookkit.derivation.points.arithmetic import Arithmetic, Env, read
from bookkit.derivation.points.numbers import NoNumber
from bookkit.derivation.points.values import Point

Row = list[Fraction]

_BASE = 2**40


def gap(lhs: sp.Basic, rhs: sp.Basic, env: Env) -> Row | None:
    """Lhs - rhs, entry by entry; None where the arithmetic finds no fractions.

    >>> x = sp.Symbol("x")
    >>> gap(x**2, 2 * x, {x: Fraction(3)}), gap(sp.sqrt(x), x, {x: Fraction(3)})
    ([Fraction(3, 1)], None)
    """
    to = Arithmetic(env, _unknown, _unknown)
    try:
        left, right = (read(side)(to, env) for side in (lhs, rhs))
    except (ArithmeticError, TypeError, ValueError, IndexError):
        return None
    if len(left) != len(right) or not all(isinstance(v, Fraction) for v in (*left, *right)):
        return None
    return [a - b for a, b in zip(left, right, strict=True)]


def fractions_of(point: Point) -> dict[sp.Basic, Fraction | list[Row]]:
    """Those letters and matrices of a point that are made of fractions; matrices by their sizes too."""
    scalars = {s: v for s, v in point.items() if isinstance(v, sp.Rational) and not isinstance(s, UndefinedFunction)}
    env = {s: in_fractions(v) for s, v in scalars.items()}
    for m, value in point.items():
        if getattr(value, "is_Matrix", False) and (rows := rows_of(value)) is not None:
            env[m] = env[m.xreplace(scalars)] = rows
    return env


def in_fractions(value: sp.Rational) -> Fraction:
    return Fraction(int(value.p), int(value.q))


@functools.lru_cache(maxsize=5000)
def rows_of(value: sp.ImmutableDenseMatrix) -> list[Row] | None:
    """None where some entry is no fraction."""
    entries = value.flat()
    is_exact = all(isinstance(v, sp.Rational) for v in entries)
    return _rows([in_fractions(v) for v in entries], value.cols) if is_exact else None


def affine_system(
    lhs: sp.Basic, rhs: sp.Basic, unknown: sp.Basic, shape: tuple[int, int], env: Env
) -> list[Row] | None:
    """The coefficients of each entry of lhs = rhs, and what they add up to, seen from a few values; none where it is
    not linear. None where there are no values.

    >>> x, y = sp.symbols("x y")
    >>> affine_system(3 * x, y, x, (1, 1), {y: Fraction(6)}), affine_system(x**2, y, x, (1, 1), {y: Fraction(4)})
    ([[Fraction(3, 1), Fraction(6, 1)]], [])
    """
    rows, columns = shape
    number = rows * columns

    def at(entries: Sequence[int]) -> Row | None:
        value = _rows([*map(Fraction, entries)], columns)
        return gap(lhs, rhs, {**env, unknown: value if unknown.is_Matrix else value[0][0]})

    some = [3 + 7 * k * k for k in range(number)]
    values = [at([c * v for v in some]) for c in (0, 1, 2)]
    if None in values:
        return None
    start, once, twice = values
    if any(c - b != b - a for a, b, c in zip(start, once, twice, strict=True)):
        return []
    change = [b - a for a, b in zip(start, once, strict=True)]
    slopes = _slopes_at_once(at, start, number)
    if slopes is None or not _fit(slopes, some, change):
        units = [at([int(k == j) for j in range(number)]) for k in range(number)]
        slopes = None if None in units else [[u[k] - value for u in units] for k, value in enumerate(start)]
    if slopes is None:
        return None
    system = [[*row, -value] for row, value in zip(slopes, start, strict=True)]
    return [row for row in system if any(row)] if _fit(slopes, some, change) else []


def _slopes_at_once(at: Callable[[Sequence[int]], Row | None], start: Row, number: int) -> list[Row] | None:
    """Small whole coefficients, as the digits of one value: that at 1, B, B² and so on for a large B."""
    value = at([_BASE**k for k in range(number)])
    if value is None or any(v.denominator != 1 for v in (*value, *start)):
        return None
    return [_digits(int(v - a), number) for v, a in zip(value, start, strict=True)]


def _digits(value: int, number: int) -> Row:
    """Of both signs, the lowest first."""
    found = []
    for _ in range(number):
        digit = (value + _BASE // 2) % _BASE - _BASE // 2
        found.append(Fraction(digit))
        value = (value - digit) // _BASE
    return found


def _fit(slopes: list[Row], entries: Sequence[int], change: Row) -> bool:
    return all(sum(c * v for c, v in zip(row, entries, strict=True) if c) == by
               for row, by in zip(slopes, change, strict=True))  # fmt: skip


def solved(system: Sequence[Row], free: Iterable[int]) -> list[sp.Rational] | None:
    """The unknowns of a linear system, with these numbers for those that it leaves free; None where it has none.

    >>> solved([[Fraction(2), Fraction(0), Fraction(3)]], [7])
    [3/2, 7]
    """
    rows, pivots = _reduced(system)
    last = len(system[0]) - 1
    if last in pivots:
        return None
    chosen = dict(zip((c for c in range(last) if c not in pivots), free, strict=False))
    rest = [row[last] - sum(row[c] * v for c, v in chosen.items()) for row in rows[: len(pivots)]]
    found = {**chosen, **dict(zip(pivots, rest, strict=True))}
    return [sp.Rational(Fraction(found[c]).numerator, Fraction(found[c]).denominator) for c in range(last)]


def _reduced(system: Sequence[Row]) -> tuple[list[Row], list[int]]:
    """The system by Gauss and Jordan, and the columns of its pivots."""
    rows, pivots = [[*row] for row in system], []
    for column in range(len(rows[0])):
        top = len(pivots)
        pivot = next((r for r in range(top, len(rows)) if rows[r][column]), None)
        if pivot is None:
            continue
        rows[top], rows[pivot] = rows[pivot], rows[top]
        scale = rows[top][column]
        rows[top] = [v / scale if v else v for v in rows[top]]
        for r, row in enumerate(rows):
            if r != top and (factor := row[column]):
                rows[r] = [v - factor * w if w else v for v, w in zip(row, rows[top], strict=True)]
        pivots.append(column)
    return rows, pivots


def _rows(entries: Row, columns: int) -> list[Row]:
    return [entries[k : k + columns] for k in range(0, len(entries), columns)]


def _unknown(e: sp.Basic, _: object) -> Fraction:
    raise NoNumber(e)
