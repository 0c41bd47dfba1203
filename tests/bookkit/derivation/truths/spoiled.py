"""Beside each new tactic: false statements of the shape that it is made for, each spoiled in one place."""

import sympy as sp
from sympy import Eq, Integral, Ne, Sum, cos, exp, pi, sin, tanh

from tests.bookkit.derivation.truths import Truth
from tests.bookkit.derivation.truths.letters import (
    A,
    B,
    C,
    D,
    G,
    H,
    I,
    K,
    M,
    N,
    P,
    Q,
    W,
    X,
    det,
    double,
    i,
    j,
    key,
    lam,
    m,
    mu,
    p,
    s,
    scalar,
    t,
    times,
    total,
    u,
    v,
    w,
    x,
    y,
)  # fmt: skip

pairs, gap = C[i] * C[j], X[i] - X[j]
form = double(W[i, j] * (H[i] - H[j]) ** 2)
even, share = (Eq(W[i, j], W[j, i]),), (G[i] >= 0, G[i] <= 1)
skew, orthogonal, symmetric = Eq(A.T, -A), Eq(Q.T * Q, I), Eq(A.T, A)
unit, regular = Eq(key.T * key, scalar), Ne(det(I + A), 0)
two = (Eq(A * u, lam * u), Eq(A * v, mu * v))
cayley = (I - A) * (I + A).inverse()
root = exp(2 * pi * sp.I * m / N)
fall = Integral(exp(-p * s) * cos(t * s), (s, 0, sp.oo))


def spoiled(name, *statements):
    return {name: [Truth(f"{name}, {number}", *one) for number, one in enumerate(statements)]}


SPOILED = {
    **spoiled(
        "word by word, with what follows from the equations given",
        (cayley.T * cayley, "=", I, (Eq(A.T, A), regular)),
        (cayley.T * cayley, "=", -I, (skew, regular)),
        (cayley * cayley, "=", I, (skew, regular)),
        (cayley.T * (I + A) * (I + A).inverse(), "=", I, (skew, regular)),
        (cayley, "=", (I - A).inverse() * (I + A), (skew, regular)),
        (u.T * v, "=", 0, (symmetric, *two)),
        (u.T * v, "=", 0, (*two, Ne(lam, mu))),
        (u.T * u, "=", 0, (symmetric, *two, Ne(lam, mu))),
        (u.T * v, "=", 0, (symmetric, *two, Ne(lam, -mu))),
        ((lam + mu) * u.T * v, "=", 0, (symmetric, *two)),
        (u, "=", v, (symmetric, *two, Ne(lam, mu))),
    ),
    **spoiled(
        "word by word, by induction on {}",
        (v.T * A**K, "=", v.T, (Eq(A * v, v),)),
        (A**K * v, "=", K * v, (Eq(A * v, v),)),
        (A**K * u, "=", lam ** (K + 1) * u, (Eq(A * u, lam * u),)),
        ((A * B * A.inverse()) ** K, "=", A**K * B**K * A.inverse(), (Ne(det(A), 0),)),
        ((A * B) ** K, "=", A**K * B**K, ()),
        (A**K * B, "=", B * A**K, ()),
        ((Q**K).T * Q ** (K + 1), "=", I, (orthogonal,)),
        (A ** (2 * K + 1), "=", I, (Eq(A**2, I),)),
        (A**K, "=", I, (Eq(A**2, I),)),
        ((I - key * key.T) ** K, "=", I - key * key.T, (unit,)),
        ((I - s * key * key.T) ** K * key, "=", (1 + s) ** K * key, (unit,)),
        ((P * D * P.inverse()) ** K, "=", P.inverse() * D**K * P, (Ne(det(P), 0),)),
    ),
    **spoiled(
        "as products of single sums",
        (double(pairs * cos(w * gap)), "=", total(C[i] * cos(w * X[i])) ** 2 - total(C[i] * sin(w * X[i])) ** 2),
        (double(pairs * sin(w * gap)), "=", total(C[i] * sin(w * X[i])) ** 2),
        (double(pairs * cos(w * (X[i] + X[j]))), "≥", 0),
        (double(pairs * X[i] * X[j]), "≤", 0),
        (double(pairs * X[i]), "≥", 0),
        (double(pairs * (X[i] * X[j] - 1) ** 2), "≥", 0),
        (form, "=", 2 * double(W[i, j] * H[i] ** 2) - 2 * double(W[i, j] * H[i] * H[j])),
        (double(W[i, j] * H[i]), "=", -double(W[i, j] * H[j]), even),
        (double(W[i, j] * W[i, j]), "=", double(W[i, j]) ** 2, even),
        (double(G[i] * H[j]), "=", total(G[i] * H[i])),
        (Sum(G[i] * H[j], (i, 0, j), (j, 0, N)), "=", total(G[i]) * total(H[i])),
        (Sum(G[i] * H[j], (i, 0, N), (j, 0, M)), "=", total(G[i]) * total(H[i])),
        (double(W[i, j] * H[j]), "=", double(W[j, i] * H[j])),
        (total(H[i]) ** 2, "=", total(H[i] ** 2)),
    ),
    **spoiled(
        "by a number spread over the terms",
        (total(p**i, K), "≤", K, (p <= 1,)),
        (total(p**i, K), "≤", K + 1),
        (total(p**i, K), "≥", K + 1, (p <= 1,)),
        (total(p**i, K), "≥", 2),
        (total(p**i, K - 1), "≥", 1),
        (total(x**i, K), "≤", K + 1, (x <= 1,)),
        (total(p**i, K, 1), "≥", p),
    ),
    **spoiled(
        "what is given for every index, at those that stand there",
        (G[0] * times(1 - G[j], N, 1, j), "≤", sp.Rational(1, 5), share),
        (G[0] * times(1 - G[j], N, 1, j), "≥", 1, share),
        (G[0] * times(1 - G[j], N, 1, j), "≤", 1, (G[i] >= 0,)),
        (H[0] * times(1 - G[j], N, 1, j), "≤", 1, share),
        (2 * G[0] * times(1 - G[j], N, 1, j), "≤", 1, share),
        (times(G[i]), "≤", times(G[i], N + 1), share),
        (times(G[i], N + 1), "≤", times(G[i], N, 1) * G[1], share),
        (times(G[i], N + 1), "≤", times(G[i]), (G[i] >= 0,)),
        (G[0] + G[N], "≤", 1, share),
        (G[m], "≤", 1, (*share, G[m] >= 0, m < 0)),
    ),
    **spoiled(
        "by determinants of what is equal",
        (det(Q), "=", 1, (orthogonal,)),
        (det(Q) ** 2, "=", -1, (orthogonal,)),
        (det(Q) ** 3, "=", 1, (orthogonal,)),
        (det(A) ** 2, "=", 2, (Eq(A**2, 2 * I),)),
        (det(A), "=", 0, (Eq(A.T, -A),)),
        (det(A + B), "=", det(A) + det(B)),
    ),
    **spoiled(
        "by the ends of sums that hold their factors",
        ((1 + root) * total(root**i, N - 1), "=", 0),
        ((1 - root) * total(root**i, N), "=", 0),
        (total(root**i, N - 1), "=", 0),
        ((1 - root) * total(root ** (2 * i), N - 1), "=", 0),
        ((1 - exp(2 * pi * sp.I * x / N)) * total(exp(2 * pi * sp.I * x * i / N), N - 1), "=", 0),
        ((1 - root) * total(root**i, N - 1, 1), "=", 0),
    ),
    **spoiled(
        "as a fraction of powers of e",
        (tanh(x), "=", 2 / (1 + exp(-x)) - 1),
        (tanh(x), "=", 2 / (1 + exp(2 * x)) - 1),
        (1 / (1 + exp(-x)), "=", (1 - tanh(x / 2)) / 2),
        (tanh(x + y), "=", (tanh(x) + tanh(y)) / (1 - tanh(x) * tanh(y) + 1)),
        (tanh(2 * x), "=", 2 * tanh(x) / (2 + tanh(x) ** 2)),
    ),
    **spoiled(
        "as a transform",
        (fall, "=", p / (p**2 - t**2)),
        (fall, "=", t / (p**2 + t**2)),
        (fall, "=", p / (p + t) ** 2),
        (Integral(exp(-p * s) * cos(t * s), (s, 1, sp.oo)), "=", p / (p**2 + t**2)),
        (Integral(exp(p * s) * cos(t * s), (s, 0, sp.oo)), "=", -p / (p**2 + t**2)),
        (Integral(exp(-x * s), (s, 0, sp.oo)), "=", 1 / x, (Ne(x, 0),)),
        (Integral(s * exp(-p * s), (s, 0, sp.oo)), "=", 1 / p),
    ),
}  # fmt: skip
