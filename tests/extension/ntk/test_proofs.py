"""The derivations of extension/ntk, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant("the base times s alone", "solved = beta + (l + 1) / l * sigma", "solved = beta + sigma", Refuted),
    Mutant(
        "the exponent upside down",
        "solved = beta + (l + 1) / l * sigma",
        "solved = beta + l / (l + 1) * sigma",
        Refuted,
    ),
    Mutant("a smaller base", "solved = beta + (l + 1) / l * sigma", "solved = beta - (l + 1) / l * sigma", Refuted),
    Mutant(
        "pairs counted for features",
        "solved = beta + (l + 1) / l * sigma",
        "solved = beta + (2 * l + 1) / l * sigma",
        Refuted,
    ),
    Mutant("the demand for a faster pair", "l * beta + (l + 1) * sigma)", "l * beta - (l + 1) * sigma)", Refuted),
    Mutant(
        "the exponent's sign",
        "theta(i) * sp.exp(-sigma * i / l), because",
        "theta(i) * sp.exp(sigma * i / l), because",
        Refuted,
    ),
    Mutant(
        "all pairs alike", "theta(i) * sp.exp(-sigma * i / l), because", "theta(i) * sp.exp(-sigma), because", Refuted
    ),
    Mutant(
        "one pair too many",
        "theta(i) * sp.exp(-sigma * i / l), because",
        "theta(i) * sp.exp(-sigma * i / (l + 1)), because",
        Refuted,
    ),
    Mutant("an exponent without its sign", "lambda i: sp.exp(-beta * i", "lambda i: sp.exp(beta * i", Refuted),
    Mutant("the first pair slowed", "theta(0), because", "theta(0) / sp.exp(sigma), because", Refuted),
    Mutant("the last pair spared", "theta(l) / sp.exp(sigma), because", "theta(l), because", Refuted),
    Mutant(
        "the last pair quickened", "theta(l) / sp.exp(sigma), because", "theta(l) * sp.exp(sigma), because", Refuted
    ),
    Mutant("every pair within its trained angles", "trained + (1 - i / l) * sigma", "trained", Refuted),
    Mutant("the reach of the pairs reversed", "trained + (1 - i / l) * sigma", "trained + i / l * sigma", Refuted),
    Mutant("the length forgotten", "sp.log(sp.exp(sigma) * L * slowed(i))", "sp.log(L * slowed(i))", Refuted),
    Mutant("the growing factor starts at s", "s * n / L - (s - 1)", "s * n / L", Refuted),
    Mutant("the growing factor starts at 0", "s * n / L - (s - 1)", "s * n / L - s", Refuted),
    Mutant("the length over the wrong way", "s * n / L - (s - 1)", "s * L / n - s", Refuted),
    Mutant("a transpose lost", "stale = R(m * new).T * R(n * old)", "stale = R(m * new) * R(n * old)", Refuted),
    Mutant("stale keys said to be harmless", "R((n - m) * new) * R(n * (old - new))", "R((n - m) * new)", Refuted),
    Mutant("the error at the query's position", "R(n * (old - new))", "R(m * (old - new))", Refuted),
    Mutant("the error's sign", "R(n * (old - new))", "R(n * (new - old))", Refuted),
    Mutant("a sine without its sign", "[[cos, -sin], [sin, cos]]", "[[cos, sin], [sin, cos]]", Refuted),
]


class TestProofs(Proofs):
    chapter = "extension/ntk"
    mutants = MUTANTS
