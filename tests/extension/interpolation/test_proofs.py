"""The derivations of extension/interpolation, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant("frequencies multiplied by the factor", "freq(j) / s)\nDerivation", "freq(j) * s)\nDerivation", Refuted),
    Mutant("the factor on both", "(m / s) * freq(j), claim", "(m / s) * squeezed(j), claim", Refuted),
    Mutant("no squeeze at all", "m * squeezed(j), because", "m * freq(j), because", Refuted),
    Mutant(
        "an exponent without its sign, on one side",
        "m * squeezed(j), because",
        "m * c ** (2 * j / d) / s, because",
        Refuted,
    ),
    Mutant("kernel stretched the other way", 'K(r / s), because="each', 'K(r * s), because="each', Refuted),
    Mutant("kernel of sines", "over_pairs(sp.cos(r * squeezed(j)))", "over_pairs(sp.sin(r * squeezed(j)))", Refuted),
    Mutant("kernel divided by the factor", 'K(r / s), because="each', 'K(r) / s, because="each', Refuted),
    Mutant("frequency to the first power", "theta**2 * hat(a(t))", "theta * hat(a(t))", Refuted),
    Mutant("the gap with the wrong sign", "theta**2 * hat(a(t))", "-(theta**2) * hat(a(t))", Refuted),
    Mutant("chord for the wave", "Derivation(a(m + u) - chord(u)", "Derivation(chord(u) - a(m + u)", Refuted),
    Mutant("the hat's area without its half", "u * (1 - u) / 2, because", "u * (1 - u), because", Refuted),
    Mutant("the hat's area for the whole square", "u * (1 - u) / 2, because", "u**2 / 2, because", Refuted),
    Mutant("the series ends one late", "(1 - q ** (d / 2)", "(1 - q ** (d / 2 + 1)", Refuted),
    Mutant("the power d instead of d/2", "(1 - q ** (d / 2)", "(1 - q**d", Refuted),
    Mutant("the last power added", "(1 - q ** (d / 2)", "(1 + q ** (d / 2)", Refuted),
    Mutant("the tangent above the curve", "above = sp.exp(y) - (1 + y)", "above = (1 + y) - sp.exp(y)", Refuted),
    Mutant("the kernel of the remainder turned round", "sp.Integral((y - t)", "sp.Integral((t - y)", Refuted),
    Mutant("the printed bound: without the one", 'step(1 + 1 / y, because="E', 'step(1 / y, because="E', Refuted),
    Mutant("the hypothesis the wrong way round", "given=[E >= 1 + y]", "given=[E <= 1 + y]", Refuted),
    Mutant("the fraction lost its one", "step(1 + 1 / (E - 1)", "step(1 / (E - 1)", Refuted),
    Mutant(
        "the crest at a whole position", "crest = sp.exp(sp.I * theta / 2)", "crest = sp.exp(sp.I * theta)", Refuted
    ),
    Mutant("the angle not halved", '1 - sp.cos(theta / 2), because="a', '1 - sp.cos(theta), because="a', Refuted),
    Mutant("a sine for the cosine", '1 - sp.cos(theta / 2), because="a', '1 - sp.sin(theta / 2), because="a', Refuted),
    Mutant(
        "triangle inequality the wrong way",
        'because="triangle inequality", sign="≤"',
        'because="triangle inequality", sign="≥"',
        Refuted,
    ),
    Mutant("pairs counted as features", "step(H * d / 2", "step(H * d", Refuted),
    Mutant("one wave for all", "step(H * d / 2", "step(H", Refuted),
    Mutant("waves without a bound", "given=[sp.Abs(h[j]) <= H], claim", "given=[sp.Abs(h[j]) >= H], claim", Refuted),
]


class TestProofs(Proofs):
    chapter = "extension/interpolation"
    mutants = MUTANTS
