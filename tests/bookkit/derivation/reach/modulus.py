"""Moduli of complex numbers and roots: chords, waves, sizes of sums."""

import sympy as sp
from sympy import Abs, I, Sum, exp

from tests.bookkit.derivation.reach import Statement, line

i = sp.Symbol("i", integer=True, nonnegative=True)
m, n = sp.symbols("m n", integer=True)
N = sp.Symbol("N", integer=True, positive=True)
a, b, x, y = sp.symbols("a b x y", real=True)
p, r = sp.symbols("p r", positive=True)
u, v = sp.symbols("u v", complex=True)
h, t = (sp.IndexedBase(name, real=True) for name in ("h", "t"))
wave = Sum(h[i] * exp(I * t[i]), (i, 0, N))
half = sp.sin(a / 2)

STATEMENTS = [
    Statement("the chord of a turn", line(Abs(1 - exp(I * a)), 2 * Abs(half)), line(Abs(1 - exp(I * a)), 2 * half)),
    Statement(
        "the chord between two turns",
        line(Abs(exp(I * a) - exp(I * b)), 2 * Abs(sp.sin((a - b) / 2))),
        line(Abs(exp(I * a) - exp(I * b)), 2 * Abs(sp.sin(a - b))),
    ),
    Statement(
        "the size of a sum of waves",
        line(Abs(wave), Sum(Abs(h[i]), (i, 0, N)), sign="≤"),
        line(Abs(wave), Sum(h[i], (i, 0, N)), sign="≤"),
    ),
    Statement("a product of sizes", line(Abs(u * v), Abs(u) * Abs(v)), line(Abs(u + v), Abs(u) + Abs(v))),
    Statement(
        "a score as a real part is bounded by both sizes",
        line(sp.re(u * sp.conjugate(v)), Abs(u) * Abs(v), sign="≤"),
        line(sp.re(u * sp.conjugate(v)), Abs(u), sign="≤"),
    ),
    Statement(
        "a real part is at most the size",
        line(sp.re(u) + x, Abs(u) + x, sign="≤"),
        line(sp.re(u) + Abs(u), 0, sign="≤"),
    ),
    Statement(
        "the two scales of xPos cancel",
        line(Abs(u * r**m * exp(I * a * m)) * Abs(v * r ** (-n) * exp(I * a * n)), Abs(u) * Abs(v) * r ** (m - n)),
        line(Abs(u * r**m * exp(I * a * m)) * Abs(v * r**n * exp(I * a * n)), Abs(u) * Abs(v) * r ** (m - n)),
    ),
    Statement(
        "the law of cosines",
        line(Abs(x - y * exp(I * a)) ** 2, x**2 + y**2 - 2 * x * y * sp.cos(a)),
        line(Abs(x - y * exp(I * a)) ** 2, x**2 + y**2 + 2 * x * y * sp.cos(a)),
    ),
    Statement(
        "a half angle under a root",
        line(sp.sqrt((1 - sp.cos(a)) / 2), Abs(half)),
        line(sp.sqrt((1 - sp.cos(a)) / 2), half),
    ),
    Statement(
        "the triangle for differences",
        line(Abs(u - v), Abs(u) + Abs(v), sign="≤"),
        line(Abs(u - v), Abs(u) - Abs(v), sign="≤"),
    ),
    Statement(
        "the kernel of a geometric sum of waves",
        line(Abs((1 - exp(I * a)) * Sum(exp(I * a * i), (i, 0, N - 1))), 2 * Abs(sp.sin(N * a / 2))),
        line(Abs((1 - exp(I * a)) * Sum(exp(I * a * i), (i, 0, N - 1))), 2 * Abs(sp.sin((N + 1) * a / 2))),
        open=True,
    ),
]
