"""The derivations of rotary/variations, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant("one part has the other sign", "f(j) + f(k)", "f(j) - f(k)", Refuted),
]


class TestProofs(Proofs):
    chapter = "rotary/variations"
    mutants = MUTANTS
