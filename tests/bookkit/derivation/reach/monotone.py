"""Functions that grow, and powers: exponentials, logarithms, decays, gates."""

import sympy as sp
from sympy import Product, Rational, Sum, exp, log

from tests.bookkit.derivation.reach import Statement, line

x, y = sp.symbols("x y", real=True)
p, q = sp.symbols("p q", positive=True)
r = sp.Symbol("r", nonnegative=True)
m, n = sp.symbols("m n", integer=True)
i = sp.Symbol("i", integer=True, nonnegative=True)
N = sp.Symbol("N", integer=True, positive=True)
K = sp.Symbol("K", integer=True, nonnegative=True)
h = sp.IndexedBase("h", real=True)

STATEMENTS = [
    Statement("a decay is at most 1", line(exp(-p * K), 1, sign="≤"), line(exp(-p * K), 1, sign="<")),
    Statement("a decay stays positive", line(exp(-p * N), 0, sign=">"), line(exp(-p * N), 0, sign="<")),
    Statement("a decay goes on", line(exp(-p * (N + 1)), exp(-p * N), sign="<"),
              line(exp(-x * (N + 1)), exp(-x * N), sign="<")),
    Statement("e keeps the order", line(exp(x), exp(y), x <= y, sign="≤"), line(exp(x), exp(y), x <= y, sign="<")),
    Statement("e keeps the strict order", line(exp(x), exp(y), x < y, sign="<"),
              line(exp(-x), exp(-y), x < y, sign="<")),
    Statement("a logarithm grows", line(log(1 + p * r), log(1 + p * r + q), sign="≤"),
              line(log(1 + p * r), log(p * r + q), sign="≤")),
    Statement("a logarithm from 1 on", line(log(1 + r), 0, sign="≥"), line(log(1 + r), 0, sign=">")),
    Statement("a logarithm's bias", line(-p * log(1 + q * r), 0, sign="≤"), line(-p * log(1 + q * r), 0, sign="<")),
    Statement("a power of what is below 1", line(r**p, 1, r <= 1, sign="≤"), line(r**p, 1, r <= 2, sign="≤")),
    Statement("a power of what is above 1", line(p**q, 1, p >= 1, sign="≥"), line(p**x, 1, p >= 1, sign="≥")),
    Statement("powers fall", line(p ** (N + 1), p**N, p <= 1, sign="≤"), line(p ** (N + 1), p**N, sign="≤")),
    Statement("bases keep the order", line(p**r, q**r, p <= q, sign="≤"), line(p**x, q**x, p <= q, sign="≤")),
    Statement("roots keep the order", line(sp.sqrt(p), sp.sqrt(q), p < q, sign="<"),
              line(sp.sqrt(p), p, sign="≤")),
    Statement("a longer wavelength", line(p ** (-2 * K / q), p ** (-2 * (K + 1) / q), p > 1, sign=">"),
              line(p ** (-2 * K / q), p ** (-2 * (K + 1) / q), sign=">")),
    Statement("the frequencies of a larger base", line((p + q) ** (-r), p ** (-r), sign="≤"),
              line((p + q) ** (-r), p ** (-r), sign="<")),
    Statement("a forgetting gate", line(exp(Sum(h[i], (i, 0, N))), 1, h[i] <= 0, sign="≤"),
              line(exp(Sum(h[i], (i, 0, N))), 1, h[i] <= 1, sign="≤")),
    Statement("a gate's weight", line(p * exp(Sum(h[i], (i, 0, N))), p, h[i] <= 0, sign="≤"),
              line(x * exp(Sum(h[i], (i, 0, N))), x, h[i] <= 0, sign="≤")),
    Statement("gates multiplied", line(Product(h[i], (i, 0, N)), 1, h[i] >= 0, h[i] <= 1, sign="≤"),
              line(Product(h[i], (i, 0, N)), 1, h[i] <= 1, h[i] >= -2, sign="≤")),
    Statement("a sigmoid below 1", line(1 / (1 + exp(-x)), 1, sign="<"),
              line(1 / (1 + exp(-x)), Rational(9, 10), sign="<")),
    Statement("a sigmoid grows", line(1 / (1 + exp(-x)), 1 / (1 + exp(-y)), x <= y, sign="≤"),
              line(1 / (1 + exp(-x)), 1 / (1 + exp(-y)), x <= y, sign="<")),
    Statement("two decays", line(exp(-p * K) * p**2 * exp(-r), p**2, sign="≤"),
              line(exp(-p * K) * p**2 * exp(-r), p, sign="≤")),
    Statement("certified digits", line(exp(1) + log(2), Rational(34114, 10000), sign=">"),
              line(exp(1) + log(2), Rational(34115, 10000), sign=">")),
    Statement("a tangent", line(log(1 + r), r, sign="≤"), line(log(1 + r), r, sign="<"), open=True),
]  # fmt: skip
