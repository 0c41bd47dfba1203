"""Floors, remainders, digits, parity, grids and grouped positions."""

import sympy as sp
from sympy import Eq, Min, Mod, Piecewise, Sum, ceiling, floor

from tests.bookkit.derivation.reach import Statement, line

x, y = sp.symbols("x y", real=True)
m, n, r = sp.symbols("m n r", integer=True)
i, c = sp.symbols("i c", integer=True, nonnegative=True)
G, N, W, H = sp.symbols("G N W H", integer=True, positive=True)
o = sp.Symbol("o", odd=True, positive=True)


def grouped(distance):
    """Self-Extend: as it is within the window, in groups of G beyond."""
    return Piecewise((distance, distance < W), (floor(distance / G) + W - floor(W / G), True))


def bucket(distance):
    """T5's first half: one bucket for each distance, and a last one for all the others."""
    return Min(distance, W)


STATEMENTS = [
    Statement("a group's number from above", line(floor(m / G), m / G, sign="≤"), line(floor(m / G), m / G, sign="<")),
    Statement("a group's number from below", line(floor(m / G), m / G - 1, sign=">"),
              line(floor(m / G), m / G - sp.Rational(1, 2), sign=">")),
    Statement("group and place", line(G * floor(m / G) + Mod(m, G), m), line(G * floor(m / G) + Mod(m, G), m + G)),
    Statement("a place is below the size", line(Mod(m, G), G, sign="<"), line(Mod(m, G), G - 1, sign="<")),
    Statement("a place is not negative", line(Mod(m, G), 0, sign="≥"), line(Mod(m, G), 0, sign=">")),
    Statement("groups keep the order", line(floor(m / G), floor(n / G), m <= n, sign="≤"),
              line(floor(m / G), floor(n / G), m < n, sign="<")),
    Statement(
        "a grouped distance, from above",
        line(floor(m / G) - floor((m - N) / G), floor(N / G) + 1, sign="≤"),
        line(floor(m / G) - floor((m - N) / G), floor(N / G), sign="≤"),
    ),
    Statement(
        "a grouped distance, from below",
        line(floor(m / G) - floor((m - N) / G), floor(N / G), sign="≥"),
        line(floor(m / G) - floor((m - N) / G), floor(N / G) + 1, sign="≥"),
    ),
    Statement("Self-Extend starts at the window", line(grouped(m), W, m >= W, sign="≥"),
              line(grouped(m), W, m >= W, sign=">")),
    Statement("Self-Extend keeps the order", line(grouped(m), grouped(n), m <= n, sign="≤"),
              line(grouped(m), grouped(n), m < n, sign="<")),
    Statement(
        "Self-Extend shortens",
        line(grouped(m), m, m >= 0, sign="≤"),
        line(grouped(m), m / G, m >= 0, sign="≤"),
    ),
    Statement("two digits", line(10 * Mod(floor(m / 10), 10) + Mod(m, 10), Mod(m, 100)),
              line(10 * Mod(floor(m / 10), 10) + Mod(m, 10), m)),
    Statement("a digit is at most 9", line(Mod(floor(m / 10), 10), 9, sign="≤"),
              line(Mod(floor(m / 10), 10), 8, sign="≤")),
    Statement("a floor of a floor", line(floor(floor(m / 4) / 3), floor(m / 12)),
              line(floor(floor(m / 4) / 3), floor(m / 7))),
    Statement("halves add up", line(floor(m / 2) + ceiling(m / 2), m), line(2 * floor(m / 2), m)),
    Statement("a square leaves 0 or 1", line(Mod(m**2, 4), 1, sign="≤"), line(Mod(m**2, 8), 1, sign="≤"), open=True),
    Statement("the sign of a position", line((-1) ** m, 1 - 2 * Mod(m, 2)), line((-1) ** m, 2 * Mod(m, 2) - 1)),
    Statement("pairs of features", line(2 * floor(i / 2) + Mod(i, 2), i), line(2 * floor((i + 1) / 2) + Mod(i, 2), i)),
    Statement("ceiling by floor", line(ceiling(m / G), floor((m + G - 1) / G)), line(ceiling(m / G), floor(m / G) + 1)),
    Statement("a grid's row", line(floor((r * W + c) / W), r, c < W), line(floor((r * W + c) / W), r, c <= W)),
    Statement("a grid's column", line(Mod(r * W + c, W), c, c < W), line(Mod(r * W + c, W), c, c <= W)),
    Statement("a grid's last row", line(floor(i / W), H - 1, i < H * W, sign="≤"),
              line(floor(i / W), H - 1, i <= H * W, sign="≤")),
    Statement("the next row", line(floor((m + W) / W), floor(m / W) + 1), line(floor((m + 1) / W), floor(m / W) + 1)),
    Statement("T5's near buckets climb", line(bucket(m), bucket(n), m <= n, sign="≤"),
              line(bucket(m), bucket(n), m < n, sign="<")),
    Statement(
        "T5's far buckets climb",
        line(floor(W * x), floor(W * y), x <= y, sign="≤"),
        line(floor(r * x), floor(r * y), x <= y, sign="≤"),
    ),
    Statement("floors of a sum", line(floor(x) + floor(y), floor(x + y), sign="≤"),
              line(floor(x) + floor(y), floor(x + y))),
    Statement("a floor is the next whole number below", line(m, floor(x), m <= x, sign="≤"),
              line(m, floor(x), m <= x + 1, sign="≤")),
    Statement("both sides of a whole number", line(floor(x) + floor(-x), -1, sign="≥"),
              line(floor(x) + floor(-x), -1)),
    Statement("half of an odd number of terms", line(Sum(1, (i, 0, (o - 1) / 2 - 1)), (o - 1) / 2),
              line(Sum(1, (i, 0, o / 2 - 1)), o / 2)),
    Statement("half of an even number of terms", line(Sum(1, (i, 0, N / 2 - 1)), N / 2, Eq(Mod(N, 2), 0)),
              line(Sum(1, (i, 0, N / 2 - 1)), N / 2, Eq(Mod(N, 2), 1))),
    Statement("terms before the end are positive", line(Sum(N - i, (i, 0, N)), 0, sign="≥"),
              line(Sum(N - 1 - i, (i, 0, N)), 1, sign="≥")),
]  # fmt: skip
