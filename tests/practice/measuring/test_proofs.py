"""The derivations of practice/measuring, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant("the window begins a stride later", "(t - w) / s) + 1", "(t - w) / s) + 2", Refuted),
    Mutant("the remainder of t itself", "w - s + sp.Mod(t - w, s)", "w - s + sp.Mod(t, s)", Refuted),
    Mutant("the least context is the stride", ".step(w - s, because", ".step(s, because", Refuted),
    Mutant("a token sees the whole window", "    w - 1, because=", "    w - 2, because=", Refuted),
    Mutant("the mean is the middle of the window", "w - (s + 1) / 2", "w - s / 2", Refuted),
    Mutant("losses that rise with the context", "ell(x + u) <= ell(x)", "ell(x + u) >= ell(x)", Refuted),
    Mutant("one more term, divided by as many", "(i, 0, s)) / (s + 1)", "(i, 0, s)) / s", Refuted),
    Mutant("whatever the new term is", "given=[L <= l], ", "", Refuted),
    Mutant("the mean goes down", 'term is no smaller", sign="≥"', 'term is no smaller", sign="≤"', Refuted),
    Mutant("the cliff is one token wider", "sp.exp(k * delta / N)", "sp.exp((k + 1) * delta / N)", Refuted),
    Mutant("the damage is not shared out", "sp.exp(k * delta / N)", "sp.exp(k * delta)", Refuted),
    Mutant(
        "the share that is kept, not lost",
        '-eps, because="divide by $B > 0$", sign="≥"',
        '1 - eps, because="divide by $B > 0$", sign="≥"',
        Refuted,
    ),
    Mutant("the base may be anything", "S_n >= (1 - eps) * B", "S_n >= (1 - eps) * B / 2", Refuted),
    Mutant("scores are moved, not scaled", "(f * S_n - f * B) / (f * B)", "(S_n + f - B - f) / (B + f)", Refuted),
]


class TestProofs(Proofs):
    chapter = "practice/measuring"
    mutants = MUTANTS
