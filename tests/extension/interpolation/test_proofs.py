"""The derivations of extension/interpolation, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant("frequencies multiplied by the factor", "lambda i: freq(i) / s", "lambda i: freq(i) * s", Refuted),
    Mutant("the factor on both", "(m / s) * freq(i), claim", "(m / s) * squeezed(i), claim", Refuted),
    Mutant("no squeeze at all", "m * squeezed(i), because", "m * freq(i), because", Refuted),
    Mutant(
        "an exponent without its sign, on one side",
        "m * squeezed(i), because",
        "m * b ** (2 * i / d) / s, because",
        Refuted,
    ),
    Mutant("kernel stretched the other way", "sp.cos((r / s) * freq(i))", "sp.cos((r * s) * freq(i))", Refuted),
    Mutant("kernel of sines", "over_pairs(sp.cos(r * squeezed(i)))", "over_pairs(sp.sin(r * squeezed(i)))", Refuted),
    Mutant("kernel divided by the factor", "sp.cos((r / s) * freq(i))", "sp.cos(r * freq(i)) / s", Refuted),
]


class TestProofs(Proofs):
    chapter = "extension/interpolation"
    mutants = MUTANTS
