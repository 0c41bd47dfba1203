"""The derivations of practice/settings, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

SCALED = "theta(b) * alpha ** (-i / l)"

MUTANTS = [
    Mutant("alpha itself for its power", "b * alpha ** ((l + 1) / l)", "b * alpha", Refuted),
    Mutant("the exponent upside down", "b * alpha ** ((l + 1) / l)", "b * alpha ** (l / (l + 1))", Refuted),
    Mutant("pairs get faster", SCALED, SCALED.replace("-i / l", "i / l"), Refuted),
    Mutant("the last pair is number r / 2", SCALED, SCALED.replace("-i / l", "-i / (l + 1)"), Refuted),
    Mutant("frequencies that grow", "base ** (-i / (l + 1))", "base ** (i / (l + 1))", Refuted),
    Mutant("the length over that of the text", "s * n / L - (s - 1)", "s * L / n - (s - 1)", Refuted),
    Mutant("the longest counts in half", "given=[n < N]", "given=[n < 2 * N]", Refuted),
    Mutant("a factor that falls", "factor(N) - factor(n), given", "factor(n) - factor(N), given", Refuted),
    Mutant("the longest is the shortest", "given=[n < N]", "given=[n > N]", Refuted),
    Mutant("the first pair too", "later = [small < large, i >= 1]", "later = [small < large]", Refuted),
    Mutant("pairs get faster in a batch", "(large / small) ** (-i / l)", "(large / small) ** (i / l)", Refuted),
    Mutant("below 1 at any length", "given=[n < L]", "given=[n < 2 * L]", Refuted),
    Mutant("at least 1 below L", "given=[n >= L]", "given=[2 * n >= L]", Refuted),
    Mutant("the bound at L / s", "bound = L * (1 - 1 / s)", "bound = L / s", Refuted),
    Mutant("the bound at L", "bound = L * (1 - 1 / s)", "bound = L", Refuted),
    Mutant("the bound at half of L", "bound = L * (1 - 1 / s)", "bound = L / 2", Refuted),
    Mutant("pairs for features", "r * sp.log(s) / (2 * sp.log(b))", "r * sp.log(s) / sp.log(b)", Refuted),
    Mutant("towards the fast ones", "end(s * L) - end(L)", "end(L) - end(s * L)", Refuted),
    Mutant("the wavelength without a turn", "L / (2 * sp.pi * turns)", "(2 * sp.pi * turns) / L", Refuted),
    Mutant("unequal weights cancel", "equal = [s > 1, sp.Eq(c, c2)]", "equal = [s > 1, c >= c2]", Refuted),
    Mutant("a larger weight, at a factor below 1", "above = [s > 1, c > c2]", "above = [c > c2]", Refuted),
    Mutant("a smaller weight, or an equal one", "below = [s > 1, c < c2]", "below = [s > 1, c <= c2]", Refuted),
    Mutant("a larger weight, or an equal one", "above = [s > 1, c > c2]", "above = [s > 1, c >= c2]", Refuted),
]


class TestProofs(Proofs):
    chapter = "practice/settings"
    mutants = MUTANTS
