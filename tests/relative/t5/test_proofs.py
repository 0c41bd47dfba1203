"""The derivations of relative/t5, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant("edges that grow by a sum", "a * rho**t)", "a + rho * t)", Refuted),
    Mutant("edges without their start", "a * rho**t)", "rho**t)", Refuted),
    Mutant("the logarithm of the distance itself", "sp.log(x / a) / sp.log(rho))", "sp.log(x) / sp.log(rho))", Refuted),
    Mutant("the logarithm without its unit", "sp.log(x / a) / sp.log(rho))", "sp.log(x / a))", Refuted),
    Mutant("the factor without its root", "(D / a) ** (1 / l))", "D / a)", Refuted),
    Mutant("the factor of D alone", "(D / a) ** (1 / l))", "D ** (1 / l))", Refuted),
    Mutant("the code's formula with the logarithm of D", "sp.log(D / a) * l", "sp.log(D) * l", Refuted),
    Mutant(
        "the code's formula without the number of buckets",
        "sp.log(D / a) * l, because",
        "sp.log(D / a), because",
        Refuted,
    ),
    Mutant("off by one at the edge", "    t, because=", "    t + 1, because=", Refuted),
    Mutant("below an edge is as far on as above", "E(t) / (1 + xi)", "E(t) * (1 + xi)", Refuted),
    Mutant("a factor that may shrink", "given=[sp.Gt(rho, 1)], claim", "given=[sp.Gt(rho, 0)], claim", Refuted),
    Mutant("powers of a and D exchanged", "(a ** (l - t) * D**t)", "(a**t * D ** (l - t))", Refuted),
    Mutant("the power of a forgotten", "(a ** (l - t) * D**t)", "(a**l * D**t)", Refuted),
    Mutant("integers without the power l", "sp.log(x**l /", "sp.log(x /", Refuted),
    Mutant("a width of one more factor", "(rho - 1) * E(t)", "rho * E(t)", Refuted),
    Mutant("all buckets equally wide", "(rho - 1) * E(t)", "(rho - 1) * a", Refuted),
    Mutant("the last bucket begins at D", ".step(E(l) / rho", ".step(E(l)", Refuted),
    Mutant("the last edge further out", ".step(E(l) / rho", ".step(E(l) * rho", Refuted),
    Mutant("the future's buckets begin at N", "N + g, claim", "N + g - 1, claim", Refuted),
    Mutant("one bucket too many for the past", "sp.Le(back, N - 1)", "sp.Le(back, N)", Refuted),
    Mutant("the near keys unbounded", "given=[sp.Le(u[j], M)]", "given=[]", Refuted),
    Mutant("the near keys counted once", "(r * M, because", "(M, because", Refuted),
    Mutant("the far keys bounded from above", "sp.Ge(w[j], mu)", "sp.Le(w[j], mu)", Refuted),
    Mutant("the far keys averaged", "(n * mu, because", "(mu, because", Refuted),
    Mutant("the denominator without the near keys", "Z / F, because", "F / Z, because", Refuted),
    Mutant("more far keys help the near ones", ".step(r * M / (n * mu),", ".step(r * M / (n**2 * mu),", Refuted),
    Mutant("queries divided by d", "W_q / sp.sqrt(d))]", "W_q / d)]", Refuted),
    Mutant("the factor multiplied", "(X * W_k).T / sp.sqrt(d), because", "(X * W_k).T * sp.sqrt(d), because", Refuted),
    Mutant("the scores transposed", "(X * W_q) * (X * W_k).T / sp", "(X * W_k) * (X * W_q).T / sp", Refuted),
    Mutant("queries drawn like keys", "of_q, of_k = 1 / d, 1", "of_q, of_k = 1, 1", Refuted),
    Mutant("both drawn smaller", "of_q, of_k = 1 / d, 1", "of_q, of_k = 1 / d, 1 / d", Refuted),
    Mutant("a range that doubles at each bucket", "E(t + 2), given", "E(t + 1), given", Refuted),
]


class TestProofs(Proofs):
    chapter = "relative/t5"
    mutants = MUTANTS
