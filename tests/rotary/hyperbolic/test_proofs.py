"""The derivations of rotary/hyperbolic, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant("relative as rotary is", "key.T * B(m + n) * query", "key.T * B(m - n) * query", Refuted),
    Mutant(
        "the inverse, and the sum", "key.T * B(m - n) * query, because", "key.T * B(m + n) * query, because", Refuted
    ),
    Mutant("the usual product", "key.T * J * B(m - n) * query", "key.T * B(m - n) * query", Refuted),
    Mutant("the wrong matrix between", "J = sp.diag(1, -1)", "J = sp.diag(1, 1)", Refuted),
    Mutant("one part for both", "(first * a**t + second * a**-t)", "(first + second) * a**t", Refuted),
    Mutant("the two parts exchanged", "(first * a**t + second * a**-t)", "(second * a**t + first * a**-t)", Refuted),
    Mutant("the difference of one side only", "(q0 - q1) * (k0 - k1) / 2", "(q0 - q1) * (k0 + k1) / 2", Refuted),
    Mutant("the slower bound without a condition", "given=[a >= 1], claim", "given=[a <= 1], claim", Refuted),
    Mutant(
        "the smaller part alone", "(sp.Abs(c1) + sp.Abs(c2)) * a**t, because", "sp.Abs(c1) * a**t, because", Refuted
    ),
    Mutant(
        "it falls",
        'step(0, because="no factor is negative", sign="≥")',
        'step(0, because="no factor is negative", sign="≤")',
        Refuted,
    ),
    Mutant("growth for decay", "given=[r1 <= 1, r2 <= 1]", "given=[r1 >= 1, r2 >= 1]", Refuted),
    Mutant("one factor too many", "(1 - r1) * r1**t / 2", "(1 - r1) * r1 ** (t + 1) / 2", Refuted),
]


class TestProofs(Proofs):
    chapter = "rotary/hyperbolic"
    mutants = MUTANTS
