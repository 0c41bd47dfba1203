"""The derivations of absolute/learned, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant("tokens of another text are forgotten", "G.row(1) + G.row(2), because", "G.row(1), because", Refuted),
    Mutant("the gradient is averaged", "G.row(1) + G.row(2), because", "(G.row(1) + G.row(2)) / 2, because", Refuted),
    Mutant("an unused row learns", "sp.zeros(1, 2), because", "sp.ones(1, 2), because", Refuted),
    Mutant("tokens counted twice", "(Os.T * Gs).T * Delta", "2 * (Os.T * Gs).T * Delta", Refuted),
    Mutant("the gradient for the old rows", "(Os.T * Gs).T * Delta", "(Os.T * Gs).T * Es", Refuted),
    Mutant(
        "the table transposed instead of inverted", "Derivation(P * (P_inv * Y)", "Derivation(P * (P.T * Y)", Refuted
    ),
    Mutant(
        "rows that are not independent", "independent = [sp.Eq(P * P_inv, sp.Identity(n))]", "independent = []", Refuted
    ),
    Mutant(
        "a left inverse for a right one",
        "sp.Eq(P * P_inv, sp.Identity(n))",
        "sp.Eq(P_inv * P, sp.Identity(d))",
        Refuted,
    ),
    Mutant("the second inverse is not transposed", "W = P_inv * B * P_inv.T", "W = P_inv * B.T * P_inv.T", Refuted),
    Mutant("the scores transposed", "B * (P * P_inv).T, because", "B.T * (P * P_inv).T, because", Refuted),
    Mutant(
        "alpha in the place of 1 - alpha", "(p_j - alpha * p_0) / (1 - alpha)", "(p_j - alpha * p_0) / alpha", Refuted
    ),
    Mutant("row 0 subtracted whole", "(p_j - alpha * p_0) / (1 - alpha)", "(p_j - p_0) / (1 - alpha)", Refuted),
    Mutant("the first block left free", "sp.Eq(u_0, p_0),", "", Refuted),
    Mutant("basis without its divisor", "(p[k] - alpha * p[0]) / (1 - alpha)", "p[k] - alpha * p[0]", Refuted),
    Mutant("weights exchanged", "alpha * u(i) + (1 - alpha) * u(j)", "(1 - alpha) * u(i) + alpha * u(j)", Refuted),
    Mutant("weights that do not add up to one", "alpha * u(i) + (1 - alpha) * u(j)", "alpha * u(i) + u(j)", Refuted),
    Mutant(
        "a block moved by alpha alone",
        "p[j] + alpha / (1 - alpha) * (p[i] - p[0])",
        "p[j] + alpha * (p[i] - p[0])",
        Refuted,
    ),
    Mutant("a block moved by its row", "/ (1 - alpha) * (p[i] - p[0])", "/ (1 - alpha) * p[i]", Refuted),
    Mutant("no alpha collides", "(2 * alpha - 1) / (1 - alpha)", "1 / (1 - alpha)", Refuted),
    Mutant("the exchange the wrong way round", "* (p[i] - p[j])", "* (p[j] - p[i])", Refuted),
    Mutant("no half step before the scale", "n / N * (r + half) - half", "n / N * r - half", Refuted),
    Mutant("no half step after the scale", "n / N * (r + half) - half", "n / N * (r + half)", Refuted),
    Mutant("the scale upside down", "n / N * (r + half)", "N / n * (r + half)", Refuted),
    Mutant("corners on corners", "n / N * (r + half) - half", "(n - 1) / (N - 1) * r", Refuted),
    Mutant("near weight with a sign lost", "- (a + 3) * x**2 + 1", "+ (a + 3) * x**2 + 1", Refuted),
    Mutant("near weight with a + 3 for a + 2", "(a + 2) * x**3", "(a + 3) * x**3", Refuted),
    Mutant("far weight with 4 for 5", "x**3 - 5 * x**2 + 8", "x**3 - 4 * x**2 + 8", Refuted),
    Mutant("a far row at the wrong distance", "+ w(1 - t) + v(2 - t)", "+ w(1 - t) + v(1 - t)", Refuted),
    Mutant("row -1 counted as row 1", "-v(1 + t) + 0", "v(1 + t) + 0", Refuted),
    Mutant("bicubic takes every line for straight", "t + bend, because", "t, because", Refuted),
    Mutant("straight at torch's parameter", "(2 * a + 1) * t * (1 - t)", "(4 * a + 3) * t * (1 - t)", Refuted),
    Mutant("interpolation keeps the length", "1 - 2 * t * (1 - t) * (1 - y), because", "1, because", Refuted),
    Mutant("the mixed term counted once", "+ 2 * t * (1 - t) * y", "+ t * (1 - t) * y", Refuted),
]


class TestProofs(Proofs):
    chapter = "absolute/learned"
    mutants = MUTANTS
