"""The derivations of relative/deberta, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

ROW = "sp.Max(0, sp.Min(u + w, 2 * w - 1))"

MUTANTS = [
    Mutant("rows that start at one", ROW, "sp.Max(1, sp.Min(u + w + 1, 2 * w))", Refuted),
    Mutant("key minus query in the row", ROW, "sp.Max(0, sp.Min(w - u, 2 * w - 1))", Refuted),
    Mutant("a row without the shift", ROW, "sp.Max(0, sp.Min(u, 2 * w - 1))", Refuted),
    Mutant("past and future exchanged", ".step(reach - a, because", ".step(reach + a, because", Refuted),
    Mutant("the far past has row 2w", "2 * w - 1, because", "2 * w, because", Refuted),
    Mutant("the far future has row 1", '0, because="the far future', '1, because="the far future', Refuted),
    Mutant("the mirror around w - 1/2", "2 * reach, because", "2 * reach - 1, because", Refuted),
    Mutant("only the query moves", "fourth(m + t, n + t)", "fourth(m + t, n)", Refuted),
    Mutant("the dropped term reads the sum", "K[delta(m, n), i]", "K[delta(m + n, 0), i]", Refuted),
    Mutant("the transpose forgotten", "(C + G.T).T, given", "(C + G).T + G, given", Refuted),
    Mutant("the index without its minus sign", "-(a - b) + w", "(a - b) + w", Refuted),
    Mutant("the transpose of the index forgotten", "Derivation(index(n, m)", "Derivation(index(m, n)", Refuted),
    Mutant("the third term meets the query", "K_row * E_2 + k_n * E_3", "K_row * E_2 + q_m * E_3", Refuted),
    Mutant("two rows in one slot", "q_m * E_2 + Q_row * E_3", "q_m * E_2 + Q_row * E_2", Refuted),
    Mutant("D in the place of D - 1", "sp.log((D - 1) / c)", "sp.log(D / c)", Refuted),
    Mutant("c steps in the place of c - 1", "c * rho**l + 1", "c * rho ** (l + 1) + 1", Refuted),
    Mutant("the logarithm of the distance alone", "l * sp.log(x / c) / sp", "l * sp.log(x) / sp", Refuted),
    Mutant("the product taken for a sum", "f((1 + xi) * E(t))", "f(xi + E(t))", Refuted),
    Mutant("the powers of c exchanged", "x**l * c**t / (c**l * M**t)", "x**l * c**l / (c**t * M**t)", Refuted),
    Mutant("the buckets stop at D", 'D - 1, because="l steps', 'D, because="l steps', Refuted),
    Mutant("twice the distance for twice the steps", "(D - 1) ** 2 / c, because", "2 * (D - 1), because", Refuted),
    Mutant("mixed terms in TUPE", "(k_n * F_1 + t_n * F_2).T", "(k_n * F_2 + t_n * F_1).T", Refuted),
]


class TestProofs(Proofs):
    chapter = "relative/deberta"
    mutants = MUTANTS
