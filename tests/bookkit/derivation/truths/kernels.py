"""Kernels: positive semidefinite ones by squares, features and their products."""

import sympy as sp
from sympy import Abs, cos, exp, sin

from bookkit.derivation.lemmas import COSINE
from tests.bookkit.derivation.truths import Truth
from tests.bookkit.derivation.truths.letters import (
    PHI,
    C,
    G,
    H,
    M,
    S,
    W,
    X,
    a,
    b,
    double,
    i,
    j,
    k,
    p,
    s,
    t,
    total,
    w,
    x,
    y,
)  # fmt: skip

gap = X[i] - X[j]
pairs = C[i] * C[j]
wave = total(C[i] * cos(w * X[i])) ** 2 + total(C[i] * sin(w * X[i])) ** 2
dot = sp.Sum(PHI[i, k] * PHI[j, k], (k, 0, M))

TRUTHS = [
    Truth("a cosine as two squares", double(pairs * cos(w * gap)), "=", wave),
    Truth("a cosine is positive semidefinite", double(pairs * cos(w * gap)), "≥", 0),
    Truth("the linear kernel is", double(pairs * X[i] * X[j]), "≥", 0),
    Truth("the quadratic kernel is", double(pairs * (1 + X[i] * X[j]) ** 2), "≥", 0),
    Truth("a kernel between factors is", double(pairs * G[i] * G[j] * cos(w * gap)), "≥", 0),
    Truth("a mixture of cosines is", double(pairs * (p * cos(w * gap) + cos(t * gap))), "≥", 0),
    Truth("features make a kernel", double(pairs * dot), "=", total(total(C[i] * PHI[i, k]) ** 2, M, letter=k)),
    Truth("a kernel of features is positive semidefinite", double(pairs * dot), "≥", 0),
    Truth("Fejér's kernel", double(cos((i - j) * x)), "≥", 0),
    Truth("the exponential kernel by Gaussians", exp(x * y), "=", exp((x**2 + y**2 - (x - y) ** 2) / 2)),
    Truth("a Gaussian is at most 1", exp(-p * (x - y) ** 2), "≤", 1),
    Truth(
        "a cosine is moved with both",
        cos(w * ((x + s) - (y + s))),
        "=",
        cos(w * x) * cos(w * y) + sin(w * x) * sin(w * y),
    ),
    Truth("a mixture is greatest at 0", Abs(total(S[i] * cos(W[i] * t))), "≤", total(S[i])),
    Truth("the determinant of two places", 1 - cos(x - y) ** 2, "≥", 0),
    Truth("linear attention sums the values first", total(x * G[i] * H[i]), "=", x * total(G[i] * H[i])),
    Truth("a product of features splits", double(G[i] * H[j]), "=", total(G[i]) * total(H[i])),
    Truth("a kernel falls like a square at first", 1 - cos(x - y), "≤", (x - y) ** 2 / 2, by=(COSINE.at(x - y),)),
    Truth("a distance in features", 2 - 2 * cos(a - b), "=", (cos(a) - cos(b)) ** 2 + (sin(a) - sin(b)) ** 2),
]
