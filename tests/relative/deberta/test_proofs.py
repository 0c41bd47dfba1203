"""The derivations of relative/deberta, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

ROW = "sp.Max(0, sp.Min(m - n + w, 2 * w - 1))"

MUTANTS = [
    Mutant("rows that start at one", ROW, "sp.Max(1, sp.Min(m - n + w + 1, 2 * w))", Refuted),
    Mutant("key minus query in the row", ROW, "sp.Max(0, sp.Min(n - m + w, 2 * w - 1))", Refuted),
    Mutant("a row without the shift", ROW, "sp.Max(0, sp.Min(m - n, 2 * w - 1))", Refuted),
    Mutant("past and future exchanged", 'm - n + w, because="again', 'n - m + w, because="again', Refuted),
    Mutant("the far past has row 2w", '2 * w - 1, because="the far', '2 * w, because="the far', Refuted),
    Mutant("the far future has row 1", '0, because="the far future', '1, because="the far future', Refuted),
    Mutant("the reach belongs to the inside", "inside = [m - n < w,", "inside = [m - n <= w,", Refuted),
    Mutant("the mirror around w - 1/2", "step(2 * w, because", "step(2 * w - 1, because", Refuted),
    Mutant("the mirror beyond the reach", 'given=inside, claim="deberta.mirror', 'claim="deberta.mirror', Refuted),
    Mutant("only the query moves", "fourth(m + tau, n + tau)", "fourth(m + tau, n)", Refuted),
    Mutant("the dropped term reads the sum", "K[delta(m, n), i]", "K[delta(m + n, 0), i]", Refuted),
    Mutant("the transpose forgotten", "(C + G.T).T, given", "(C + G).T + G, given", Refuted),
    Mutant("the index without its minus sign", "-(a - b) + w", "(a - b) + w", Refuted),
    Mutant("the transpose of the index forgotten", "Derivation(index(n, m)", "Derivation(index(m, n)", Refuted),
    Mutant("the paper's row is refuted by itself", "refute(index(n, m)", "refute(index(m, n)", Undecided),
    Mutant("the third term meets the query", "K_row * Z_2 + k_n * Z_3", "K_row * Z_2 + q_m * Z_3", Refuted),
    Mutant("two rows in one third", "q_m * Z_2 + Q_row * Z_3", "q_m * Z_2 + Q_row * Z_2", Refuted),
    Mutant("D in the place of D - 1", "sp.log((D - 1) / c)", "sp.log(D / c)", Refuted),
    Mutant("c steps in the place of c - 1", "c * rho**l + 1", "c * rho ** (l + 1) + 1", Refuted),
    Mutant("the logarithm of the distance alone", "l * sp.log(x / c) / sp", "l * sp.log(x) / sp", Refuted),
    Mutant("the product taken for a sum", "f((1 + zeta) * E(t))", "f(zeta + E(t))", Refuted),
    Mutant("below an end is beyond it", "t - sp.log(1 + xi)", "t + sp.log(1 + xi)", Refuted),
    Mutant("the powers of c exchanged", "E(t) ** l * c**t, given", "E(t) ** t * c**l, given", Refuted),
    Mutant("D in the place of D - 1, in integers", "c**l * (D - 1) ** t", "c**l * D**t", Refuted),
    Mutant("the buckets stop at D", "(D - 1) ** 2 / c, because", "D**2 / c, because", Refuted),
    Mutant(
        "twice the distance for twice the steps", ".step(E(l) ** 2 / c, because", ".step(2 * E(l), because", Refuted
    ),
    Mutant("mixed terms in TUPE", "(k_n * Y_1 + t_n * Y_2).T", "(k_n * Y_2 + t_n * Y_1).T", Refuted),
]


class TestProofs(Proofs):
    chapter = "relative/deberta"
    mutants = MUTANTS
