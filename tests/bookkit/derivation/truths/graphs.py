"""Graphs: the Laplacian's quadratic form, eigenvectors, walks."""

import sympy as sp
from sympy import Eq, Ne, Rational, cos

from tests.bookkit.derivation.truths import Truth
from tests.bookkit.derivation.truths.letters import (
    A,
    D,
    E,
    H,
    I,
    K,
    N,
    P,
    S,
    W,
    double,
    i,
    j,
    lam,
    m,
    mu,
    one,
    t,
    total,
    u,
    v,
    x,
)  # fmt: skip

even = (Eq(W[i, j], W[j, i]),)  # for all i and j
degree = sp.Sum(W[i, j], (j, 0, N))
symmetric = Eq(A.T, A)
two = (symmetric, Eq(A * u, lam * u), Eq(A * v, mu * v))
form = double(W[i, j] * (H[i] - H[j]) ** 2)

TRUTHS = [
    Truth(
        "the Laplacian's form",
        Rational(1, 2) * form,
        "=",
        total(degree * H[i] ** 2) - double(W[i, j] * H[i] * H[j]),
        even,
    ),
    Truth(
        "the form in three sums", form, "=", 2 * double(W[i, j] * H[i] ** 2) - 2 * double(W[i, j] * H[i] * H[j]), even
    ),
    Truth("the form is not negative", double(S[i, j] * (H[i] - H[j]) ** 2), "≥", 0),
    Truth("a constant has no energy", double(W[i, j] * (x - x * cos(0)) ** 2), "=", 0),
    Truth("eigenvectors of two eigenvalues are orthogonal", u.T * v, "=", 0, (*two, Ne(lam, mu))),
    Truth("the gap of two eigenvalues", (lam - mu) * u.T * v, "=", 0, two),
    Truth("the Laplacian of a constant vector", (D - A) * one, "=", sp.ZeroMatrix(N, 1), (Eq(D * one, A * one),)),
    Truth("a Laplacian by its edges", v.T * A * v, "=", (E * v).T * (E * v), (Eq(A, E.T * E),)),
    Truth("a renumbered graph", P * A * P.T * (P * u), "=", lam * P * u, (Eq(P.T * P, I), Eq(A * u, lam * u))),
    Truth("a walk keeps its rest", v.T * A**K, "=", v.T, (Eq(v.T * A, v.T),)),
    Truth("a walk of an eigenvector", A**K * u, "=", lam**K * u, (Eq(A * u, lam * u),)),
    Truth("a wave on a ring", 2 * cos(t * m) - cos(t * (m + 1)) - cos(t * (m - 1)), "=", (2 - 2 * cos(t)) * cos(t * m)),
    Truth("the ring's eigenvalues", 2 - 2 * cos(t), "≥", 0),
]
