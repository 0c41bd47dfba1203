"""The derivations of absolute/sinusoidal, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant(
        "addition theorem of the sine, sign", "sin_m * cos_k + cos_m * sin_k", "sin_m * cos_k - cos_m * sin_k", Refuted
    ),
    Mutant(
        "addition theorem of the cosine, sign",
        "cos_m * cos_k - sin_m * sin_k",
        "cos_m * cos_k + sin_m * sin_k",
        Refuted,
    ),
    Mutant("the shifted vector on both sides", "S(k) * p(m), because", "S(k) * p(m + k), because", Refuted),
    Mutant("the matrix transposed", "S(k) * p(m), because", "S(k).T * p(m), because", Refuted),
    Mutant("the inverse without its minus", "S(-k), because=", "S(k), because=", Refuted),
    Mutant("composition subtracts", "S(k1 + k2)", "S(k1 - k2)", Refuted),
    Mutant("the transpose forgotten", "S(k1) * S(-k2)", "S(k1) * S(k2)", Refuted),
    Mutant("the difference the wrong way round", "S(k1 - k2)", "S(k2 - k1)", Refuted),
    Mutant("the norm without its half", ".step(d / 2, because", ".step(d, because", Refuted),
    Mutant("Pythagoras with a cube", "+ sp.cos(m * theta_i) ** 2", "+ sp.cos(m * theta_i) ** 3", Refuted),
    Mutant(
        "2i becomes 2i + 1 in the cosine",
        "+ sp.cos(m * theta_i) ** 2",
        "+ sp.cos(m * b ** (-(2 * i + 1) / d)) ** 2",
        Refuted,
    ),
    Mutant("the kernel of the sum", "sp.cos((m - n) * theta_i)", "sp.cos((m + n) * theta_i)", Refuted),
    Mutant("a sine with the exponent 2i + 1", "sp.sin(n * theta_i)", "sp.sin(n * b ** (-(2 * i + 1) / d))", Refuted),
    Mutant("the kernel loses its sines", "over_pairs(sines + cosines)", "over_pairs(cosines)", Refuted),
    Mutant("the kernel odd", "kernel(k), because=", "-kernel(k), because=", Refuted),
    Mutant("half angle lost", "4 * sp.sin(apart / 2) ** 2", "4 * sp.sin(apart) ** 2", Refuted),
    Mutant("a factor 4 becomes 2", "4 * sp.sin(apart / 2) ** 2", "2 * sp.sin(apart / 2) ** 2", Refuted),
    Mutant(
        "uniqueness without k ≠ 0",
        'sp.Symbol("k", integer=True, nonzero=True)',
        'sp.Symbol("k", integer=True)',
        Refuted,
    ),
    Mutant(
        "uniqueness for real k",
        'sp.Symbol("k", integer=True, nonzero=True)',
        'sp.Symbol("k", real=True, nonzero=True)',
        Undecided,
    ),
    Mutant("longest wavelength as the paper prints it", "2 * sp.pi * b ** ((d - 2) / d)", "2 * sp.pi * b", Refuted),
    Mutant(
        "wavelength: frequency in its place", "2 * sp.pi / b ** (-2 * i / d)", "2 * sp.pi * b ** (-2 * i / d)", Refuted
    ),
    Mutant("the last pair is d/2", "wavelength(d / 2 - 1)", "wavelength(d / 2)", Refuted),
    Mutant(
        "alpha and beta exchanged",
        "sp.cos(2 * beta * m) - sp.cos(2 * alpha * m)",
        "sp.cos(2 * alpha * m) - sp.cos(2 * beta * m)",
        Refuted,
    ),
    Mutant("double angle not doubled", "sp.cos(2 * beta * m)", "sp.cos(beta * m)", Refuted),
    Mutant("growth loses the position", "r**m * sp.Abs(z0)", "r * sp.Abs(z0)", Refuted),
    Mutant("Ω transposed", "[[0, theta], [-theta, 0]]", "[[0, -theta], [theta, 0]]", Refuted),
    Mutant("the flow runs backwards", "(Omega * t).exp()", "(-Omega * t).exp()", Refuted),
    Mutant(
        "log space without its minus", "sp.exp(-(2 * i / d) * sp.log(b))", "sp.exp((2 * i / d) * sp.log(b))", Refuted
    ),
    Mutant(
        "log space: base and frequency swapped", "sp.exp(-(2 * i / d) * sp.log(b))", "b * sp.exp(-(2 * i / d))", Refuted
    ),
    Mutant("determinant of a reflection", ".det()).step(1,", ".det()).step(-1,", Refuted),
]


class TestProofs(Proofs):
    chapter = "absolute/sinusoidal"
    mutants = MUTANTS
