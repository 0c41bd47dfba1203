"""Minima, maxima, absolute values, clips, ramps, masks and polynomial inequalities."""

import sympy as sp
from sympy import Abs, And, Eq, Max, Min, Piecewise, Rational, sign

from tests.bookkit.derivation.reach import Statement, line

a, b, x, y, z = sp.symbols("a b x y z", real=True)
p, q, w, L = sp.symbols("p q w L", positive=True)
r = sp.Symbol("r", nonnegative=True)
m, n = sp.symbols("m n", integer=True)
K, W = sp.symbols("K W", integer=True, positive=True)


def clip(e, bound=K):
    return Max(-bound, Min(bound, e))


def ramp(e):
    """YaRN's: 0 up to a, 1 from a + p."""
    return Min(1, Max(0, (e - a) / p))


def relu(e):
    return Max(0, e)


def smooth(wavelength):
    """Llama 3's: between the frequencies that are kept and those that are scaled; q + p and q are the two factors."""
    return (L / wavelength - q) / p


def leaky(e):
    """Leaky ReRoPE: each step beyond w counts 1/q."""
    return Piecewise((e, e < w), (w + (e - w) / q, True))


STATEMENTS = [
    Statement("the ramp is at most 1", line(ramp(x), 1, sign="≤"), line(ramp(x), 1, sign="<")),
    Statement("the ramp is not negative", line(ramp(x), 0, sign="≥"), line(ramp(x), 0, sign=">")),
    Statement("the ramp ends at 1", line(ramp(x), 1, x >= a + p), line(ramp(x), 1, x >= a)),
    Statement("the ramp is 0 before it starts", line(ramp(x), 0, x <= a), line(ramp(x), 0, x <= a + p)),
    Statement("the ramp climbs", line(ramp(x), ramp(y), x <= y, sign="≤"), line(ramp(x), ramp(y), x < y, sign="<")),
    Statement(
        "the ramp as a piecewise function",
        line(ramp(x), Piecewise((0, x < a), (1, x > a + p), ((x - a) / p, True))),
        line(ramp(x), Piecewise((0, x <= a), (1, x > a), ((x - a) / p, True))),
    ),
    Statement(
        "the mean of two frequencies is below the larger",
        line((1 - ramp(x)) * p / q + ramp(x) * p, p, q >= 1, sign="≤"),
        line((1 - ramp(x)) * p / q + ramp(x) * p, p, sign="≤"),
    ),
    Statement(
        "the mean of two frequencies is above the smaller",
        line((1 - ramp(x)) * p / q + ramp(x) * p, p / q, q >= 1, sign="≥"),
        line((1 - ramp(x)) * p / q + ramp(x) * p, p / q, q >= 1, sign=">"),
    ),
    Statement(
        "the smooth factor is at most 1",
        line(smooth(w), 1, w >= L / (q + p), sign="≤"),
        line(smooth(w), 1, w >= L / q, sign=">"),
    ),
    Statement(
        "the smooth factor is not negative",
        line(smooth(w), 0, w <= L / q, sign="≥"),
        line(smooth(w), 0, w >= L / (q + p), sign="≥"),
    ),
    Statement("a clip is odd", line(clip(-x), -clip(x)), line(clip(-x), clip(x))),
    Statement("a clip is bounded", line(Abs(clip(x)), K, sign="≤"), line(Abs(clip(x)), K, sign="<")),
    Statement(
        "a clip brings nothing apart",
        line(Abs(clip(x) - clip(y)), Abs(x - y), sign="≤"),
        line(Abs(clip(x) - clip(y)), Abs(x - y)),
    ),
    Statement(
        "a clip as a piecewise function",
        line(Piecewise((-K, x < -K), (K, x > K), (x, True)), clip(x)),
        line(Piecewise((-K, x < 0), (K, x > K), (x, True)), clip(x)),
    ),
    Statement("near distances are kept", line(clip(m - n), m - n, Abs(m - n) <= K), line(clip(m - n), m - n, m <= K)),
    Statement(
        "ReRoPE is a minimum",
        line(Piecewise((m - n, m - n < W), (W, True)), Min(m - n, W)),
        line(Piecewise((m - n, m - n < W), (W, True)), Max(m - n, W)),
    ),
    Statement("leaky ReRoPE is a minimum", line(leaky(x), Min(x, w + (x - w) / q), q >= 1), line(leaky(x), Min(x, w))),
    Statement(
        "leaky ReRoPE keeps the order", line(leaky(x), leaky(y), x <= y, sign="≤"), line(leaky(x), x + 1, sign="≤")
    ),
    Statement("relu of both signs", line(relu(x) - relu(-x), x), line(relu(x) + relu(-x), x)),
    Statement("relu and absolute value", line(relu(x) + relu(-x), Abs(x)), line(relu(x), (x + Abs(x)) / 3)),
    Statement(
        "relu is subadditive",
        line(relu(x + y), relu(x) + relu(y), sign="≤"),
        line(relu(x + y), relu(x) + relu(y)),
    ),
    Statement("relu scales", line(relu(r * x), r * relu(x)), line(relu(y * x), y * relu(x))),
    Statement("the larger of x and -x", line(Max(x, -x), Abs(x)), line(Max(x, -x), x)),
    Statement("largest plus smallest", line(Max(x, y) + Min(x, y), x + y), line(Max(x, y) - Min(x, y), x - y)),
    Statement("the larger by the gap", line(Max(x, y), (x + y + Abs(x - y)) / 2), line(Max(x, y), x + Abs(x - y))),
    Statement("a sign and a size", line(sign(x) * Abs(x), x), line(sign(x) * Abs(x), Abs(x))),
    Statement(
        "the median of three",
        line(Max(Min(x, y), Min(Max(x, y), z)), Max(Min(y, z), Min(Max(y, z), x))),
        line(Max(Min(x, y), Min(Max(x, y), z)), Max(Min(y, z), x)),
    ),
    Statement(
        "a causal window is two masks",
        line(Piecewise((1, And(n <= m, m - n < W)), (0, True)),
             Piecewise((1, n <= m), (0, True)) * Piecewise((1, n > m - W), (0, True))),
        line(Piecewise((1, And(n <= m, m - n < W)), (0, True)),
             Piecewise((1, n <= m), (0, True)) * Piecewise((1, n >= m - W), (0, True))),
    ),
    Statement(
        "T5 knows past and future apart",
        line(Piecewise((W, n > m), (0, True)) + Min(Abs(m - n), W - 1), 2 * W, sign="<"),
        line(Piecewise((W, n > m), (0, True)) + Min(Abs(m - n), W - 1), W, sign="<"),
    ),
    Statement("the mask and the key itself", line(Max(0, m - n), 0, m <= n), line(Max(0, m - n), 0, m >= n)),
    Statement("a square is not negative", line(x**2 + y**2, 2 * x * y, sign="≥"),
              line(x**2 + y**2, 3 * x * y, sign="≥")),
    Statement("two means, squared", line(4 * p * q, (p + q) ** 2, sign="≤"),
              line(4 * p * q, (p + q) ** 2, sign="<")),
    Statement(
        "Cauchy-Schwarz for pairs",
        line((a * x + b * y) ** 2, (a**2 + b**2) * (x**2 + y**2), sign="≤"),
        line((a * x + b * y) ** 2, (a**2 + b**2) * (x**2 + y**2), sign="<"),
    ),
    Statement(
        "KERPLE for two points",
        line(-2 * a * b * (x - y) ** 2, 0, Eq(a + b, 0), sign="≥"),
        line(-2 * a * b * (x - y) ** 2, 0, Eq(a, b), sign="≥"),
    ),
    Statement("a product of gates", line(p * q, 1, p <= 1, q <= 1, sign="≤"), line(x * y, 1, x <= 1, y <= 1, sign="≤")),
    Statement("p(1 - p) is at most a quarter", line(x * (1 - x), Rational(1, 4), sign="≤"),
              line(x * (1 - x), Rational(1, 4), sign="<")),
    Statement("one root is not negative", line(p, q, Eq(p**2, q**2)), line(x, y, Eq(x**2, y**2))),
    Statement("two means, with a root", line(sp.sqrt(p * q), (p + q) / 2, sign="≤"), line(sp.sqrt(p * q), p, sign="≤")),
    Statement("e and π", line(sp.exp(sp.pi), sp.pi**sp.E, sign=">"), line(sp.pi, Rational(22, 7), sign=">")),
    Statement("a near miss", line(sp.sqrt(2) + sp.sqrt(3), sp.pi, sign=">"),
              line(sp.sqrt(2) + sp.sqrt(3), Rational(31463, 10000), sign=">")),
    Statement("the largest amplitude", line(x * sp.cos(a) + y * sp.sin(a), sp.sqrt(x**2 + y**2), sign="≤"),
              line(x * sp.cos(a) + y * sp.sin(a), sp.sqrt(x**2 + y**2), sign="<")),
]  # fmt: skip
