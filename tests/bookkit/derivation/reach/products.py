"""Products: gates, stick-breaking, telescopes."""

import sympy as sp
from sympy import Eq, Ne, Product, Sum

from tests.bookkit.derivation.reach import Statement, line

i, j = sp.symbols("i j", integer=True, nonnegative=True)
m, n = sp.symbols("m n", integer=True)
N, M = sp.symbols("N M", integer=True, positive=True)
K = sp.Symbol("K", integer=True, nonnegative=True)
a, x = sp.symbols("a x", real=True)
p = sp.Symbol("p", positive=True)
h, g, b = (sp.IndexedBase(name, real=True) for name in ("h", "g", "beta"))
t = sp.IndexedBase("t", real=True)
s = sp.IndexedBase("s", positive=True)


def times(factor, upper=N, lower=0, letter=i):
    return Product(factor, (letter, lower, upper))


def sticks(size):
    """Σ β_i Π_{j<i} (1 - β_j): what is broken off in the first steps."""
    return Sum(b[i] * times(1 - b[j], i - 1, letter=j), (i, 0, size))


def gate(upper, lower):
    return times(s[i], upper, lower)


STATEMENTS = [
    Statement(
        "a telescope of positive factors",
        line(times(s[i + 1] / s[i], N - 1), s[N] / s[0]),
        line(times(s[i + 1] / s[i], N), s[N] / s[0]),
    ),
    Statement(
        "a telescope of factors that are not zero",
        line(times(t[i + 1] / t[i], N - 1), t[N] / t[0], Ne(t[i], 0)),
        line(times(t[i + 1] / t[i], N - 1), t[N] / t[1], Ne(t[i], 0)),
    ),
    Statement(
        "the last factor",
        line(times(h[i]), h[N] * times(h[i], N - 1)),
        line(times(h[i]), h[N - 1] * times(h[i], N - 1)),
    ),
    Statement(
        "the first factor",
        line(times(h[i]), h[0] * times(h[i], N, 1)),
        line(times(h[i]), h[1] * times(h[i], N, 1)),
    ),
    Statement(
        "two products over one range",
        line(times(h[i]) * times(g[j], letter=j), times(h[i] * g[i])),
        line(times(h[i]) * times(g[j], letter=j), times(h[i] + g[i])),
    ),
    Statement(
        "a shifted product",
        line(times(h[i + 1], N - 1), times(h[i], N, 1)),
        line(times(h[i + 1], N - 1), times(h[i], N)),
    ),
    Statement(
        "a constant in every factor",
        line(times(x * h[i], N - 1), x**N * times(h[i], N - 1)),
        line(times(x * h[i], N), x**N * times(h[i], N)),
    ),
    Statement(
        "stick-breaking leaves the product",
        line(sticks(N - 1), 1 - times(1 - b[j], N - 1, letter=j)),
        line(sticks(N - 1), 1 - times(1 - b[j], N, letter=j)),
    ),
    Statement(
        "stick-breaking and the rest sum to 1",
        line(sticks(N) + times(1 - b[i]), 1),
        line(sticks(N) + times(1 - b[i], N - 1), 1),
    ),
    Statement(
        "stick-breaking from the nearest key (looks back)",
        line(
            Sum(b[j] * times(1 - b[i], N - 1, j + 1), (j, 0, N - 1)) + times(1 - b[i], N - 1),
            1,
        ),
        line(
            Sum(b[j] * times(1 - b[i], N - 1, j), (j, 0, N - 1)) + times(1 - b[i], N - 1),
            1,
        ),
    ),
    Statement(
        "a product of exponentials",
        line(times(sp.exp(h[i])), sp.exp(Sum(h[i], (i, 0, N)))),
        line(times(sp.exp(h[i])), sp.exp(Sum(h[i], (i, 1, N)))),
    ),
    Statement(
        "the logarithm of the gates is a sum (forgetting transformer)",
        line(sp.log(gate(N, 0)), Sum(sp.log(s[i]), (i, 0, N))),
        line(sp.log(gate(N, 0)), Sum(sp.log(s[i]), (i, 0, N - 1))),
    ),
    Statement(
        "a gate between two tokens as a quotient",
        line(gate(m, n + 1), gate(m, 0) / gate(n, 0), m >= n, n >= 0),
        line(gate(m, n), gate(m, 0) / gate(n, 0), m >= n, n >= 0),
    ),
    Statement(
        "a gate between two tokens as a difference of cumulative sums",
        line(gate(m, n + 1), sp.exp(Sum(sp.log(s[i]), (i, 0, m)) - Sum(sp.log(s[i]), (i, 0, n))), m >= n, n >= 0),
        line(gate(m, n + 1), sp.exp(Sum(sp.log(s[i]), (i, 0, m)) - Sum(sp.log(s[i]), (i, 1, n))), m >= n, n >= 0),
    ),
    Statement(
        "gates compose",
        line(gate(N + M, N + 1) * gate(N, 1), gate(N + M, 1)),
        line(gate(N + M, N) * gate(N, 1), gate(N + M, 1)),
    ),
    Statement(
        "equal gates are ALiBi",
        line(times(sp.exp(-p), m, n + 1), sp.exp(-p * (m - n)), m >= n, n >= 0),
        line(times(sp.exp(-p), m, n), sp.exp(-p * (m - n)), m >= n, n >= 0),
    ),
    Statement(
        "equal gates are a power",
        line(times(p, m, n + 1), p ** (m - n), m >= n, n >= 0),
        line(times(p, m, n + 1), p ** (m - n - 1), m >= n, n >= 0),
    ),
    Statement(
        "turns compose (a phase for each token)",
        line(times(sp.exp(sp.I * h[i])), sp.exp(sp.I * Sum(h[i], (i, 0, N)))),
        line(times(sp.exp(sp.I * h[i])), sp.exp(-sp.I * Sum(h[i], (i, 0, N)))),
    ),
    Statement(
        "a factorial",
        line(times(i, K, 1), sp.factorial(K)),
        line(times(i, K, 1), sp.factorial(K + 1)),
    ),
    Statement(
        "doubling exponents",
        line(times(1 + x ** (2**i), K - 1), (1 - x ** (2**K)) / (1 - x), Ne(x, 1)),
        line(times(1 + x ** (2**i), K), (1 - x ** (2**K)) / (1 - x), Ne(x, 1)),
    ),
    Statement(
        "a square of gates",
        line(times(h[i] ** 2), times(h[i]) ** 2),
        line(times(h[i] ** 2), times(2 * h[i])),
    ),
    Statement(
        "factors that are known",
        line(times(h[i], N - 1), p**N, Eq(h[i], p)),
        line(times(h[i], N), p**N, Eq(h[i], p)),
    ),
    Statement(
        "a linear recurrence unrolled by one step",
        line(
            Sum(g[j] * times(s[i], N, j + 1), (j, 0, N)),
            s[N] * Sum(g[j] * times(s[i], N - 1, j + 1), (j, 0, N - 1)) + g[N],
        ),
        line(
            Sum(g[j] * times(s[i], N, j + 1), (j, 0, N)),
            s[N] * Sum(g[j] * times(s[i], N - 1, j + 1), (j, 0, N - 1)) + s[N] * g[N],
        ),
    ),
]
