"""The derivations of practice/caches, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant("a gap with the other sign", "gap = (b - a)", "gap = (a - b)", Refuted),
    Mutant("a gap with the cosine", "(b - a) * sp.sin(phi)", "(b - a) * sp.cos(phi)", Refuted),
    Mutant("a rotation, not a reflection", "sp.Matrix([[0, 1], [1, 0]])", "sp.Matrix([[0, -1], [1, 0]])", Refuted),
    Mutant("scales always commute", "given=[sp.Eq(a, b)], ", "", Refuted),
    Mutant("one scale is twice the other", '    a, because="divide', '    2 * a, because="divide', Refuted),
    Mutant("the matrix on keys alone", "(H * R_m * q)", "(R_m * q)", Refuted),
    Mutant("any matrix", "Derivation(after, given=[orthogonal]", "Derivation(after, given=[]", Refuted),
    Mutant(
        "before the rotation it drops out",
        "k_.T * (H.T * R_far * H) * q, because",
        "k_.T * R_far * q, because",
        Refuted,
    ),
    Mutant("before the rotation, distances reversed", "far = sp.Eq(R_n.T * R_m", "far = sp.Eq(R_m.T * R_n", Refuted),
    Mutant(
        "the same without commuting", "swap = [orthogonal, sp.Eq(R_far * H, H * R_far)]", "swap = [orthogonal]", Refuted
    ),
    Mutant("moved without the matrix", "H * R_s * H.T * stored", "R_s * stored", Refuted),
    Mutant("moved, and left without the matrix", "step(H * R_on * k_", "step(R_on * k_", Refuted),
    Mutant(
        "a pair that rests commutes", "(H4 * R4)[0, 2], (R4 * H4)[0, 2]", "(H4 * sp.eye(4))[0, 2], H4[0, 2]", Undecided
    ),
    Mutant("a key that is moved back", "    R(n_ + s) * k_pair, because", "    R(n_ - s) * k_pair, because", Refuted),
    Mutant("a key that is moved from 0", "    R(n_ + s) * k_pair, because", "    R(s) * k_pair, because", Refuted),
    Mutant("a moved key is further back", "R(m - n_ - s) * q_pair", "R(m - n_ + s) * q_pair", Refuted),
    Mutant("a moved key stays where it was", "R(m - n_ - s) * q_pair", "R(m - n_) * q_pair", Refuted),
    Mutant("time alone is shifted", "angle(t + s, y + s, x_ + s)", "angle(t + s, y, x_)", Refuted),
    Mutant("a pair that follows two axes", "given=[one_axis], ", "", Refuted),
    Mutant("a prefix that is one longer", "(j, 0, n0 - 1)", "(j, 0, n0)", Refuted),
    Mutant(
        "siblings are counted too", "by_depth = lambda r: n0 + depth(", "by_depth = lambda r: n0 + 2 * depth(", Refuted
    ),
    Mutant(
        "drafts begin a place late", "by_depth = lambda r: n0 + depth(", "by_depth = lambda r: n0 + 1 + depth(", Refuted
    ),
    Mutant("depths of the keys alone", "by=(on_path.at(r), on_path.at(t))", "by=on_path.at(r)", Undecided),
]


class TestProofs(Proofs):
    chapter = "practice/caches"
    mutants = MUTANTS
