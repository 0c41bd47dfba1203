"""The derivations of extension/why-it-breaks, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant("the wavelength without 2π", "2 * sp.pi * b ** (2 * i / d)", "b ** (2 * i / d)", Refuted),
    Mutant(
        "the frequency for the wavelength", "2 * sp.pi * b ** (2 * i / d)", "2 * sp.pi * b ** (-2 * i / d)", Refuted
    ),
    Mutant("positions per turn left out of the logarithm", "sp.log(L / (2 * sp.pi))", "sp.log(L)", Refuted),
    Mutant("features for pairs", "critical = d / 2 * ", "critical = d * ", Refuted),
    Mutant("critical the other way round", "b ** (2 * (i - i_c) / d)", "b ** (2 * (i_c - i) / d)", Refuted),
    Mutant("one distance too early", "K(1707)", "K(1706)", Refuted),
    Mutant("one distance too late", "K(1707)", "K(1708)", Refuted),
    Mutant("another base", "10_000 ** -sp", "500_000 ** -sp", Refuted),
    Mutant("a doubling doubles", "critical.subs(L, 2 * L) - critical", "critical.subs(L, 2 * L) / critical", Refuted),
    Mutant("a doubling saves as many features", "d / 2 * sp.log(2) / sp.log(b)", "d * sp.log(2) / sp.log(b)", Refuted),
    Mutant("all pairs make a full turn", "[b > 1, i <= border]", "[b > 1, i <= border + 1]", Refuted),
    Mutant("the border makes no full turn", "[b > 1, i > border]", "[b > 1, i >= border]", Refuted),
    Mutant(
        "the power turned round", "share = b ** (2 * (i - border) / d)", "share = b ** (2 * (border - i) / d)", Refuted
    ),
]


class TestProofs(Proofs):
    chapter = "extension/why-it-breaks"
    mutants = MUTANTS
