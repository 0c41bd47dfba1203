"""Sums: parts of ranges, shifts, triangles, double sums, weights that sum to 1, series."""

import sympy as sp
from sympy import Eq, Ne, Sum

from tests.bookkit.derivation.reach import Statement, line

i, j = sp.symbols("i j", integer=True, nonnegative=True)
m, n = sp.symbols("m n", integer=True)
N, M = sp.symbols("N M", integer=True, positive=True)
o = sp.Symbol("o", odd=True, positive=True)
a, c, x = sp.symbols("a c x", real=True)
p, s = sp.symbols("p s", positive=True)
h, e, v = (sp.IndexedBase(name, real=True) for name in ("h", "t", "v"))
f = sp.Function("f", real=True)


def total(term, upper=N, lower=0, letter=i):
    return Sum(term, (letter, lower, upper))


def softmax(score, shift=0):
    return sp.exp(score - shift) / total(sp.exp(e[j] - shift), letter=j)


square = Sum(h[i] * h[j] * (i - j) ** 2, (i, 0, N), (j, 0, N))
no_weight = Eq(total(h[i]), 0)

STATEMENTS = [
    Statement(
        "a triangle, columns before rows",
        line(Sum(f(i, j), (j, 0, i), (i, 0, N)), Sum(f(i, j), (i, j, N), (j, 0, N))),
        line(Sum(f(i, j), (j, 0, i), (i, 0, N)), Sum(f(i, j), (i, 0, j), (j, 0, N))),
    ),
    Statement(
        "a triangle without its diagonal",
        line(Sum(f(i, j), (j, 0, i - 1), (i, 0, N)), Sum(f(i, j), (i, j + 1, N), (j, 0, N))),
        line(Sum(f(i, j), (j, 0, i - 1), (i, 0, N)), Sum(f(i, j), (i, j, N), (j, 0, N))),
    ),
    Statement(
        "how often a triangle counts each key",
        line(Sum(h[j], (j, 0, i), (i, 0, N)), total((N + 1 - j) * h[j], letter=j)),
        line(Sum(h[j], (j, 0, i), (i, 0, N)), total((N - j) * h[j], letter=j)),
    ),
    Statement(
        "a causal table holds half of the pairs",
        line(Sum(1, (j, 0, i), (i, 0, N - 1)), N * (N + 1) / 2),
        line(Sum(1, (j, 0, i), (i, 0, N - 1)), N * (N - 1) / 2),
    ),
    Statement(
        "a rectangle, columns before rows",
        line(Sum(f(i, j), (j, 0, M), (i, 0, N)), Sum(f(i, j), (i, 0, N), (j, 0, M))),
        line(Sum(f(i, j), (j, 0, M), (i, 0, N)), Sum(f(i, j), (i, 0, M), (j, 0, N))),
    ),
    Statement(
        "a double sum of products",
        line(Sum(h[i] * e[j], (i, 0, N), (j, 0, M)), total(h[i]) * total(e[j], M, letter=j)),
        line(Sum(h[i] * e[j], (i, 0, N), (j, 0, M)), total(h[i] * e[i])),
    ),
    Statement(
        "squared distances without a total weight (KERPLE)",
        line(square, -2 * total(i * h[i]) ** 2, no_weight),
        line(square, 2 * total(i * h[i]) ** 2, no_weight),
    ),
    Statement(
        "squared distances with a total weight",
        line(square, 2 * total(i**2 * h[i]) * total(h[i]) - 2 * total(i * h[i]) ** 2),
        line(square, 2 * total(i**2 * h[i]) - 2 * total(i * h[i]) ** 2),
    ),
    Statement(
        "weights of a softmax sum to 1",
        line(total(softmax(e[i])), 1),
        line(total(softmax(e[i]), N - 1), 1),
    ),
    Statement(
        "a softmax does not see a shift",
        line(total(softmax(e[i], c) * v[i]), total(softmax(e[i]) * v[i])),
        line(total(softmax(e[i], c) * v[i]), total(softmax(2 * e[i]) * v[i])),
    ),
    Statement(
        "a constant value passes through a softmax",
        line(total(softmax(e[i]) * (v[i] + c)), total(softmax(e[i]) * v[i]) + c),
        line(total(softmax(e[i]) * (v[i] + c)), total(softmax(e[i]) * v[i]) + N * c),
    ),
    Statement(
        "a window as a difference of two sums from the start",
        line(total(h[i], m) - total(h[i], n), total(h[i], m, n + 1), m >= n, n >= 0),
        line(total(h[i], m) - total(h[i], n), total(h[i], m, n), m >= n, n >= 0),
    ),
    Statement(
        "two windows side by side",
        line(total(h[i], N) + total(h[i], N + M, N + 1), total(h[i], N + M)),
        line(total(h[i], N) + total(h[i], N + M, N), total(h[i], N + M)),
    ),
    Statement(
        "a shifted index",
        line(total(h[i + 1] * e[i], N - 1), total(h[i] * e[i - 1], N, 1)),
        line(total(h[i + 1] * e[i], N - 1), total(h[i] * e[i - 1], N, 0)),
    ),
    Statement(
        "a shift by a letter",
        line(total(h[i + M], N), total(h[i], N + M, M)),
        line(total(h[i + M], N), total(h[i], N + M - 1, M)),
    ),
    Statement(
        "a sum read backwards",
        line(total(h[N - i] * e[i]), total(h[i] * e[N - i])),
        line(total(h[N - i] * e[i]), total(h[N - 1 - i] * e[i + 1])),
    ),
    Statement(
        "distances counted from the query (a row of a bias)",
        line(total(f(n - i), n), total(f(i), n), n >= 0),
        line(total(f(n - i), n), total(f(i), n, 1), n >= 0),
    ),
    Statement(
        "a telescope",
        line(total(h[i + 1] - h[i], N - 1), h[N] - h[0]),
        line(total(h[i + 1] - h[i], N), h[N] - h[0]),
    ),
    Statement(
        "a telescope by two",
        line(total(h[i + 2] - h[i], N), h[N + 2] + h[N + 1] - h[1] - h[0]),
        line(total(h[i + 2] - h[i], N), h[N + 2] - h[0]),
    ),
    Statement(
        "a geometric series",
        line(total(p**i, sp.oo), 1 / (1 - p), p < 1),
        line(total(p**i, sp.oo), 1 / (1 - p)),
    ),
    Statement(
        "a geometric series that starts later",
        line(total(p**i, sp.oo, N), p**N / (1 - p), p < 1),
        line(total(p**i, sp.oo, N), p ** (N + 1) / (1 - p), p < 1),
    ),
    Statement(
        "the mean distance under geometric weights",
        line(total(i * p**i, sp.oo) * (1 - p), p / (1 - p), p < 1),
        line(total(i * p**i, sp.oo) * (1 - p), 1 / (1 - p), p < 1),
    ),
    Statement(
        "all weights of ALiBi",
        line(total(sp.exp(-s * i), sp.oo), 1 / (1 - sp.exp(-s))),
        line(total(sp.exp(s * i), sp.oo), 1 / (1 - sp.exp(s))),
    ),
    Statement(
        "finitely many weights of ALiBi",
        line(total(sp.exp(-s * i)), (1 - sp.exp(-s * (N + 1))) / (1 - sp.exp(-s))),
        line(total(sp.exp(-s * i)), (1 - sp.exp(-s * N)) / (1 - sp.exp(-s))),
    ),
    Statement(
        "half of an odd size",
        line(total(1, (o - 1) / 2 - 1), (o - 1) / 2),
        line(total(1, (o - 1) / 2 - 1), o / 2),
    ),
    Statement(
        "wave by wave up to half an odd size",
        line(
            total(sp.cos(a * i) ** 2 + h[i], (o - 1) / 2 - 1),
            total(h[i] - sp.sin(a * i) ** 2, (o - 1) / 2 - 1) + (o - 1) / 2,
        ),
        line(
            total(sp.cos(a * i) ** 2 + h[i], (o - 1) / 2 - 1),
            total(h[i] - sp.sin(a * i) ** 2, (o - 1) / 2 - 1) + (o + 1) / 2,
        ),
    ),
    Statement(
        "waves with a common phase",
        line(
            total(h[i] * sp.cos(a * i + x)),
            sp.cos(x) * total(h[i] * sp.cos(a * i)) - sp.sin(x) * total(h[i] * sp.sin(a * i)),
        ),
        line(
            total(h[i] * sp.cos(a * i + x)),
            sp.cos(x) * total(h[i] * sp.cos(a * i)) + sp.sin(x) * total(h[i] * sp.sin(a * i)),
        ),
    ),
    Statement(
        "the sum of a linear function (Shaw, T5)",
        line(total((c + x * i) * h[i]), c * total(h[i]) + x * total(i * h[i])),
        line(total((c + x * i) * h[i]), c + x * total(i * h[i])),
    ),
    Statement(
        "summation by parts",
        line(
            total(h[i] * (e[i + 1] - e[i]), N - 1),
            h[N] * e[N] - h[0] * e[0] - total(e[i + 1] * (h[i + 1] - h[i]), N - 1),
        ),
        line(
            total(h[i] * (e[i + 1] - e[i]), N - 1), h[N] * e[N] - h[0] * e[0] - total(e[i] * (h[i + 1] - h[i]), N - 1)
        ),
    ),
    Statement(
        "a geometric sum of any ratio",
        line(total(x**i), (1 - x ** (N + 1)) / (1 - x), Ne(x, 1)),
        line(total(x**i), (1 - x**N) / (1 - x), Ne(x, 1)),
    ),
    Statement(
        "pairs by their distance (Toeplitz)",
        line(Sum(f(i - j), (j, 0, N), (i, 0, N)), (N + 1) * f(0) + total((N + 1 - i) * (f(i) + f(-i)), N, 1)),
        line(Sum(f(i - j), (j, 0, N), (i, 0, N)), (N + 1) * f(0) + total((N + 1 - i) * (f(i) + f(-i)), N, 0)),
    ),
    Statement(
        "variance by the mean square",
        line(
            total((h[i] - total(h[j], letter=j) / (N + 1)) ** 2),
            total(h[i] ** 2) - total(h[i]) ** 2 / (N + 1),
        ),
        line(
            total((h[i] - total(h[j], letter=j) / (N + 1)) ** 2),
            total(h[i] ** 2) - total(h[i]) ** 2 / (N + 1) ** 2,
        ),
    ),
]
