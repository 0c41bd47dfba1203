"""Fourier features: roots of unity, means, transforms."""

import sympy as sp
from sympy import Abs, cos, exp, pi, sin

from bookkit.derivation.lemmas import SINE
from tests.bookkit.derivation.truths import Truth
from tests.bookkit.derivation.truths.letters import N, i, m, p, s, t, total, w, x, y

root = exp(2 * pi * sp.I * m / N)
phase = sp.Integral(2 * cos(w * x + s) * cos(w * y + s), (s, 0, 2 * pi)) / (2 * pi)
fall = sp.Symbol("r", positive=True)

TRUTHS = [
    Truth("roots of unity", (1 - root) * total(root**i, N - 1), "=", 0),
    Truth("a cosine through its phase", phase, "=", cos(w * (x - y))),
    Truth("a decaying cosine", sp.Integral(exp(-p * s) * cos(t * s), (s, 0, sp.oo)), "=", p / (p**2 + t**2)),
    Truth("a decaying sine", sp.Integral(exp(-p * s) * sin(t * s), (s, 0, sp.oo)), "=", t / (p**2 + t**2)),
    Truth("a decaying ramp", sp.Integral(s * exp(-p * s), (s, 0, sp.oo)), "=", 1 / p**2),
    Truth("a product of cosines", 2 * cos(w * x) * cos(w * y), "=", cos(w * (x - y)) + cos(w * (x + y))),
    Truth("a sine moves no faster than its angle", Abs(sin(x - y)), "≤", Abs(x - y), by=(SINE.at(x - y),)),
    Truth("a cosine is a difference of squares", cos(x) ** 2 - sin(x) ** 2, "=", cos(2 * x)),
    Truth("a turn of a phase", exp(sp.I * (x + 2 * pi * m)), "=", exp(sp.I * x)),
    Truth("the length of a phase", Abs(exp(sp.I * x) - exp(sp.I * y)) ** 2, "=", 2 - 2 * cos(x - y)),
]
