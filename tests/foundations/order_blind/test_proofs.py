"""The derivations of foundations/order-blind, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant(
        "the values left in place",
        "sp.exp(S[pi(m), pi(n)]) * v[pi(n)]) / below",
        "sp.exp(S[pi(m), pi(n)]) * v[n]) / below",
        Undecided,
    ),
    Mutant(
        "only the columns of the scores reordered",
        "over_keys(sp.exp(S[pi(m), pi(n)]) * v[pi(n)]) / below",
        "over_keys(sp.exp(S[m, pi(n)]) * v[pi(n)]) / below",
        Undecided,
    ),
    Mutant(
        "a sum over some of the keys",
        "any_order = forall((f,), sp.Eq(over_keys(f[pi(n)]), over_keys(f[n])))",
        "any_order = forall((f,), sp.Eq(over_keys(f[pi(n)]), sp.Sum(f[n], (n, 1, N - 1))))",
        Refuted,
    ),
    Mutant(
        "the softmax over the queries",
        "above / over_keys(sp.exp(S[pi(m), n])),",
        "above / over_keys(sp.exp(S[n, pi(m)])),",
        Refuted,
    ),
    Mutant("the output said to stay in its place", "step(y(pi(m)), because", "step(y(m), because", Undecided),
    Mutant("the output said to be invariant", "step(P * (A * X * W_v)", "step(A * X * W_v", Refuted),
    Mutant("the scores lose a transpose", "P * X * W_q * W_k.T * X.T * P.T", "P * X * W_q * W_k.T * X.T * P", Refuted),
    Mutant("queries and keys swapped", "P * X * W_q * W_k.T * X.T * P.T", "P * X * W_k * W_q.T * X.T * P.T", Refuted),
    Mutant(
        "divided by d, not by its root",
        "X.T * P.T / sp.sqrt(d),\n    because=",
        "X.T * P.T / d,\n    because=",
        Refuted,
    ),
    Mutant("the scores' rows reordered, not their columns", "step(P * scores(X) * P.T", "step(P * scores(X)", Refuted),
    Mutant("P on both sides of the scores", "step(P * scores(X) * P.T", "step(P * scores(X) * P", Refuted),
    Mutant("the weights said to be invariant", "weight(pi(m), pi(l)),", "weight(m, l),", Undecided),
    Mutant("the weights transposed", "weight(pi(m), pi(l)),", "weight(pi(l), pi(m)),", Refuted),
    Mutant("only the numerator reordered", "weight(pi(m), pi(l)),", "weight(m, pi(l)),", Undecided),
    Mutant("the permutation left inside", "step(P * (A * X * W_v)", "step(A * (P * X * W_v)", Refuted),
    Mutant(
        "a permutation taken for its own inverse",
        "(P * A * P.T) * (P * X * W_v)",
        "(P * A * P) * (P * X * W_v)",
        Refuted,
    ),
    Mutant(
        "values that do not move, for a query from outside",
        "sp.exp(s[pi(n)]) * v[pi(n)]) /",
        "sp.exp(s[pi(n)]) * v[n]) /",
        Undecided,
    ),
    Mutant(
        "scores that do not move, for a query from outside",
        "sp.exp(s[pi(n)]) * v[pi(n)]) /",
        "sp.exp(s[n]) * v[pi(n)]) /",
        Undecided,
    ),
    Mutant(
        "an answer without its denominator",
        "over_keys(sp.exp(s[n]) * v[n]) / over_keys(sp.exp(s[n])),",
        "over_keys(sp.exp(s[n]) * v[n]),",
        Refuted,
    ),
    Mutant("a sum for a mean", "step(ones.T * Y / N", "step(ones.T * Y", Refuted),
    Mutant(
        "the rows of P for its columns", "given=[sp.Eq(ones.T * P, ones.T)]", "given=[sp.Eq(P * ones, ones)]", Undecided
    ),
    Mutant("the query's scores reordered the wrong way", "step(row(X) * P.T", "step(row(X) * P", Refuted),
    Mutant("the query's scores said to be invariant", "step(row(X) * P.T", "step(row(X)", Refuted),
    Mutant("weights and values reordered alike", "(a * P.T) * (P * V)", "(a * P) * (P * V)", Refuted),
    Mutant(
        "the token itself not counted",
        "sp.KroneckerDelta(n, 1) / t, (n, 1, t)",
        "sp.KroneckerDelta(n, 1) / (t + 1), (n, 1, t)",
        Refuted,
    ),
    Mutant(
        "the marker out of sight",
        "sp.KroneckerDelta(n, 1) / t, (n, 1, t)",
        "sp.KroneckerDelta(n, 1) / t, (n, 2, t)",
        Refuted,
    ),
    Mutant("the clock counts from 0", "step(1 / t, because", "step(1 / (t + 1), because", Refuted),
    Mutant("the clock's step on the wrong side", "1 / (t * (t + 1))", "1 / (t * (t - 1))", Refuted),
    Mutant("the clock runs forwards", "Derivation(1 / t - 1 / (t + 1)", "Derivation(1 / (t + 1) - 1 / t", Refuted),
    Mutant("the text moved the other way", "text(at - shift + j)", "text(at + shift + j)", Refuted),
    Mutant("the convolution mirrored", "text(at - shift + j)", "text(at - shift - j)", Refuted),
    Mutant("the middle weight counted as missing", "(j, -r, -1)", "(j, -r, 0)", Refuted),
    Mutant("the right side missing", "(j, -r, -1)", "(j, 1, r)", Refuted),
    Mutant("the recurrence with its tokens swapped", "(keep - 1) * (x_1 - x_2)", "(keep - 1) * (x_2 - x_1)", Refuted),
    Mutant("the recurrence forgets the new token", "(keep - 1) * (x_1 - x_2)", "keep * (x_1 - x_2)", Refuted),
    Mutant("the codes move with the tokens", "P * E - E, because", "0 * E, because", Refuted),
    Mutant("the codes' difference the wrong way round", "P * E - E, because", "E - P * E, because", Refuted),
    Mutant("only one index read backwards", "bias(N - 1 - m, N - 1 - n)", "bias(N - 1 - m, n)", Refuted),
    Mutant("a signed distance read backwards", '"B", lambda m, n: -sp.Abs(m - n)', '"B", lambda m, n: m - n', Refuted),
]


class TestProofs(Proofs):
    chapter = "foundations/order-blind"
    mutants = MUTANTS
