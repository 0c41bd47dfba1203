"""Numbers at a point: fractions where they stay fractions, else as many digits as are asked for; and matrices of them.

Where the digits do not settle which of two numbers is larger, there is no number.
"""

from __future__ import annotations

import functools
import itertools
import operator
from fractions import Fraction
from typing import Any

import mpmath

Number = Any  # a Fraction, or mpmath's mpf or mpc

LARGE = 20_000  # bits of a fraction
CLOSE = mpmath.mpf("1e-25")  # numbers this near to each other may be equal


class NoNumber(ArithmeticError):
    """There is no value here, or none that these rules find."""


class NoValue(NoNumber):
    """There is none here: what is divided by is 0, or no case holds."""


def compare(a: Number, b: Number) -> int | None:
    """-1, 0, 1; None where they are different and not both real. No number where the digits do not tell."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return (a > b) - (a < b)
    gap = mp(a) - mp(b)
    if abs(gap) <= CLOSE * (1 + abs(mp(a))):
        raise NoNumber("two numbers too near to each other")
    if isinstance(gap, mpmath.mpc):
        return None
    return 1 if gap > 0 else -1


def mp(x: Number) -> Number:
    return mpmath.mpf(x.numerator) / x.denominator if type(x) is Fraction else x


def plus(a: Number, b: Number) -> Number:
    return a + b if type(a) is type(b) is Fraction else finite(mp(a) + mp(b))


def times(a: Number, b: Number) -> Number:
    if type(a) is type(b) is Fraction:  # of a class like this, isinstance takes long to deny that it is one
        return small(a * b)
    return Fraction(0) if a == 0 or b == 0 else finite(mp(a) * mp(b))


def small(a: Fraction) -> Fraction:
    if max(a.numerator.bit_length(), a.denominator.bit_length()) > LARGE:
        raise NoNumber("a number too large")
    return a


def finite(x: Number) -> Number:
    if not mpmath.isfinite(x):
        raise NoNumber("no finite number")
    return x.real if isinstance(x, mpmath.mpc) and x.imag == 0 else x


def matrix_sum(a: list, b: list) -> list:
    return [[plus(x, y) for x, y in zip(*rows, strict=True)] for rows in zip(a, b, strict=True)]


def matrix_product(a: list, b: list) -> list:
    columns = list(zip(*b, strict=True))
    if _is_whole(a) and _is_whole(b):  # most are, and whole numbers are much faster than fractions
        left, right = ([[v.numerator for v in row] for row in rows] for rows in (a, columns))
        if len(a[0]) == len(b):
            return [[small(Fraction(sum(map(operator.mul, row, c)))) for c in right] for row in left]
    return [[functools.reduce(plus, itertools.starmap(times, zip(row, c, strict=True))) for c in columns] for row in a]


def _is_whole(a: list) -> bool:
    return all(isinstance(v, Fraction) and v.denominator == 1 for row in a for v in row)


def _eliminated(rows: list[list[Number]]) -> tuple[list[list[Number]], Number]:
    """Gauss and Jordan, on exact numbers only; and the determinant of the square on the left."""
    rows, size, det = [list(r) for r in rows], len(rows), Fraction(1)
    if not all(isinstance(v, Fraction) for r in rows for v in r):
        raise NoNumber("a matrix that is not made of fractions")
    for c in range(size):
        pivot = next((r for r in range(c, size) if rows[r][c] != 0), None)
        if pivot is None:
            return rows, Fraction(0)
        det *= rows[pivot][c] if pivot == c else -rows[pivot][c]
        rows[c], rows[pivot] = rows[pivot], rows[c]
        rows[c] = [v / rows[c][c] for v in rows[c]]
        for r in range(size):
            if r != c and rows[r][c] != 0:
                rows[r] = [v - rows[r][c] * w for v, w in zip(rows[r], rows[c], strict=True)]
    return rows, det


def inverse(a: list) -> list:
    wide = [[*row, *(Fraction(int(i == j)) for j in range(len(a)))] for i, row in enumerate(a)]
    rows, det = _eliminated(wide)
    if det == 0:
        raise NoValue("the determinant is 0")
    return [row[len(a) :] for row in rows]


def determinant_of_rows(rows: list[list[Number]]) -> Number:
    if all(isinstance(v, Fraction) for r in rows for v in r):
        return _eliminated(rows)[1]
    total = Fraction(0)
    for order in itertools.permutations(range(len(rows))) if len(rows) < 5 else ():
        swaps = sum(order[i] > order[j] for i, j in itertools.combinations(range(len(rows)), 2))
        term = functools.reduce(times, (rows[i][j] for i, j in enumerate(order)), Fraction((-1) ** swaps))
        total = plus(total, term)
    if len(rows) >= 5:
        raise NoNumber("a large determinant")
    return total
