"""The derivations of relative/transformer-xl, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant("the cosine is odd", "2 * b * sp.cos(x * theta), because", "0, because", Refuted),
    Mutant(
        "the even part lost its factor 2",
        "2 * b * sp.cos(x * theta), because",
        "b * sp.cos(x * theta), because",
        Refuted,
    ),
    Mutant("the sines stay in the sum", "2 * b * sp.cos(x * theta), because", "2 * f(x), because", Refuted),
    Mutant(
        "the odd part is made of cosines",
        "2 * a * sp.sin(x * theta), because",
        "2 * a * sp.cos(x * theta), because",
        Refuted,
    ),
    Mutant("the sine is even", "2 * a * sp.sin(x * theta), because", "0, because", Refuted),
    Mutant("the cosines flipped in place of the sines", "sp.diag(-1, 1)", "sp.diag(1, -1)", Refuted),
    Mutant("both flipped", "sp.diag(-1, 1)", "sp.diag(-1, -1)", Refuted),
    Mutant("the sign of the distance does not matter", "p(n - m) * flip", "p(n - m)", Refuted),
    Mutant(
        "cosine first",
        "sp.Matrix([[sp.sin(x * theta), sp.cos(x * theta)]])",
        "sp.Matrix([[sp.cos(x * theta), sp.sin(x * theta)]])",
        Refuted,
    ),
    Mutant("a table without the future", "width = n_q + n_k - 1", "width = n_k", Refuted),
    Mutant("one column too many", "width = n_q + n_k - 1", "width = n_q + n_k", Refuted),
    Mutant(
        "padding forgotten in the length of a row",
        "i * (n_q + n_k) + rest(i, j),",
        "i * (n_q + n_k - 1) + rest(i, j),",
        Refuted,
    ),
    Mutant("the rest with the wrong sign of i", "lambda i, j: n_q - i + j", "lambda i, j: n_q + i + j", Refuted),
    Mutant(
        "one too few dropped",
        "Derivation(n_q + i * width + j, claim",
        "Derivation(n_q - 1 + i * width + j, claim",
        Refuted,
    ),
    Mutant("a row too many", "given=[i <= n_q - 1], claim", "given=[i <= n_q], claim", Refuted),
    Mutant("a key too many", "given=[j <= n_k - 1], claim", "given=[j <= n_k], claim", Refuted),
    Mutant("as many keys as distances", "given=[j <= n_k - 1], claim", "given=[j <= n_q + n_k - 2], claim", Refuted),
    Mutant("the first column is XLNet's", "lambda c: n_k - 1 - c", "lambda c: n_k - c", Refuted),
    Mutant("key less query", "lambda c: n_k - 1 - c", "lambda c: c - (n_k - 1)", Refuted),
    Mutant("queries from the start", "(i + n_k - n_q) - j, because", "i - j, because", Refuted),
    Mutant(
        "the padding counted as a column",
        "    distance_of(rest(i, j) - 1), claim",
        "    distance_of(rest(i, j)), claim",
        Refuted,
    ),
    Mutant("the right order is refuted", "lambda c: c)", "lambda c: n_k - 1 - c)", Undecided),
    Mutant("without memory", "lambda s, N: (s - N) * L", "lambda s, N: s * L - N", Refuted),
    Mutant("half a segment a layer", "lambda s, N: (s - N) * L", "lambda s, N: s * L - N * L / 2", Refuted),
    Mutant("the segment after", "Derivation(earliest(s - 1, N)", "Derivation(earliest(s + 1, N)", Refuted),
    Mutant("layers do not add up", "    earliest(s, N + 1), because", "    earliest(s, N), because", Refuted),
    Mutant("the reach without the place in the segment", "    N * L + t, because", "    N * L, because", Refuted),
    Mutant("a segment too many", "    N * L + t, because", "    (N + 1) * L + t, because", Refuted),
    Mutant("turned clockwise", "sp.Matrix([[cos, -sin], [sin, cos]])", "sp.Matrix([[cos, sin], [-sin, cos]])", Refuted),
    Mutant("the key's sinusoid with the wrong sign", "p(-n) * R(m) * y", "p(n) * R(m) * y", Refuted),
    Mutant("the query turned by the distance", "p(-n) * R(m) * y", "p(-n) * R(m - n) * y", Refuted),
]


class TestProofs(Proofs):
    chapter = "relative/transformer-xl"
    mutants = MUTANTS
