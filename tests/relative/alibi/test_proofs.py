"""The derivations of relative/alibi, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant("slopes that start at 1", "2 ** (-8 * j / h)", "2 ** (-8 * (j - 1) / h)", Refuted),
    Mutant("the exponent the other way up", "2 ** (-8 * j / h)", "2 ** (-8 * h / (j + 1))", Refuted),
    Mutant("every slope of twice the heads is old", "slope(2 * h, 2 * j), claim", "slope(2 * h, j), claim", Refuted),
    Mutant(
        "the mean of the numbers",
        "sp.sqrt(slope(h, j) * slope(h, j + 1))",
        "(slope(h, j) + slope(h, j + 1)) / 2",
        Refuted,
    ),
    Mutant("the new slope is an even one", "slope(2 * h, 2 * j + 1)", "slope(2 * h, 2 * j + 2)", Refuted),
    Mutant(
        "the bias rewards distance",
        "sp.exp(c[n] - s * (m - n)) / all_keys",
        "sp.exp(c[n] + s * (m - n)) / all_keys",
        Refuted,
    ),
    Mutant("the bias has the root of d too", "s * (m - n)) / all_keys", "s * (m - n) / 2) / all_keys", Refuted),
    Mutant("the odds add the contents", "c[n] - c[m] - s * (m - n)", "c[n] + c[m] - s * (m - n)", Refuted),
    Mutant("the distance with the other sign", "c[n] - c[m] - s * (m - n)", "c[n] - c[m] - s * (n - m)", Refuted),
    Mutant("the sum has one term more", "1 - sp.exp(-s * N), because", "1 - sp.exp(-s * (N + 1)), because", Refuted),
    Mutant("the ends of the sum", "1 - sp.exp(-s * N), because", "sp.exp(-s * N) - 1, because", Refuted),
    Mutant("the ratio of the geometric sum", "(1 - sp.exp(-s)) * steps_back", "(1 - s) * steps_back", Refuted),
    Mutant(
        "the far part shrinks by e^-s only",
        "sp.exp(-s * K) * steps_back(0, J - 1)",
        "sp.exp(-s) * steps_back(0, J - 1)",
        Refuted,
    ),
    Mutant("one far key lost", "(t, 0, J - 1)), because", "(t, 0, J - 2)), because", Refuted),
    Mutant("fewer terms are more", "+ steps_back(J, J + K - 1)", "- steps_back(J, J + K - 1)", Refuted),
    Mutant("the whole sum one too long", "steps_back(0, K + J - 1), because", "steps_back(0, K + J), because", Refuted),
    Mutant(
        "the position of the key with a minus",
        "sp.exp(c[n] + s * n) / over_keys",
        "sp.exp(c[n] - s * n) / over_keys",
        Refuted,
    ),
    Mutant(
        "the common factor in the numerator only",
        "over_keys(sp.exp(-s * m) * sp.exp(c[l] + s * l))",
        "over_keys(sp.exp(c[l] + s * l))",
        Refuted,
    ),
    Mutant(
        "the common factor depends on the key",
        "sp.exp(-s * m) * sp.exp(c[n] + s * n)",
        "sp.exp(-s * n) * sp.exp(c[n] + s * n)",
        Refuted,
    ),
    Mutant("a bias with a sign has no mirror", "-s * sp.Abs(m - n)", "-s * (m - n)", Undecided),
    Mutant("the mirror one place off", "B(N - 1 - m, N - 1 - n)", "B(N - 1 - m, N - n)", Refuted),
    Mutant("reversal on one side of the bias", "+ P * bias * P.T,", "+ P * bias,", Refuted),
    Mutant("the second permutation forgotten", "P * S(X) * P.T", "P * S(X)", Refuted),
    Mutant("the two features of the key exchanged", "sp.Matrix([1, s * n])", "sp.Matrix([s * n, 1])", Refuted),
]


class TestProofs(Proofs):
    chapter = "relative/alibi"
    mutants = MUTANTS
