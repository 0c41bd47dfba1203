"""Errors that people make in these formulas, planted one at a time into the chapters' derivations."""

from typing import NamedTuple


class Plant(NamedTuple):
    chapter: str
    name: str
    right: str  # stands in exactly one derivation cell of the chapter
    wrong: str


PLANTED = [
    Plant(
        "sinusoidal",
        "addition theorem of the sine, sign",
        "sin_m * cos_k + cos_m * sin_k",
        "sin_m * cos_k - cos_m * sin_k",
    ),
    Plant(
        "sinusoidal",
        "addition theorem of the cosine, sign",
        "cos_m * cos_k - sin_m * sin_k",
        "cos_m * cos_k + sin_m * sin_k",
    ),
    Plant("sinusoidal", "the shifted vector on both sides", "R(k) * p(m), because", "R(k) * p(m + k), because"),
    Plant("sinusoidal", "the matrix transposed", "R(k) * p(m), because", "R(k).T * p(m), because"),
    Plant("sinusoidal", "the inverse without its minus", "R(-k), because=", "R(k), because="),
    Plant("sinusoidal", "composition subtracts", "R(k1 + k2)", "R(k1 - k2)"),
    Plant("sinusoidal", "the transpose forgotten", "R(k1) * R(-k2)", "R(k1) * R(k2)"),
    Plant("sinusoidal", "the difference the wrong way round", "R(k1 - k2)", "R(k2 - k1)"),
    Plant("sinusoidal", "the norm without its half", ".step(d / 2, because", ".step(d, because"),
    Plant("sinusoidal", "Pythagoras with a cube", "+ sp.cos(m * theta_i) ** 2", "+ sp.cos(m * theta_i) ** 3"),
    Plant(
        "sinusoidal",
        "2i becomes 2i + 1 in the cosine",
        "+ sp.cos(m * theta_i) ** 2",
        "+ sp.cos(m * b ** (-(2 * i + 1) / d)) ** 2",
    ),
    Plant("sinusoidal", "the kernel of the sum", "sp.cos((m - n) * theta_i)", "sp.cos((m + n) * theta_i)"),
    Plant(
        "sinusoidal", "a sine with the exponent 2i + 1", "sp.sin(n * theta_i)", "sp.sin(n * b ** (-(2 * i + 1) / d))"
    ),
    Plant("sinusoidal", "the kernel loses its sines", "over_pairs(sines + cosines)", "over_pairs(cosines)"),
    Plant("sinusoidal", "the kernel odd", "kernel(k), because=", "-kernel(k), because="),
    Plant("sinusoidal", "half angle lost", "4 * sp.sin(apart / 2) ** 2", "4 * sp.sin(apart) ** 2"),
    Plant("sinusoidal", "a factor 4 becomes 2", "4 * sp.sin(apart / 2) ** 2", "2 * sp.sin(apart / 2) ** 2"),
    Plant(
        "sinusoidal",
        "uniqueness without k ≠ 0",
        'sp.Symbol("k", integer=True, nonzero=True)',
        'sp.Symbol("k", integer=True)',
    ),
    Plant(
        "sinusoidal",
        "uniqueness for real k",
        'sp.Symbol("k", integer=True, nonzero=True)',
        'sp.Symbol("k", real=True, nonzero=True)',
    ),
    Plant("sinusoidal", "longest wavelength as the paper prints it", "2 * sp.pi * b ** ((d - 2) / d)", "2 * sp.pi * b"),
    Plant(
        "sinusoidal",
        "wavelength: frequency in its place",
        "2 * sp.pi / b ** (-2 * i / d)",
        "2 * sp.pi * b ** (-2 * i / d)",
    ),
    Plant("sinusoidal", "the last pair is d/2", "wavelength(d / 2 - 1)", "wavelength(d / 2)"),
    Plant(
        "sinusoidal",
        "alpha and beta exchanged",
        "sp.cos(2 * beta * m) - sp.cos(2 * alpha * m)",
        "sp.cos(2 * alpha * m) - sp.cos(2 * beta * m)",
    ),
    Plant("sinusoidal", "double angle not doubled", "sp.cos(2 * beta * m)", "sp.cos(beta * m)"),
    Plant("sinusoidal", "growth loses the position", "r**m * sp.Abs(z0)", "r * sp.Abs(z0)"),
    Plant("sinusoidal", "Ω transposed", "[[0, theta], [-theta, 0]]", "[[0, -theta], [theta, 0]]"),
    Plant("sinusoidal", "the flow runs backwards", "(Omega * t).exp()", "(-Omega * t).exp()"),
    Plant(
        "sinusoidal",
        "log space without its minus",
        "sp.exp(-(2 * i / d) * sp.log(b))",
        "sp.exp((2 * i / d) * sp.log(b))",
    ),
    Plant(
        "sinusoidal",
        "log space: base and frequency swapped",
        "sp.exp(-(2 * i / d) * sp.log(b))",
        "b * sp.exp(-(2 * i / d))",
    ),
    Plant("sinusoidal", "determinant of a reflection", ".det()).step(1,", ".det()).step(-1,"),
]
