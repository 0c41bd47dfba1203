"""The derivations of foundations/order-blind, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant("the scores lose a transpose", "P * X * W_q * W_k.T * X.T * P.T", "P * X * W_q * W_k.T * X.T * P", Refuted),
    Mutant("queries and keys swapped", "P * X * W_q * W_k.T * X.T * P.T", "P * X * W_k * W_q.T * X.T * P.T", Refuted),
    Mutant(
        "divided by d, not by its root",
        "X.T * P.T / sp.sqrt(d),\n    because=",
        "X.T * P.T / d,\n    because=",
        Refuted,
    ),
    Mutant("the scores' rows reordered, not their columns", "step(P * S(X) * P.T", "step(P * S(X)", Refuted),
    Mutant("P on both sides of the scores", "step(P * S(X) * P.T", "step(P * S(X) * P", Refuted),
    Mutant(
        "the softmax over the queries",
        "over_keys(sp.exp(score[pi(i), l])),\n    because",
        "over_keys(sp.exp(score[l, pi(j)])),\n    because",
        Refuted,
    ),
    Mutant("the weights said to be invariant", "step(weight(pi(i), pi(j))", "step(weight(i, j)", Refuted),
    Mutant("the weights transposed", "step(weight(pi(i), pi(j))", "step(weight(pi(j), pi(i))", Refuted),
    Mutant("only the numerator reordered", "step(weight(pi(i), pi(j))", "step(weight(i, pi(j))", Refuted),
    Mutant("the output said to be invariant", "step(P * (A * X * W_v)", "step(A * X * W_v", Refuted),
    Mutant("the permutation left inside", "step(P * (A * X * W_v)", "step(A * (P * X * W_v)", Refuted),
    Mutant(
        "a permutation taken for its own inverse",
        "(P * A * P.T) * (P * X * W_v)",
        "(P * A * P) * (P * X * W_v)",
        Refuted,
    ),
    Mutant("a sum for a mean", "step(ones.T * Y / n", "step(ones.T * Y", Refuted),
    Mutant(
        "the rows of P for its columns", "given=[sp.Eq(ones.T * P, ones.T)]", "given=[sp.Eq(P * ones, ones)]", Undecided
    ),
    Mutant("the query's scores reordered the wrong way", "step(s(X) * P.T", "step(s(X) * P", Refuted),
    Mutant("the query's scores said to be invariant", "step(s(X) * P.T", "step(s(X)", Refuted),
    Mutant("weights and values reordered alike", "(a * P.T) * (P * V)", "(a * P) * (P * V)", Refuted),
    Mutant(
        "the token itself not counted",
        "sp.KroneckerDelta(j, 1) / t, (j, 1, t)",
        "sp.KroneckerDelta(j, 1) / (t + 1), (j, 1, t)",
        Refuted,
    ),
    Mutant(
        "the marker out of sight",
        "sp.KroneckerDelta(j, 1) / t, (j, 1, t)",
        "sp.KroneckerDelta(j, 1) / t, (j, 2, t)",
        Refuted,
    ),
    Mutant("the clock counts from 0", "step(1 / t, because", "step(1 / (t + 1), because", Refuted),
    Mutant("the clock's step on the wrong side", "1 / (t * (t + 1))", "1 / (t * (t - 1))", Refuted),
    Mutant("the clock runs forwards", "Derivation(1 / t - 1 / (t + 1)", "Derivation(1 / (t + 1) - 1 / t", Refuted),
    Mutant("the text moved the other way", "text(m - shift + k)", "text(m + shift + k)", Refuted),
    Mutant("the convolution mirrored", "text(m - shift + k)", "text(m - shift - k)", Refuted),
    Mutant("the middle weight counted as missing", "(k, -r, -1)", "(k, -r, 0)", Refuted),
    Mutant("the right side missing", "(k, -r, -1)", "(k, 1, r)", Refuted),
    Mutant("the recurrence with its tokens swapped", "(keep - 1) * (u - v)", "(keep - 1) * (v - u)", Refuted),
    Mutant("the recurrence forgets the new token", "(keep - 1) * (u - v)", "keep * (u - v)", Refuted),
    Mutant("the codes move with the tokens", "P * E - E, because", "0 * E, because", Refuted),
    Mutant("the codes' difference the wrong way round", "P * E - E, because", "E - P * E, because", Refuted),
    Mutant("only one index read backwards", "bias(n - 1 - i, n - 1 - j)", "bias(n - 1 - i, j)", Refuted),
    Mutant("a signed distance read backwards", '"B", lambda i, j: -sp.Abs(i - j)', '"B", lambda i, j: i - j', Refuted),
]


class TestProofs(Proofs):
    chapter = "foundations/order-blind"
    mutants = MUTANTS
