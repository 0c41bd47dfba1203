"""The derivations of foundations/transformer, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant(
        "independence, a factor lost",
        'variance = mean("q^2") * mean("k^2") - (mean("q") * mean("k")) ** 2',
        'variance = mean("q^2") * mean("k^2") - mean("q") * mean("k")',
        Refuted,
    ),
    Mutant(
        "independence, sign",
        'variance = mean("q^2") * mean("k^2") - (mean("q") * mean("k")) ** 2',
        'variance = mean("q^2") * mean("k^2") + (mean("q") * mean("k")) ** 2',
        Refuted,
    ),
    Mutant(
        "the means left in",
        'variance = mean("q^2") * mean("k^2") - (mean("q") * mean("k")) ** 2',
        'variance = mean("q") * mean("q^2") * mean("k^2") - (mean("q") * mean("k")) ** 2',
        Refuted,
    ),
    Mutant("variance without its square", 'mean("qk") ** 2,', 'mean("qk"),', Refuted),
    Mutant("features that are not independent", '    sp.Eq(mean("q^2k^2"), mean("q^2") * mean("k^2")),', "", Refuted),
    Mutant("queries of variance two", 'sp.Eq(mean("q^2"), 1)', 'sp.Eq(mean("q^2"), 2)', Refuted),
    Mutant(
        "no hypothesis on the means",
        'given=means + squares, claim="transformer.scale").step(\n    sp.Sum(1, (i',
        'given=squares, claim="transformer.scale").step(\n    sp.Sum(1, (i',
        Refuted,
    ),
    Mutant("variance √d instead of d", ".step(d, because", ".step(sp.sqrt(d), because", Refuted),
    Mutant("sum from 0 to d", "score = sp.Sum(variance, (i, 1, d))", "score = sp.Sum(variance, (i, 0, d))", Refuted),
    Mutant("divided by √d twice", "sp.Sum(variance / d, (i, 1, d))", "sp.Sum(variance / d**2, (i, 1, d))", Refuted),
    Mutant(
        "the variance divided by √d",
        "sp.Sum(variance / d, (i, 1, d))",
        "sp.Sum(variance / sp.sqrt(d), (i, 1, d))",
        Refuted,
    ),
    Mutant("cost, three maps instead of four", "4 * mu(N, d, d) + sp.Sum", "3 * mu(N, d, d) + sp.Sum", Refuted),
    Mutant(
        "cost, heads of full width",
        "one_head = mu(N, d / h, N) + mu(N, N, d / h)",
        "one_head = mu(N, d, N) + mu(N, N, d)",
        Refuted,
    ),
    Mutant(
        "cost, averages forgotten",
        "one_head = mu(N, d / h, N) + mu(N, N, d / h)",
        "one_head = mu(N, d / h, N)",
        Refuted,
    ),
    Mutant(
        "cost, the value product the other way round",
        "one_head = mu(N, d / h, N) + mu(N, N, d / h)",
        "one_head = mu(N, d / h, N) + mu(d / h, N, d / h)",
        Refuted,
    ),
    Mutant(
        "cost, quadratic in d",
        ").step(4 * N * d**2 + 2 * N**2 * d, because",
        ").step(4 * N * d**2 + 2 * N * d**2, because",
        Refuted,
    ),
    Mutant("cost, heads counted from 0", "sp.Sum(one_head, (j, 1, h))", "sp.Sum(one_head, (j, 0, h))", Refuted),
    Mutant(
        "cost, the number of heads stays",
        ").step(4 * N * d**2 + 2 * N**2 * d, because",
        ").step(4 * N * d**2 + 2 * h * N**2 * d, because",
        Refuted,
    ),
    Mutant("positions that do not reach the values", "A * X * W_v + A * E * W_v", "A * X * W_v + A * E", Refuted),
    Mutant("the map forgotten for the positions", "A * (X * W_v + E * W_v)", "A * (X * W_v + E)", Refuted),
    Mutant("the map on the wrong side", "A * X * W_v + A * E * W_v", "A * X * W_v + W_v * A * E", Refuted),
    Mutant("weights left out", "A * X * W_v + A * E * W_v", "A * X * W_v + E * W_v", Refuted),
    Mutant("columns sum to one instead of rows", "sp.Eq(A * ones, ones)", "sp.Eq(A.T * ones, ones)", Undecided),
    Mutant("weights that sum to two", "sp.Eq(A * ones, ones)", "sp.Eq(A * ones, 2 * ones)", Refuted),
    Mutant("a transpose lost on the map", "Q * W_k.T * Y.T * P.T, because", "Q * W_k * Y.T * P.T, because", Refuted),
    Mutant(
        "permutation without its transpose", "Q * W_k.T * Y.T * P.T, because", "Q * W_k.T * Y.T * P, because", Refuted
    ),
    Mutant(
        "the permuted keys twice",
        "Q * K_transposed(Y) * P.T, because",
        "Q * K_transposed(P * Y) * P.T, because",
        Refuted,
    ),
    Mutant("scores that are invariant", "Q * K_transposed(Y) * P.T, because", "Q * K_transposed(Y), because", Refuted),
    Mutant("weights permuted the wrong way", "(U * P.T) * V(P * Y), given", "(U * P) * V(P * Y), given", Refuted),
    Mutant("values not permuted", "(U * P.T) * V(P * Y), given", "(U * P.T) * V(Y), given", Refuted),
    Mutant(
        "a permutation that is its own inverse",
        "undone = [sp.Eq(P.T * P, sp.Identity(N))]",
        "undone = [sp.Eq(P.T * P, P)]",
        Refuted,
    ),
    Mutant("the map of the values lost", "U * P.T * P * Y * W_v, because", "U * P.T * P * Y, because", Refuted),
    Mutant("denominator without its hypothesis", "ones_stay = [sp.Eq(P.T * ones, ones)]", "ones_stay = []", Refuted),
    Mutant("denominator, a factor too many", ").step(U * ones, because", ").step(2 * U * ones, because", Refuted),
    Mutant(
        "overtaking at d instead of 2d", "2 * N * d * (N - 2 * d), because", "2 * N * d * (N - d), because", Refuted
    ),
]


class TestProofs(Proofs):
    chapter = "foundations/transformer"
    mutants = MUTANTS
