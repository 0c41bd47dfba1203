"""The derivations of extension/ntk, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

BASE = "solved = b * s ** ((l + 1) / l)"
IN_LOGARITHMS = "beta + (l + 1) / l * sigma, because"
EACH_PAIR = "theta(i) * s ** (-i / l), because"
STALE = "R((m - n) * new) * R(n * (new - old)), because"

MUTANTS = [
    Mutant("the base times s alone", BASE, "solved = b * s", Refuted),
    Mutant("the exponent upside down", BASE, "solved = b * s ** (l / (l + 1))", Refuted),
    Mutant("a smaller base", BASE, "solved = b * s ** (-(l + 1) / l)", Refuted),
    Mutant("pairs counted for features", BASE, "solved = b * s ** ((2 * l + 1) / l)", Refuted),
    Mutant(
        "the demand for a faster pair", "sp.Eq(new_b**last, s * b**last)", "sp.Eq(new_b**last, b**last / s)", Refuted
    ),
    Mutant("in logarithms: the base times s alone", IN_LOGARITHMS, "beta + sigma, because", Refuted),
    Mutant("in logarithms: upside down", IN_LOGARITHMS, "beta + l / (l + 1) * sigma, because", Refuted),
    Mutant("in logarithms: a smaller base", IN_LOGARITHMS, "beta - (l + 1) / l * sigma, because", Refuted),
    Mutant("in logarithms: pairs for features", IN_LOGARITHMS, "beta + (2 * l + 1) / l * sigma, because", Refuted),
    Mutant("in logarithms: a faster pair", "l * beta + (l + 1) * sigma)", "l * beta - (l + 1) * sigma)", Refuted),
    Mutant("every pair with the shortcut", "solved ** (-i / (l + 1))", "(b * s) ** (-i / (l + 1))", Refuted),
    Mutant("the exponent's sign", EACH_PAIR, "theta(i) * s ** (i / l), because", Refuted),
    Mutant("all pairs alike", EACH_PAIR, "theta(i) / s, because", Refuted),
    Mutant("one pair too many", EACH_PAIR, "theta(i) * s ** (-i / (l + 1)), because", Refuted),
    Mutant("an exponent without its sign", "lambda i: b ** (-i / (l + 1))", "lambda i: b ** (i / (l + 1))", Refuted),
    Mutant("the first pair slowed", "theta(0), because", "theta(0) / s, because", Refuted),
    Mutant("the last pair spared", "theta(l) / s, because", "theta(l), because", Refuted),
    Mutant("the last pair quickened", "theta(l) / s, because", "theta(l) * s, because", Refuted),
    Mutant("every pair within its trained angles", "s ** (1 - i / l) * L", "L", Refuted),
    Mutant("the reach of the pairs reversed", "s ** (1 - i / l) * L", "s ** (i / l) * L", Refuted),
    Mutant("the length forgotten", "s * L * slowed(i), claim", "L * slowed(i), claim", Refuted),
    Mutant("the growing factor starts at its slope", "alpha * N / L - (alpha - 1)", "alpha * N / L", Refuted),
    Mutant("the growing factor starts at 0", "alpha * N / L - (alpha - 1)", "alpha * N / L - alpha", Refuted),
    Mutant("the length over the wrong way", "alpha * N / L - (alpha - 1)", "alpha * L / N - alpha", Refuted),
    Mutant("a transpose lost", "stale = R(n * old).T * R(m * new)", "stale = R(n * old) * R(m * new)", Refuted),
    Mutant("stale keys said to be harmless", STALE, "R((m - n) * new), because", Refuted),
    Mutant("the error at the query's position", STALE, STALE.replace("R(n *", "R(m *"), Refuted),
    Mutant("the error's sign", STALE, STALE.replace("new - old", "old - new"), Refuted),
    Mutant("the distance the other way", STALE, STALE.replace("m - n", "n - m"), Refuted),
    Mutant("a sine without its sign", "[[cos, -sin], [sin, cos]]", "[[cos, sin], [sin, cos]]", Refuted),
    Mutant("the last pair goes further too", "given=[s > 1, i < l]", "given=[s > 1, i <= l]", Refuted),
    Mutant("a factor below 1 goes further too", "given=[s > 1, i < l]", "given=[s > 0, i < l]", Refuted),
    Mutant("the pair before the last goes no further", "given=[sp.Eq(i, l)]", "given=[sp.Eq(i, l - 1)]", Refuted),
]


class TestProofs(Proofs):
    chapter = "extension/ntk"
    mutants = MUTANTS
