"""The derivations of content/counts, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant("the distance, without the query itself", "m - n + 1, because", "m - n, because", Refuted),
    Mutant("the distance with the other sign", "m - n + 1, because", "n - m + 1, because", Refuted),
    Mutant(
        "the sum begins after the key",
        "sp.Sum(g[m, l], (l, n, m)))\nshares",
        "sp.Sum(g[m, l], (l, n + 1, m)))\nshares",
        Refuted,
    ),
    Mutant("gates above one", "g[m, n] <= 1]", "g[m, n] <= 2]", Refuted),
    Mutant(
        "the step is at least one",
        'because="a gate is at most 1", sign="≤"',
        'because="a gate is at most 1", sign="≥"',
        Refuted,
    ),
    Mutant(
        "a gate is never above 0",
        'because="a gate is not negative", sign="≥"',
        'because="a gate is not negative", sign="≤"',
        Refuted,
    ),
    Mutant(
        "the shares exchanged", "(1 - w) * with_query(below[c]) + w *", "w * with_query(below[c]) + (1 - w) *", Refuted
    ),
    Mutant(
        "shares that do not sum to one", "(1 - w) * with_query(below[c]) + w *", "with_query(below[c]) + w *", Refuted
    ),
    Mutant("one gate for both queries", "g[m, n] - g[j, n], because", "g[m, n] - g[m, n], because", Refuted),
    Mutant("the next key's gates", "g[m, n] - g[j, n], because", "g[m, n + 1] - g[j, n + 1], because", Refuted),
    Mutant(
        "the ratio of the gates, not of their odds",
        "odds(s_n) / odds(s_j), because",
        "sigma(s_n) / sigma(s_j), because",
        Refuted,
    ),
    Mutant("the odds upside down", "odds(s_n) / odds(s_j), because", "odds(s_j) / odds(s_n), because", Refuted),
    Mutant("the table for one key only", "sp.exp(s_n + z) / sp.exp(s_j + z)", "sp.exp(s_n + z) / sp.exp(s_j)", Refuted),
    Mutant("the first number is 0", "a(t) - 1, because", "a(t), because", Refuted),
    Mutant("places that begin at 1", "M - a(t), because", "M - a(t) + 1, because", Refuted),
    Mutant("the units at the start after all", "M - a(t), because", "a(t) - 1, because", Refuted),
    Mutant("the query's own segment too", "(j, T, S - 1)),\n    because", "(j, T, S)),\n    because", Refuted),
    Mutant("without the key's segment", "(j, T, S - 1)),\n    because", "(j, T + 1, S - 1)),\n    because", Refuted),
    Mutant("the places exchanged", "i - k + sp.Sum", "k - i + sp.Sum", Refuted),
]


class TestProofs(Proofs):
    chapter = "content/counts"
    mutants = MUTANTS
