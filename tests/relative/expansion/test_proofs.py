"""The derivations of relative/expansion, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant(
        "the two terms in the middle taken for one, twice",
        "+ p_m * W_q * W_k.T * x_n.T",
        "+ x_m * W_q * W_k.T * p_n.T",
        Refuted,
    ),
    Mutant("the middle terms forgotten", "    + x_m * W_q * W_k.T * p_n.T\n", "", Refuted),
    Mutant("W_k without its transpose", "+ p_m * W_q * W_k.T * p_n.T", "+ p_m * W_q * W_k * p_n.T", Refuted),
    Mutant(
        "query and key matrix swapped", "    x_m * W_q * W_k.T * x_n.T\n", "    x_m * W_k * W_q.T * x_n.T\n", Refuted
    ),
    Mutant("the key's token kept", "(x_m + p_m) * M * p_n.T - p_m", "(x_m + p_m) * M * (x_n + p_n).T - p_m", Refuted),
    Mutant("the second term taken off", "p_n.T - p_m * M * p_n.T,", "p_n.T - x_m * M * p_n.T,", Refuted),
    Mutant("the demand at another distance", "step(phi(0), because", "step(phi(1), because", Undecided),
    Mutant("no demand at 0", "by=demand.at(0, 0)", "by=demand.at(1, 0)", Undecided),
    Mutant("a demand on the sum of places", "sp.Eq(f(n), phi(m - n))", "sp.Eq(f(n), phi(m + n))", Undecided),
    Mutant("only the key's place goes", "sp.Eq(p_m * M, p_0 * M)", "sp.Eq(p_m * M, p_m * M)", Refuted),
    Mutant("the fourth term said to vanish", "step(p_0 * M * p_0.T", "step(0 * p_0 * M * p_0.T", Refuted),
    Mutant(
        "the wave of the distance backwards", "h(m - n) + g(m + n), because", "h(n - m) + g(m + n), because", Refuted
    ),
    Mutant("half lost", "wave((a + e) / 2, (b - c) / 2)", "wave((a + e) / 2, b - c)", Refuted),
    Mutant("the cosine of the sum, sign", "wave((e - a) / 2", "wave((a - e) / 2", Refuted),
    Mutant("the sine of the sum with b - c", "(b + c) / 2)", "(b - c) / 2)", Refuted),
    Mutant("every matrix is relative", "lambda: h(m - n) + g(m + n), because", "h(m - n), because", Refuted),
    Mutant("the angle not doubled", "2 * sp.cos(2 * theta) * g(l)", "2 * sp.cos(theta) * g(l)", Refuted),
    Mutant(
        "an even matrix taken for a general one",
        "refute(fourth, pair(n) * middle",
        "refute(fourth, pair(n) * middle.T",
        Undecided,
    ),
    Mutant(
        "a matrix that commutes with the wrong side",
        "sp.Eq(step.T * M, M * step.T)",
        "sp.Eq(step.T * M, M * step)",
        Refuted,
    ),
    Mutant(
        "the step on the query only", "(p_m * step.T) * M * (p_n * step.T).T", "(p_m * step.T) * M * p_n.T", Refuted
    ),
    Mutant("Shaw's vector on the query", "q_m * (k_n + a_rel).T", "(q_m + a_rel) * k_n.T", Refuted),
    Mutant("Shaw's vector on both", "q_m * (k_n + a_rel).T", "(q_m + a_rel) * (k_n + a_rel).T", Refuted),
    Mutant(
        "u and v swapped",
        "(q_m + u) * k_n.T + (q_m + v) * R_key.T, b",
        "(q_m + v) * k_n.T + (q_m + u) * R_key.T, b",
        Refuted,
    ),
    Mutant("u for v", "(q_m + u) * k_n.T + (q_m + v) * R_key.T, b", "(q_m + u) * (k_n + R_key).T, b", Refuted),
    Mutant(
        "DeBERTa with one distance for both",
        "    q_m * k_n.T + q_m * to_place.T + from_place * k_n.T,",
        "    q_m * k_n.T + q_m * to_place.T + r_rel * W_qr * k_n.T,",
        Refuted,
    ),
    Mutant(
        "DeBERTa with all four",
        "    q_m * k_n.T + q_m * to_place.T + from_place * k_n.T,",
        "    (q_m + from_place) * (k_n + to_place).T,",
        Refuted,
    ),
    Mutant("TUPE tied again", "q_m * k_n.T + places_alone", "q_m * k_n.T + s_m * t_n.T * 2", Refuted),
    Mutant("TUPE keeps the middle", "q_m * k_n.T + places_alone", "(q_m + p_m * U_q) * (k_n + p_n * U_k).T", Refuted),
    Mutant("the number multiplied", "q_m * k_n.T + number", "q_m * k_n.T * number", Refuted),
    Mutant("switched off once too often", "one_off + score(off, off)", "one_off - score(off, off)", Refuted),
    Mutant("nothing added back", "one_off + score(off, off)", "one_off", Refuted),
    Mutant("a ratio for a difference", "sp.exp(beta_1 - beta_2)", "sp.exp(beta_1 / beta_2)", Refuted),
    Mutant("the content does not cancel", "sp.exp(beta_1 - beta_2)", "sp.exp(gamma + beta_1 - beta_2)", Refuted),
    Mutant("correlated terms", "sp.Eq(C[i, j], 0)", "sp.Eq(C[i, j], w)", Refuted),
    Mutant("standard deviations add", ".step(N * w, because", ".step(N**2 * w, because", Refuted),
    Mutant("weights that do not sum to one", "sp.Eq(weights * ones, ones)", "sp.Eq(weights * ones, 2 * ones)", Refuted),
    Mutant("columns that sum to one", "sp.Eq(weights * ones, ones)", "sp.Eq(ones.T * weights, ones.T)", Undecided),
    Mutant("ALiBi's line upside down", "step(-slope * (m - n)", "step(slope * (m - n)", Refuted),
    Mutant("u's factor lost", "(q_m + u) * (k_n + R_key).T", "q_m * (k_n + R_key).T", Refuted),
]


class TestProofs(Proofs):
    chapter = "relative/expansion"
    mutants = MUTANTS
