"""Classical inequalities, by lemmas that are named where they are used."""

from __future__ import annotations

import sympy as sp

from bookkit.derivation import Derivation
from bookkit.derivation.lemmas import (
    CAUCHY_SCHWARZ,
    COSINE,
    EXPONENTIAL,
    JENSEN,
    LOGARITHM,
    MEANS,
    SINE,
    SINE_BELOW,
    TRIANGLE,
)
from tests.bookkit.derivation.reach import Statement

a, b, x, y = sp.symbols("a b x y", real=True)
p, r, s = sp.symbols("p r s", positive=True)
u, v = sp.symbols("u v", nonnegative=True)
i, N = sp.Symbol("i", integer=True, nonnegative=True), sp.Symbol("N", integer=True, positive=True)
g, h = sp.IndexedBase("g", real=True), sp.IndexedBase("h", real=True)
w, e = sp.IndexedBase("w", nonnegative=True), sp.IndexedBase("e", positive=True)
z = sp.IndexedBase("z", complex=True)


def over(term):
    return sp.Sum(term, (i, 0, N))


def below(small, large, *by, sign="≤", given=()):
    return lambda: Derivation(small, given=given).step(large, because="a lemma", sign=sign, by=by)


waves = sp.Lambda(i, h[i] * sp.exp(sp.I * a * i))
weights_add_up = [sp.Eq(over(w[i]), 1)]
opposite = [sp.Eq(b, -a)]

STATEMENTS = [
    Statement(
        "log(1 + r) is at most r",
        below(sp.log(1 + r), r, LOGARITHM.at(r)),
        below(sp.log(1 + 2 * r), r, LOGARITHM.at(r)),
    ),
    Statement(
        "log(1 + x) is at most x, given x above -1",
        below(sp.log(1 + x), x, LOGARITHM.at(x), given=[x > -1]),
        below(sp.log(1 + x), x, LOGARITHM.at(x)),
    ),
    Statement(
        "1 + x is at most e^x",
        below(1 + x, sp.exp(x), EXPONENTIAL.at(x)),
        below(1 + x, sp.exp(x), EXPONENTIAL.at(x), sign="<"),
    ),
    Statement(
        "a positive multiple of a lemma",
        below(r * (1 - x), r * sp.exp(-x), EXPONENTIAL.at(-x)),
        below(y * (1 - x), y * sp.exp(-x), EXPONENTIAL.at(-x)),
    ),
    Statement(
        "a lemma and something positive",
        below(1 + x, sp.exp(x) + y**2 + 1, EXPONENTIAL.at(x), sign="<"),
        below(1 + x, sp.exp(x) + y, EXPONENTIAL.at(x)),
    ),
    Statement(
        "each term of a sum is below its exponential",
        below(over(1 + h[i]), over(sp.exp(h[i])), EXPONENTIAL.at(h[i])),
        below(over(1 + 2 * h[i]), over(sp.exp(h[i])), EXPONENTIAL.at(h[i])),
    ),
    Statement(
        "the entropy of a scale: sums of logarithms",
        below(over(sp.log(1 + e[i])), over(e[i]), LOGARITHM.at(e[i])),
        below(over(sp.log(1 + e[i])), over(e[i] - 1), LOGARITHM.at(e[i])),
    ),
    Statement("sin p is below p", below(sp.sin(p), p, SINE_BELOW.at(p), sign="<"), below(p, sp.sin(p), SINE.at(p))),
    Statement(
        "a chord is at most its arc",
        below(2 * sp.Abs(sp.sin(x / 2)), sp.Abs(x), SINE.at(x / 2)),
        below(2 * sp.Abs(sp.sin(x)), sp.Abs(x), SINE.at(x)),
    ),
    Statement(
        "1 - cos x is at most x²/2",
        below(1 - sp.cos(x), x**2 / 2, COSINE.at(x)),
        below(1 - sp.cos(x), x**2 / 3, COSINE.at(x)),
    ),
    Statement(
        "a slow pair hardly moves",
        below(1 - sp.cos(r * x), r**2 * x**2 / 2, COSINE.at(r * x)),
        below(1 - sp.cos(r * x), r * x**2 / 2, COSINE.at(r * x)),
    ),
    Statement(
        "Cauchy-Schwarz",
        below(over(g[i] * h[i]) ** 2, over(g[i] ** 2) * over(h[i] ** 2), CAUCHY_SCHWARZ.at(g, h, 0, N)),
        below(over(g[i] * h[i]) ** 2, over(g[i]) ** 2 * over(h[i] ** 2), CAUCHY_SCHWARZ.at(g, h, 0, N)),
    ),
    Statement(
        "the square of a sum is at most its length times the sum of squares",
        below(over(h[i]) ** 2, over(h[i] ** 2) * over(1), CAUCHY_SCHWARZ.at(h, sp.Lambda(i, 1), 0, N)),
        below(over(h[i]) ** 2, over(h[i] ** 2), CAUCHY_SCHWARZ.at(h, sp.Lambda(i, 1), 0, N)),
    ),
    Statement(
        "the geometric mean is at most the arithmetic one",
        below(sp.sqrt(u * v), (u + v) / 2, MEANS.at(u, v)),
        below((u + v) / 2, sp.sqrt(u * v), MEANS.at(u, v)),
    ),
    Statement(
        "KERPLE for two points",
        lambda: (
            Derivation(-2 * a * b * (x - y) ** 2, given=opposite)
            .step(2 * a**2 * (x - y) ** 2, because="b = -a")
            .step(0, because="squares", sign="≥")
        ),
        below(-2 * a * b * (x - y) ** 2, 0, sign="≥"),
    ),
    Statement(
        "triangle inequality for waves",
        below(sp.Abs(over(waves(i))), over(sp.Abs(waves(i))), TRIANGLE.at(waves, 0, N)),
        below(over(sp.Abs(waves(i))), sp.Abs(over(waves(i))), TRIANGLE.at(waves, 0, N)),
    ),
    Statement(
        "Jensen for weights that add up to one",
        below(sp.exp(over(w[i] * h[i])), over(w[i] * sp.exp(h[i])), JENSEN.at(w, h, 0, N), given=weights_add_up),
        below(sp.exp(over(w[i] * h[i])), over(w[i] * sp.exp(h[i])), JENSEN.at(w, h, 0, N)),
    ),
]
