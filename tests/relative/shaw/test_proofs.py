"""The derivations of relative/shaw, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant(
        "the relative vector is not scaled",
        "content + query * (e * T).T / sp.sqrt(d)",
        "content + query * (e * T).T",
        Refuted,
    ),
    Mutant("scaled twice", "content + query * (e * T).T / sp.sqrt(d)", "content + query * (e * T).T / d", Refuted),
    Mutant("the key's score lost", "content + s(T) * e.T", "s(T) * e.T", Refuted),
    Mutant("the key in place of the query", "content + s(T) * e.T", "content + key * T.T * e.T / sp.sqrt(d)", Refuted),
    Mutant("the value term lost", "A * V + A * Z * T, because", "A * V, because", Refuted),
    Mutant(
        "the value vectors are not weighed",
        "Derivation(A * (V + Z * T)",
        "Derivation(A * V + sp.OneMatrix(1, N) * Z * T",
        Refuted,
    ),
    Mutant("the values not weighed twice", "A * V + w(Z) * T", "A * V + 2 * w(Z) * T", Refuted),
    Mutant("clip with max and min exchanged", "sp.Max(-K, sp.Min(delta, K))", "sp.Min(-K, sp.Max(delta, K))", Refuted),
    Mutant("clip to K - 1", "sp.Max(-K, sp.Min(delta, K))", "sp.Max(-K, sp.Min(delta, K - 1))", Refuted),
    Mutant(
        "beyond the reach nothing is added", 'K, because="beyond the reach"', '0, because="beyond the reach"', Refuted
    ),
    Mutant("ahead of the reach, sign lost", '-K, because="the same ahead"', 'K, because="the same ahead"', Refuted),
    Mutant("clip of a near distance is the reach", 'delta, because="within', 'K, because="within', Refuted),
    Mutant("the other side has no sign", 'delta, because="within', 'sp.Abs(delta), because="within', Refuted),
    Mutant("the reach is one less", "given=[delta >= K]", "given=[delta >= K - 1]", Refuted),
    Mutant("one beyond the reach has its own row", "delta <= K]", "delta <= K + 1]", Refuted),
    Mutant("more queries than keys", "n_q <= n_k]", "n_q <= n_k + 3]", Undecided),
    Mutant("a reach of one is one row", "given=[sp.Eq(K, 0)]", "given=[sp.Eq(K, 1)]", Refuted),
    Mutant("the softmax sees the number", "over_keys(sp.exp(S[l] + g))", "over_keys(sp.exp(S[l]))", Refuted),
    Mutant(
        "weights that add up to something else",
        "sp.Eq(A * ones, sp.Identity(1))",
        "sp.Eq(A * ones, 2 * sp.Identity(1))",
        Refuted,
    ),
    Mutant("the output does not move", 'A * V + b, because="the weights', 'A * V, because="the weights', Refuted),
    Mutant(
        "padding forgotten in the length of a row",
        "i * (n_k + 1) + u(i, j), because",
        "i * n_k + u(i, j), because",
        Refuted,
    ),
    Mutant("rows of n_q", "i * (n_k + 1) + u(i, j), because", "i * (n_q + 1) + u(i, j), because", Refuted),
    Mutant("the rest with the wrong sign of i", "lambda i, j: n_q - i + j", "lambda i, j: n_q + i + j", Refuted),
    Mutant(
        "one too few dropped",
        'Derivation(lambda: n_q + i * n_k + j, claim="shaw.skew")',
        'Derivation(lambda: n_q - 1 + i * n_k + j, claim="shaw.skew")',
        Refuted,
    ),
    Mutant("a row too many", "given=[i <= n_q - 1], claim", "given=[i <= n_q], claim", Refuted),
    Mutant("the key one later", "given=[j <= i + n_k - n_q]", "given=[j <= i + n_k - n_q + 1]", Refuted),
    Mutant("queries from the start", "lambda: (i + n_k - n_q) - j, because", "i - j, because", Refuted),
    Mutant("key less query", "lambda: (i + n_k - n_q) - j, because", "j - (i + n_k - n_q), because", Refuted),
    Mutant("the last column stands for 1", "lambda c: n_k - 1 - c", "lambda c: n_k - c", Refuted),
    Mutant(
        "the rubbish is the query's own", "(i + 1) * (n_k + 1) + later(i, j)", "i * (n_k + 1) + later(i, j)", Refuted
    ),
    Mutant(
        "the rubbish is one further on",
        "lambda i, j: j - (i + n_k - n_q) - 1",
        "lambda i, j: j - (i + n_k - n_q)",
        Refuted,
    ),
    Mutant("also where the key is the query", "given=[j > i + n_k - n_q]", "given=[j >= i + n_k - n_q]", Refuted),
    Mutant("the right padding is right", "refute(column_for(u(i, j)),", "refute(column_for(u(i, j) - 1),", Undecided),
    Mutant("a common vector is not scaled", "+ query * z.T / sp.sqrt(d)", "+ query * z.T", Refuted),
]


class TestProofs(Proofs):
    chapter = "relative/shaw"
    mutants = MUTANTS
