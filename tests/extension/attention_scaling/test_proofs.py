"""The derivations of extension/attention-scaling, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant("the token itself not in the sum", "sp.exp(a) / (sp.exp(a) + M))", "sp.exp(a) / M)", Refuted),
    Mutant("the weight for the odds", "w(a) / (1 - w(a))", "w(a)", Refuted),
    Mutant("odds upside down", 'sp.exp(a) / M, because="the sum', 'M / sp.exp(a), because="the sum', Refuted),
    Mutant(
        "odds that fall as the root",
        'sp.exp(a) / M, because="the sum',
        'sp.exp(a) / sp.sqrt(M), because="the sum',
        Refuted,
    ),
    Mutant(
        "held weight without its one",
        "held = sp.exp(c) / (sp.exp(c) + 1)",
        "held = sp.exp(c) / (sp.exp(c) + 2)",
        Refuted,
    ),
    Mutant("score that grows as the root of the log", "w(sp.log(M) + c)", "w(sp.sqrt(sp.log(M)) + c)", Refuted),
    Mutant("score that grows as 2 ln M", "w(sp.log(M) + c)", "w(2 * sp.log(M) + c)", Refuted),
    Mutant("the bound turned round", "given=[e[j] >= eps]", "given=[e[j] <= eps]", Refuted),
    Mutant("one key counted for all", 'step(n * eps, because="count', 'step(eps, because="count', Refuted),
    Mutant("one key too many", 'step(n * eps, because="count', 'step((n + 1) * eps, because="count', Refuted),
    Mutant("each term said to be smaller", 'because="each term", sign="≥"', 'because="each term", sign="≤"', Refuted),
    Mutant("scores below the lower end", "Z >= n * sp.exp(-S)]", "Z >= n * sp.exp(-2 * S)]", Refuted),
    Mutant("the largest score once", "sp.exp(2 * S) / n, because", "sp.exp(S) / n, because", Refuted),
    Mutant("the odds of the others", "M ** (kappa - 1), because", "M ** (1 - kappa), because", Refuted),
    Mutant("a threshold of 2", "sp.Eq(kappa, 1)]", "sp.Eq(kappa, 2)]", Refuted),
    Mutant(
        "the others not raised", "scaled = M**kappa / (M**kappa + M)", "scaled = M**kappa / (M**kappa + 1)", Refuted
    ),
    Mutant("the power on both", "scaled = M**kappa / (M**kappa + M)", "scaled = M**kappa / (2 * M**kappa)", Refuted),
    Mutant("entropy with the wrong sign", "entropy = -over_keys(", "entropy = over_keys(", Refuted),
    Mutant("scores added to ln Z", "(sp.log(Z) - score[j]))", "(sp.log(Z) + score[j]))", Refuted),
    Mutant("Z without its logarithm", "(sp.log(Z) - score[j]))", "(Z - score[j]))", Refuted),
    Mutant("softmax without its sum", "sp.exp(score[j]) / Z)", "sp.exp(score[j]) * Z)", Refuted),
    Mutant(
        "variance for half of it",
        "sp.exp(sigma**2 / 2) * phi(s - sigma**2)",
        "sp.exp(sigma**2) * phi(s - sigma**2)",
        Refuted,
    ),
    Mutant(
        "moved by the deviation",
        "sp.exp(sigma**2 / 2) * phi(s - sigma**2)",
        "sp.exp(sigma**2 / 2) * phi(s - sigma)",
        Refuted,
    ),
    Mutant(
        "moved the wrong way",
        "sp.exp(sigma**2 / 2) * phi(s - sigma**2)",
        "sp.exp(sigma**2 / 2) * phi(s + sigma**2)",
        Refuted,
    ),
    Mutant(
        "ln n over ln L taken for it",
        "k_x = sp.sqrt(1 + 2 * sp.log(x / L) / sigma**2)",
        "k_x = sp.log(x) / sp.log(L)",
        Refuted,
    ),
    Mutant(
        "the root forgotten",
        "k_x = sp.sqrt(1 + 2 * sp.log(x / L) / sigma**2)",
        "k_x = 1 + 2 * sp.log(x / L) / sigma**2",
        Refuted,
    ),
    Mutant(
        "the factor not squared in the variance",
        "sp.log(x) - k**2 * sigma**2 / 2",
        "sp.log(x) - k * sigma**2 / 2",
        Refuted,
    ),
    Mutant(
        "equal weights for the logarithm of one", "step(over_keys(sp.log(n) / n)", "step(over_keys(sp.log(n))", Refuted
    ),
]


class TestProofs(Proofs):
    chapter = "extension/attention-scaling"
    mutants = MUTANTS
