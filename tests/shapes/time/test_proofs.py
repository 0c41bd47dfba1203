"""The derivations of shapes/time, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant(
        "the start for the query only", "product(tau - tau_0, sigma - tau_0)", "product(tau - tau_0, sigma)", Refuted
    ),
    Mutant(
        "the key before the query", "s(tau - sigma, theta) * sp.eye(1)", "s(sigma - tau, theta) * sp.eye(1)", Refuted
    ),
    Mutant("the start once more", "product(tau, sigma), because", "product(tau, sigma - tau_0), because", Refuted),
    Mutant("the unit the other way", "s(tau - sigma, c * theta)", "s(tau - sigma, theta / c)", Refuted),
    Mutant("the unit of one side only", "product(c * tau, c * sigma)", "product(c * tau, sigma)", Refuted),
    Mutant("half a period", "R(tau + j * P)", "R(tau + j * P / 2)", Refuted),
    Mutant("a period in radians", "turn(t * 2 * sp.pi / P)", "turn(t / P)", Refuted),
    Mutant("the sum of the times lost", "- sp.cos(omega * (tau + sigma) + 2 * phi) / 2", "+ 0", Refuted),
    Mutant("one phase for two", "(tau + sigma) + 2 * phi)", "(tau + sigma) + phi)", Refuted),
    Mutant("sines for the cosines", "+ sp.cos(first) * sp.cos(second)", "+ sp.sin(first) * sp.cos(second)", Refuted),
    Mutant("the lower end added", "(sp.sin(b * x) - sp.sin(a * x))", "(sp.sin(b * x) + sp.sin(a * x))", Refuted),
    Mutant("cosines at the ends", "(sp.sin(b * x) - sp.sin(a * x))", "(sp.cos(b * x) - sp.cos(a * x))", Refuted),
    Mutant("one sine for two", "2 / ((b - a) * x), because", "1 / ((b - a) * x), because", Refuted),
]


class TestProofs(Proofs):
    chapter = "shapes/time"
    mutants = MUTANTS
