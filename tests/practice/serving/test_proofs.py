"""The derivations of practice/serving, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant("keys alone are shifted", "S(n, m + shift, p[n] + shift)", "S(n, m, p[n] + shift)", Undecided),
    Mutant("the query alone is shifted", "S(n, m + shift, p[n] + shift)", "S(n, m + shift, p[n])", Undecided),
    Mutant("scores are not said to be relative", ", by=relative.at(n, m, p[n], s)", "", Undecided),
    Mutant(
        "relative at another shift only",
        "by=relative.at(n, m, p[n], s)",
        "by=relative.at(n, m, p[n], 2 * s)",
        Undecided,
    ),
    Mutant(
        "scores that see the sum of positions",
        "S(i, x + t, y + t), S(i, x, y)",
        "S(i, x + t, y - t), S(i, x, y)",
        Refuted,
    ),
]


class TestProofs(Proofs):
    chapter = "practice/serving"
    mutants = MUTANTS
