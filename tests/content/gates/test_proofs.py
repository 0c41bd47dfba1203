"""The derivations of content/gates, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant(
        "the key's own gate counts",
        "sp.Product(f[l], (l, n + 1, m)), because",
        "sp.Product(f[l], (l, n, m)), because",
        Refuted,
    ),
    Mutant(
        "the query's gate is left out",
        "sp.Product(f[l], (l, n + 1, m)), because",
        "sp.Product(f[l], (l, n + 1, m - 1)), because",
        Refuted,
    ),
    Mutant(
        "the gate of the key itself is the difference",
        ".step(sp.log(f[n + 1]), because",
        ".step(sp.log(f[n]), because",
        Refuted,
    ),
    Mutant("gates above one", "f[n + 1] <= 1", "f[n + 1] >= 1", Refuted),
    Mutant("one term more", "-s * (m - n), because", "-s * (m - n + 1), because", Refuted),
    Mutant("the slope is the gate", "-s * (m - n), because", "-same * (m - n), because", Refuted),
    Mutant("the distance with the other sign", "-s * (m - n), because", "-s * (n - m), because", Refuted),
    Mutant(
        "the key's sum with the other sign",
        "from_keys = sp.exp(score[n] - G[n])",
        "from_keys = sp.exp(score[n] + G[n])",
        Refuted,
    ),
    Mutant(
        "the common factor in the numerator only",
        "over_keys(sp.exp(G[m]) * sp.exp(score[j] - G[j]))",
        "over_keys(sp.exp(score[j] - G[j]))",
        Refuted,
    ),
    Mutant("the sign of z kept", "sp.log(sigma(-z)), because", "sp.log(sigma(z)), because", Refuted),
    Mutant("softplus without its logarithm", "-sp.log(1 + sp.exp(z)), claim", "-(1 + sp.exp(z)), claim", Refuted),
    Mutant(
        "what enters and leaves exchanged", "+ sp.log(f[n]) - sp.log(f[m])", "- sp.log(f[n]) + sp.log(f[m])", Refuted
    ),
    Mutant("nothing leaves", "+ sp.log(f[n]) - sp.log(f[m])", "+ sp.log(f[n])", Refuted),
    Mutant("one bound for both scores", "kept * sp.exp(2 * U), because", "kept * sp.exp(U), because", Refuted),
    Mutant("the threshold without the number of keys", "eps * sp.exp(-2 * U) / N", "eps * sp.exp(-2 * U)", Refuted),
    Mutant("the own term bounded from the wrong side", "Z >= sp.exp(s_m)", "Z <= sp.exp(s_m)", Refuted),
    Mutant(
        "the first key's term is another one",
        "sp.exp(a[positive_m])\n        + sp.Sum",
        "sp.exp(a[0])\n        + sp.Sum",
        Refuted,
    ),
]


class TestProofs(Proofs):
    chapter = "content/gates"
    mutants = MUTANTS
