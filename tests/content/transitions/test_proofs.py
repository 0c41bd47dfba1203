"""The derivations of content/transitions, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant("the first transition on the left", "q2.T * T2 * T1 * k0 * v0.T", "q2.T * T1 * T2 * k0 * v0.T", Refuted),
    Mutant("a token decays its own key", "q2.T * k2 * v2.T", "q2.T * T2 * k2 * v2.T", Refuted),
    Mutant(
        "the transition after the key is added",
        "T1 * (k0 * v0.T) + k1 * v1.T)",
        "T1 * (k0 * v0.T + k1 * v1.T))",
        Refuted,
    ),
    Mutant("the new factor on the right", "q_m.T * T * P * k_n * v_n.T", "q_m.T * P * T * k_n * v_n.T", Refuted),
    Mutant("only the key in question is carried on", "q_m.T * T * rest", "q_m.T * rest", Refuted),
    Mutant(
        "what the chunk wrote is not carried on",
        "(T * since + k_m * v_m.T), because",
        "(since + k_m * v_m.T), because",
        Refuted,
    ),
    Mutant("the old state is read after the last transition only", "q_m.T * (T * P) * S_c", "q_m.T * T * S_c", Refuted),
    Mutant("the product is applied in the other order", "q_m.T * (T * P) * S_c", "q_m.T * (P * T) * S_c", Refuted),
    Mutant("angles are subtracted", "R(Phi + phi), because", "R(Phi - phi), because", Refuted),
    Mutant("decays add up", "a * so_far * R(Phi", "(a + so_far) * R(Phi", Refuted),
    Mutant("rotary's own sense", "[[cos, sin], [-sin, cos]]", "[[cos, sin], [sin, cos]]", Refuted),
    Mutant("the decay once for the whole way", "gamma ** (t + 1) * R", "gamma * R", Refuted),
    Mutant("one step too few", "R((t + 1) * theta)", "R(t * theta)", Refuted),
    Mutant("features of any sign", 'sp.IndexedBase("e", positive=True)', 'sp.IndexedBase("e", real=True)', Refuted),
    Mutant("a whole turn before it", "pair.T * R(sp.pi) * pair", "pair.T * R(2 * sp.pi) * pair", Refuted),
    Mutant("a quarter turn before it", "pair.T * R(sp.pi) * pair", "pair.T * R(sp.pi / 2) * pair", Refuted),
    Mutant("they commute", "(c - a) * sp.sin(phi) * exchange", "sp.zeros(2, 2)", Refuted),
    Mutant("the sign of the difference", "(c - a) * sp.sin(phi)", "(a - c) * sp.sin(phi)", Refuted),
    Mutant(
        "the whole value, not a part of it",
        "(1 - weight) * k_m.T * old + weight * v_m.T",
        "(1 - weight) * k_m.T * old + v_m.T",
        Refuted,
    ),
    Mutant("nothing is erased", "(1 - weight) * k_m.T * old", "k_m.T * old", Refuted),
    Mutant("the key of any length", "given=[rule, unit]", "given=[rule]", Refuted),
    Mutant("beta is not squared", "weight * (2 - weight * kappa) * (x.T", "2 * weight * (x.T", Refuted),
    Mutant(
        "the length of the key forgotten",
        "weight * (2 - weight * kappa) * (x.T",
        "weight * (2 - weight) * (x.T",
        Refuted,
    ),
    Mutant("beta up to 3", "weight * kappa <= 2]", "weight * kappa <= 3]", Refuted),
    Mutant("beta below 0", "[weight >= 0, ", "[", Refuted),
    Mutant("a decay below 0", 'sp.IndexedBase("a", positive=True)', 'sp.IndexedBase("a", real=True)', Refuted),
    Mutant("beta of 1 for a mirror", "(1 - 2 * bit)", "(1 - bit)", Refuted),
    Mutant("a bit of 2", "given=[bit <= 1]", "given=[bit <= 2]", Refuted),
    Mutant("ones are multiplied", "(-1) ** (ones + bit)", "(-1) ** (ones * bit)", Refuted),
    Mutant("half a mirror, twice", "(I - 2 * k_m * k_m.T) * (I - 2", "(I - k_m * k_m.T) * (I - 2", Refuted),
]


class TestProofs(Proofs):
    chapter = "content/transitions"
    mutants = MUTANTS
