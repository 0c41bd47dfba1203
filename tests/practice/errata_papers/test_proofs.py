"""The derivations of practice/errata-papers, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant("frequency to the first power", "theta**2 * hat(a(t))", "theta * hat(a(t))", Refuted),
    Mutant("the gap with the wrong sign", "theta**2 * hat(a(t))", "-(theta**2) * hat(a(t))", Refuted),
    Mutant("chord for the wave", "Derivation(a(m + u) - chord(u)", "Derivation(chord(u) - a(m + u)", Refuted),
    Mutant("the hat's area without its half", "u * (1 - u) / 2, because", "u * (1 - u), because", Refuted),
    Mutant("the hat's area for the whole square", "u * (1 - u) / 2, because", "u**2 / 2, because", Refuted),
    Mutant("the series ends one late", "step(1 - rho ** (d / 2)", "step(1 - rho ** (d / 2 + 1)", Refuted),
    Mutant("the power d instead of d/2", "step(1 - rho ** (d / 2)", "step(1 - rho**d", Refuted),
    Mutant("the last power added", "step(1 - rho ** (d / 2)", "step(1 + rho ** (d / 2)", Refuted),
    Mutant("the tangent above the curve", "above = sp.exp(y) - (1 + y)", "above = (1 + y) - sp.exp(y)", Refuted),
    Mutant("the kernel of the remainder turned round", "sp.Integral((y - t)", "sp.Integral((t - y)", Refuted),
    Mutant("the printed bound: without the one", "1 + 1 / y, because", "1 / y, because", Refuted),
    Mutant("the tangent at another point", "EXPONENTIAL.at(y)", "EXPONENTIAL.at(-y)", Undecided),
    Mutant("the bound on the other side", 'sign="≤", by=EXPONENTIAL.at(y)', 'sign="≥"', Refuted),
    Mutant("the fraction lost its one", "step(1 + 1 / (sp.exp(y) - 1)", "step(1 / (sp.exp(y) - 1)", Refuted),
    Mutant("the crest at a whole position", "sp.cos(k * theta / 2)", "sp.cos((k + 1) * theta / 2)", Refuted),
    Mutant("the chord of one end", "(crest(-1) + crest(1)) / 2, claim", "crest(1) / 2, claim", Refuted),
    Mutant("the angle not halved", '1 - sp.cos(theta / 2), because="1', '1 - sp.cos(theta), because="1', Refuted),
    Mutant("a sine for the cosine", '1 - sp.cos(theta / 2), because="1', '1 - sp.sin(theta / 2), because="1', Refuted),
    Mutant(
        "triangle inequality the wrong way",
        'because="triangle inequality", sign="≤"',
        'because="triangle inequality", sign="≥"',
        Refuted,
    ),
    Mutant("pairs counted as features", "step(H * d / 2", "step(H * d", Refuted),
    Mutant("one wave for all", "step(H * d / 2", "step(H", Refuted),
    Mutant("waves without a bound", "given=[h[i] <= H], claim", "given=[h[i] >= H], claim", Refuted),
    Mutant("waves that cancel do not count", "step(over_pairs(h[i])", "step(over_pairs(h[i] / 2)", Refuted),
]


class TestProofs(Proofs):
    chapter = "practice/errata-papers"
    mutants = MUTANTS
