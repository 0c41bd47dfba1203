"""The derivations of rotary/xpos, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant("keys shrink too", "theta + rho * (n - c))", "theta - rho * (n - c))", Refuted),
    Mutant("the key is rotated backwards", "sp.exp(sp.I * n * theta +", "sp.exp(-sp.I * n * theta +", Refuted),
    Mutant("only the query has a centre", "rho * (n - c))\nrotary", "rho * n)\nrotary", Refuted),
    Mutant("decay with the wrong sign", "sp.exp(-rho * (m - n)) * rotary", "sp.exp(rho * (m - n)) * rotary", Refuted),
    Mutant("key not conjugated", "q * sp.conjugate(k) * sp.exp", "q * k * sp.exp", Refuted),
    Mutant(
        "decay forgotten in the ceiling",
        "score = over(a[i] * sp.exp(-rate[i] * t) * wave)",
        "score = over(a[i] * wave)",
        Refuted,
    ),
    Mutant(
        "lengths may be negative", 'sp.IndexedBase("a", nonnegative=True)', 'sp.IndexedBase("a", real=True)', Refuted
    ),
    Mutant(
        "the ceiling rises",
        'because="each factor is below 1", sign="≤"',
        'because="each factor is below 1", sign="≥"',
        Refuted,
    ),
    Mutant("a step back", "sp.exp(-rate[i] * (t + 1))", "sp.exp(-rate[i] * (t - 1))", Refuted),
    Mutant(
        "all of the length",
        '(L - 1) / sp.Integer(2), because="triangle inequality"',
        '(L - 1), because="triangle inequality"',
        Refuted,
    ),
    Mutant("the sum is the mean", "(sp.Abs(c) + sp.Abs(L - 1 - c)) / 2,", "sp.Abs(c) + sp.Abs(L - 1 - c),", Refuted),
    Mutant("centre at the start", "sp.Abs(p - (L - 1) / sp.Integer(2)),", "sp.Abs(p),", Refuted),
    Mutant("a position outside the text", "p <= L - 1]", "p <= L]", Refuted),
    Mutant(
        "two centres, the other way round",
        "sp.exp(rho * (c - other)) * sp.exp",
        "sp.exp(rho * (other - c)) * sp.exp",
        Refuted,
    ),
    Mutant("two centres cancel as well", "sp.exp(rho * (c - other)) * sp.exp(-rho", "sp.exp(-rho", Refuted),
    Mutant(
        "each pair keeps its rate in the sum",
        "sp.exp(-rho * s) * over(a[i] * sp.exp(-rho * t) * turned)",
        "over(a[i] * sp.exp(-rho * t) * turned)",
        Refuted,
    ),
]


class TestProofs(Proofs):
    chapter = "rotary/xpos"
    mutants = MUTANTS
