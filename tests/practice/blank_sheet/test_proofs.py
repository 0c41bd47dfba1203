"""The derivations of practice/blank-sheet, and the changes that it suggests. None is a claim of the book."""

from tests.support.proofs import Derivations, Mutant, Refuted, Undecided

MUTANTS = [
    Mutant("turn by the square of the position", "return m * theta ", "return m**2 * theta ", Refuted),
    Mutant("turn by its root", "return m * theta ", "return sp.sqrt(m) * theta ", Refuted),
    Mutant("turn the key the other way", "turn(angle(n)) * k", "turn(-angle(n)) * k", Refuted),
    Mutant("more than the bound", 'sign="<", because', 'sign=">", because', Refuted),
    Mutant("a logarithm for the bias", "bias = -slope * j", "bias = -slope * sp.log(1 + j)", Refuted),
    Mutant("a bias that grows", "bias = -slope * j", "bias = slope * j", Refuted),
    Mutant("a key without its inverse", "Derivation(S(-n)", "Derivation(S(n)", Refuted),
    Mutant("a shear of both features", "[[1, m], [0, 1]]", "[[1, m], [m, 1]]", Refuted),
    Mutant("without the lemma", ", by=LOGARITHM.at(x)", "", Undecided),
    Mutant("the logarithm grows faster", 'sign="≥"', 'sign="≤"', Refuted),
]


class TestDerivations(Derivations):
    chapter = "practice/blank-sheet"
    mutants = MUTANTS
