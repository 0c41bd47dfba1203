"""The derivations of practice/fused-kernels, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant(
        "a bias that the key has twice",
        "sp.exp(alpha) * sp.exp(u[i] + beta[i]) / shared,",
        "sp.exp(alpha) * sp.exp(u[i] + 2 * beta[i]) / shared,",
        Refuted,
    ),
    Mutant(
        "the query's part is kept in the numerator",
        "        sp.exp(u[i] + beta[i]) / over_keys",
        "        sp.exp(alpha) * sp.exp(u[i] + beta[i]) / over_keys",
        Refuted,
    ),
    Mutant("the key's part is left out of the sum", "exp(u[l] + alpha + beta[l])", "exp(u[l] + alpha)", Refuted),
    Mutant("a feature that is not divided by the scale", "1 * (beta[i] / sigma)", "1 * beta[i]", Refuted),
    Mutant("a feature that is multiplied by the scale", "1 * (beta[i] / sigma)", "1 * (beta[i] * sigma)", Refuted),
    Mutant("another matrix is absorbed into the query", "lambda: q_c * W_uk.T)", "lambda: 2 * q_c * W_uk.T)", Refuted),
    Mutant("the slice is absorbed too", "absorbing * c.T + q_r * k_r.T, claim", "absorbing * c.T, claim", Refuted),
    Mutant("the gradient rotates on", "(a * (R(-m) * g)).T * delta", "(a * (R(m) * g)).T * delta", Refuted),
    Mutant("the factor is left out", "(a * (R(-m) * g)).T * delta", "(R(-m) * g).T * delta", Refuted),
    Mutant(
        "the factor is divided by, as for an inverse",
        "(a * (R(-m) * g)).T * delta",
        "(R(-m) * g).T * delta / a",
        Refuted,
    ),
    Mutant(
        "the loss has the other sense of rotation", "odd * sp.sin(m * theta))", "-odd * sp.sin(m * theta))", Refuted
    ),
    Mutant("the loss lacks the factor", "loss = a * (even", "loss = (even", Refuted),
    Mutant("the position is left out", "m * (g.T * (J * (a *", "(g.T * (J * (a *", Refuted),
    Mutant("x before its rotation", "(J * (a * (R(m) * x)))), because", "(J * (a * x))), because", Refuted),
    Mutant("a quarter turn back", "[[0, -1], [1, 0]]", "[[0, 1], [-1, 0]]", Refuted),
    Mutant(
        "the derivative lacks the factor", "(J * (a * (R(m) * x)))), because", "(J * (R(m) * x))), because", Refuted
    ),
    Mutant("the halves add up", "m * pull - n * pull", "m * pull + n * pull", Refuted),
    Mutant("the key brings nothing", "m * pull - n * pull", "m * pull", Refuted),
    Mutant(
        "the quarter turn is the key's",
        "(R(n) * key).T * (J * (R(m) * x))",
        "(J * (R(n) * key)).T * (R(m) * x)",
        Refuted,
    ),
]


class TestProofs(Proofs):
    chapter = "practice/fused-kernels"
    mutants = MUTANTS
