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
    Mutant("a key that is moved back", "    R(n + s) * k_pair, because", "    R(n - s) * k_pair, because", Refuted),
    Mutant("a key that is moved from 0", "    R(n + s) * k_pair, because", "    R(s) * k_pair, because", Refuted),
    Mutant("a moved key is further back", "R(m - n - s) * q_pair", "R(m - n + s) * q_pair", Refuted),
    Mutant("a moved key stays where it was", "R(m - n - s) * q_pair", "R(m - n) * q_pair", Refuted),
    Mutant("the error has the other sign", "m - n - c * (rank(m)", "m - n + c * (rank(m)", Refuted),
    Mutant("the error is one token a process", "m - n - c * (rank(m)", "m - n - (rank(m)", Refuted),
    Mutant("right on all processes", "given=here, ", "", Refuted),
    Mutant("striped tokens counted as contiguous", "sp.floor(z / c)", "sp.Mod(z, c)", Refuted),
    Mutant(
        "two shards off already at the next process", "    m - n - c, because", "    m - n - 2 * c, because", Refuted
    ),
    Mutant(
        "keys of an earlier process are too far", 'further at least", sign="≤"', 'further at least", sign="≥"', Refuted
    ),
]


class TestProofs(Proofs):
    chapter = "practice/serving"
    mutants = MUTANTS
