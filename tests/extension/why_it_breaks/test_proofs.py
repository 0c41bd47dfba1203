"""The derivations of extension/why-it-breaks, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant("the wavelength without 2π", "2 * sp.pi * b ** (2 * i / d)", "b ** (2 * i / d)", Refuted),
    Mutant(
        "the frequency for the wavelength", "2 * sp.pi * b ** (2 * i / d)", "2 * sp.pi * b ** (-2 * i / d)", Refuted
    ),
    Mutant("positions per turn left out of the logarithm", "sp.log(L / (2 * sp.pi))", "sp.log(L)", Refuted),
    Mutant("features for pairs", "critical = d / 2 * ", "critical = d * ", Refuted),
    Mutant("one distance too early", "K(1707)", "K(1706)", Refuted),
    Mutant("one distance too late", "K(1707)", "K(1708)", Refuted),
    Mutant("another base", "10_000 ** -sp", "500_000 ** -sp", Refuted),
    Mutant("too far out taken for too far in", "-(t - p) * (t - q) / t", "(t - p) * (t - q) / t", Refuted),
    Mutant("an error that is a parabola", "-(t - p) * (t - q) / t", "-(t - p) * (t - q)", Refuted),
    Mutant("a piece that grows with 1/t", "p + q - p * q / t", "p + q + p * q / t", Refuted),
    Mutant("the last piece ends at T", "2 * T - 1 - T * (T - 1) / t", "T - T * (T - 1) / t", Refuted),
    Mutant("the last piece one token later", "2 * T - 1 - T * (T - 1) / t", "2 * T + 1 - T * (T + 1) / t", Refuted),
    Mutant("a kink too few", "(k, t + 1, T - 1)", "(k, t + 2, T - 1)", Undecided),
    Mutant("a kink too many", "(k, t + 1, T - 1)", "(k, t + 1, T)", Refuted),
    Mutant("kinks of half the size", "2 * k * (1 / t - 1 / k)", "k * (1 / t - 1 / k)", Refuted),
    Mutant("multiplied out with one term", "active(2 * k / t - 2)", "active(2 * k / t - 2 / k)", Refuted),
    Mutant("places added", "sp.diag(s, -s, 1, 1)", "sp.diag(s, s, 1, 1)", Refuted),
    Mutant("the slope on one side only", "sp.diag(s, -s, 1, 1)", "sp.diag(1, -s, 1, 1)", Refuted),
    Mutant("the key holds its features in the query's order", "[[0, 1], [1, 0]]", "[[1, 0], [0, 1]]", Refuted),
    Mutant("query minus key", "s * (n - m), because", "s * (m - n), because", Refuted),
    Mutant("a place at every number", 'p + q, because="pq/t is', 'q, because="pq/t is', Refuted),
    Mutant(
        "the step at the token itself", "T * (T - 1) / (t * (t + 1)), because", "T * (T - 1) / t**2, because", Refuted
    ),
    Mutant("the step within the length", "given=[t >= T]", "given=[t <= T]", Refuted),
    Mutant("the step backwards", "last(t + 1) - last(t)", "last(t) - last(t + 1)", Refuted),
]


class TestProofs(Proofs):
    chapter = "extension/why-it-breaks"
    mutants = MUTANTS
