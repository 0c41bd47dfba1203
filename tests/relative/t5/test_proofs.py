"""The derivations of relative/t5, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant("edges that grow by a sum", "a * rho**t)", "a + rho * t)", Refuted),
    Mutant("edges without their start", "a * rho**t)", "rho**t)", Refuted),
    Mutant("the logarithm of the distance itself", "l * sp.log(x / a)", "l * sp.log(x)", Refuted),
    Mutant("the logarithm without its unit", "sp.log(x / a) / sp.log(D / a)", "sp.log(x / a)", Refuted),
    Mutant("the whole reach in one step", "sp.Eq(D, a * rho**l)", "sp.Eq(D, a * rho)", Refuted),
    Mutant("the reach counted from 1", "sp.Eq(D, a * rho**l)", "sp.Eq(D, rho**l)", Refuted),
    Mutant("the code's formula with the logarithm of D", "/ sp.log(D / a)", "/ sp.log(D)", Refuted),
    Mutant("the code's formula without the number of buckets", "l * sp.log(x / a)", "sp.log(x / a)", Refuted),
    Mutant("off by one at the edge", ".step(t + beyond, because", ".step(t + 1 + beyond, because", Refuted),
    Mutant("the edge belongs to the bucket before", 'least 0", sign="≥"', 'least 0", sign=">"', Refuted),
    Mutant("below an edge is as far on as above", "E(t) / (1 + zeta)", "E(t) * (1 + zeta)", Refuted),
    Mutant("off by one below the edge", ".step(t - below, because", ".step(t - 1 - below, because", Refuted),
    Mutant("a factor that shrinks", "sp.Gt(rho, 1)", "sp.Lt(rho, 1)", Refuted),
    Mutant("a factor that may be 1", "sp.Gt(rho, 1)", "sp.Gt(rho, 0)", Undecided),
    Mutant("powers of a and D exchanged", ".step(a ** (l - t) * D**t, b", ".step(a**t * D ** (l - t), b", Refuted),
    Mutant("the power of a forgotten", ".step(a ** (l - t) * D**t, b", ".step(a**l * D**t, b", Refuted),
    Mutant("integers without the power l", "Derivation(E(t) ** l, given", "Derivation(E(t), given", Refuted),
    Mutant("a factor moved and kept", "a ** (l - t) * (a * rho**l) ** t", "a**l * (a * rho**l) ** t", Refuted),
    Mutant("a width of one more factor", "(rho - 1) * E(t)", "rho * E(t)", Refuted),
    Mutant("all buckets equally wide", "(rho - 1) * E(t)", "(rho - 1) * a", Refuted),
    Mutant("the last bucket begins at D", ".step(D / rho", ".step(D", Refuted),
    Mutant("the last edge further out", ".step(D / rho", ".step(D * rho", Refuted),
    Mutant("the future's buckets begin at N", "N + ahead, because", "N + ahead - 1, because", Refuted),
    Mutant("one bucket too many for the past", "sp.Le(back, N - 1)", "sp.Le(back, N)", Refuted),
    Mutant("the near keys unbounded", "given=[sp.Le(u[i], M)]", "given=[]", Refuted),
    Mutant("the near keys counted once", "(K * M, because", "(M, because", Refuted),
    Mutant("the far keys bounded from above", "sp.Ge(w[i], mu)", "sp.Le(w[i], mu)", Refuted),
    Mutant("the far keys averaged", "(J * mu, because", "(mu, because", Refuted),
    Mutant("the denominator without the near keys", ".step(Z / F, because", ".step(F / Z, because", Refuted),
    Mutant("more far keys help the near ones", "K * M / (J * mu), because", "K * M / (J**2 * mu), because", Refuted),
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
