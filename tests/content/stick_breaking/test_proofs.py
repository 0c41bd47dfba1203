"""The derivations of content/stick-breaking, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant("the share of the whole stick", "    beta[t] * R(t), because", "    beta[t], because", Refuted),
    Mutant("what is left afterwards", "    beta[t] * R(t), because", "    beta[t] * R(t + 1), because", Refuted),
    Mutant("the own share is taken first", "(l, 0, t - 1)))\nDerivation(R(t)", "(l, 0, t)))\nDerivation(R(t)", Refuted),
    Mutant("the sum one too long", "R(0) - R(N), because", "R(0) - R(N + 1), because", Refuted),
    Mutant("nothing is left", "    .step(1 - R(N), because", "    .step(1, because", Refuted),
    Mutant("the share is the odds", "step(sp.exp(z), because", "step(sigma(z), because", Refuted),
    Mutant("the odds the other way up", "step(sp.exp(z), because", "step(sp.exp(-z), because", Refuted),
    Mutant("one factor more", "share * sp.exp(-s * t), because", "share * sp.exp(-s * (t + 1)), because", Refuted),
    Mutant("no share of its own", "share * sp.exp(-s * t), because", "sp.exp(-s * t), because", Refuted),
    Mutant("an endless past at once", "/ (1 - sp.exp(-s * K)),", "/ 1,", Refuted),
    Mutant("one key more in the sum", "(j, 0, K - 1)),", "(j, 0, K)),", Refuted),
    Mutant("both find the same stick", "(sigma(z) * (1 - sigma(z)) * left)", "(sigma(z) * left)", Refuted),
    Mutant("only the exponential", "1 + sp.exp(z), because", "sp.exp(z), because", Refuted),
]


class TestProofs(Proofs):
    chapter = "content/stick-breaking"
    mutants = MUTANTS
