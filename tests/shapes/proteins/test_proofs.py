"""The derivations of shapes/proteins, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant("flipped within a table of an even number", "2 * K - c(delta)", "2 * K + 1 - c(delta)", Refuted),
    Mutant("the same table the other way", "2 * K - c(delta)", "c(delta)", Refuted),
    Mutant("any gap will do", "given=[*inside, g >= K - 1]", "given=inside", Refuted),
    Mutant("a gap of one less", "given=[*inside, g >= K - 1]", "given=[*inside, g >= K - 2]", Undecided),
    Mutant(
        "the bin of the residue itself",
        'step(0, because="the difference is',
        'step(K, because="the difference is',
        Refuted,
    ),
    Mutant("the nearest pair a gap apart", "step(K - 1 - g,", "step(K - g,", Refuted),
    Mutant("a shorter gap would do", "given=[g < K - 1]", "given=[g < K]", Refuted),
    Mutant(
        "the first chain at the other end",
        'step(\n    0, because="the first chain',
        'step(\n    2 * K, because="the first chain',
        Refuted,
    ),
    Mutant("one bin in both orders", '2 * K, because="now it comes', '0, because="now it comes', Refuted),
    Mutant("the first chain's length before it", "c((N_2 + g + i) - j)", "c((i + g) - j)", Refuted),
    Mutant("no chain of its own", "given=[sp.Ne(A, B)]", "given=[sp.Eq(A, B)]", Refuted),
    Mutant(
        "the last bin of the residues",
        '.step(2 * K + 1, because="two chains")',
        '.step(2 * K, because="two chains")',
        Refuted,
    ),
    Mutant("turned back", "turn(gap * theta) * key), because", "turn(-gap * theta) * key), because", Refuted),
    Mutant("the gap forgotten", "product(n, turn(gap * theta) * key)", "product(n, key)", Refuted),
    Mutant("the whole angle", "step(2 * sp.sin(theta / 2),", "step(2 * sp.sin(theta),", Refuted),
    Mutant("without the quarter turn", "* theta + sp.pi / 2", "* theta", Refuted),
]


class TestProofs(Proofs):
    chapter = "shapes/proteins"
    mutants = MUTANTS
