"""The derivations of extension/nope, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant("too far out taken for too far in", "(t - a) * (b - t) / t", "(t - a) * (t - b) / t", Refuted),
    Mutant("an error that is a parabola", "(t - a) * (b - t) / t", "(t - a) * (b - t)", Refuted),
    Mutant("a piece that grows with 1/t", "return a + b - a * b / t", "return a + b + a * b / t", Refuted),
    Mutant("the last piece ends at T", "2 * T - 1 - T * (T - 1) / t", "T - T * (T - 1) / t", Refuted),
    Mutant("the last piece one token later", "2 * T - 1 - T * (T - 1) / t", "2 * T + 1 - T * (T + 1) / t", Refuted),
    Mutant("a bend too few", "(j, t + 1, T - 1)", "(j, t + 2, T - 1)", Undecided),
    Mutant("a bend too many", "(j, t + 1, T - 1)", "(j, t + 1, T)", Refuted),
    Mutant("bends of half the size", "2 * j * (1 / t - 1 / j)", "j * (1 / t - 1 / j)", Refuted),
    Mutant("multiplied out with one term", "active(2 * j / t - 2)", "active(2 * j / t - 2 / j)", Refuted),
    Mutant("the even numbers from t on", "T * (T - 1) - t * (t + 1)", "T * (T - 1) - t * (t - 1)", Refuted),
    Mutant("a bend counted that is not active", "2 * (T - 1 - t)", "2 * (T - t)", Refuted),
    Mutant("places added", "sp.diag(s, -s, 1, 1)", "sp.diag(s, s, 1, 1)", Refuted),
    Mutant("the slope on one side only", "sp.diag(s, -s, 1, 1)", "sp.diag(1, -s, 1, 1)", Refuted),
    Mutant("the key holds its features in the query's order", "[[0, 1], [1, 0]]", "[[1, 0], [0, 1]]", Refuted),
    Mutant("key minus query", "- s * (m - n)]])", "- s * (n - m)]])", Refuted),
    Mutant("a place at every number", 'a + b, because="$ab/t$ is', 'b, because="$ab/t$ is', Refuted),
    Mutant(
        "the step at the token itself", "T * (T - 1) / (t * (t + 1)), because", "T * (T - 1) / t**2, because", Refuted
    ),
    Mutant("the step within the length", "given=[t >= T]", "given=[t <= T]", Refuted),
    Mutant("the step backwards", "g(t + 1) - g(t)", "g(t) - g(t + 1)", Refuted),
    Mutant("the key's place does not cancel", "sp.exp(c_1 + s * n_1)", "sp.exp(c_1)", Refuted),
    Mutant(
        "the last piece is one too low at its end",
        '    T, because="the last piece',
        '    T - 1, because="the last piece',
        Refuted,
    ),
    Mutant("the last piece ends a token later", "lambda: g(T), claim", "lambda: g(T + 1), claim", Refuted),
]


class TestProofs(Proofs):
    chapter = "extension/nope"
    mutants = MUTANTS
