"""Gates: sigmoids and their products, sums of logarithms, sticks that are broken."""

import sympy as sp
from sympy import Abs, Max, exp, log, tanh

from tests.bookkit.derivation.truths import Truth
from tests.bookkit.derivation.truths.letters import G, H, K, N, i, j, k, m, n, p, s, times, total, x, y

gate = 1 / (1 + exp(-H[i]))
share = (G[i] >= 0, G[i] <= 1)  # for every i
inner = (s >= 0, s <= 1)


def sigmoid(z):
    return 1 / (1 + exp(-z))


TRUTHS = [
    Truth("a product of sigmoids is positive", times(gate), ">", 0),
    Truth("a product of sigmoids is at most 1", times(gate), "≤", 1),
    Truth("a sum of logarithms of gates is not positive", total(log(gate)), "≤", 0),
    Truth("its logarithm is a sum", log(times(gate)), "=", total(log(gate))),
    Truth("a factor in front", G[0] * times(1 - G[j], N, 1, j), "≤", 1, share),
    Truth("a factor behind", G[N] * times(1 - G[j], N - 1, 0, j), "≤", 1, share),
    Truth("a factor in front, from below", G[0] * times(1 - G[j], N, 1, j), "≥", 0, share),
    Truth("one more gate keeps less", times(G[i], N + 1), "≤", times(G[i]), share),
    Truth(
        "a far token is kept less", times(G[i], m + 1, n), "≤", times(G[i], m, n), (*share, m >= n, n >= 0), open=True
    ),
    Truth("a far token is kept less, from a place on", times(G[i], m + 1, k), "≤", times(G[i], m, k), (*share, m >= k)),
    Truth("two sigmoids are 1", sigmoid(x) + sigmoid(-x), "=", 1),
    Truth("the hyperbolic tangent by a sigmoid", tanh(x), "=", 2 * sigmoid(2 * x) - 1),
    Truth("a sigmoid by the hyperbolic tangent", sigmoid(x), "=", (1 + tanh(x / 2)) / 2),
    Truth("what a gate mixes stays between", s * x + (1 - s) * y, "≤", Max(x, y), inner),
    Truth("a gated state stays small", Abs(s * x + (1 - s) * y), "≤", Max(Abs(x), Abs(y)), inner),
    Truth(
        "a cumulative sum between two tokens",
        total(H[i], m, n + 1),
        "=",
        total(H[i], m) - total(H[i], n),
        (m >= n, n >= 0),
    ),
    Truth("the slope of a sigmoid", sp.Derivative(sigmoid(x), x), "=", sigmoid(x) * (1 - sigmoid(x))),
    Truth("powers of a gate", total(p**i, K), "≤", K + 1, (p <= 1,)),
    Truth("powers of a gate, from below", total(p**i, K), "≥", 1),
]
