"""The derivations of extension/mixed-layers, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant(
        "a window that does not count the token itself", "over_layers(w - 1), bec", "over_layers(w - 2), bec", Refuted
    ),
    Mutant("a window of w steps", "p[i] - p[i + 1] <= w - 1", "p[i] - p[i + 1] <= w", Refuted),
    Mutant("K times the window, and 1", "K * (w - 1), because", "K * w - 1, because", Refuted),
    Mutant("a layer too many", "sp.Sum(term, (i, 0, K - 1))", "sp.Sum(term, (i, 0, K))", Refuted),
    Mutant("the way is forgotten", "k.T * R(m - n + s) * q", "k.T * R(m - n) * q", Refuted),
    Mutant("the key is moved, not the query", "k.T * R(m - n + s) * q", "k.T * R(m - n - s) * q", Refuted),
    Mutant("rotated by one radian a token", "sp.Eq(theta, 0)", "sp.Eq(theta, 1)", Refuted),
    Mutant("the sum of one more wave", "(t, 0, T - 1)", "(t, 0, T)", Refuted),
    Mutant("the sum without its phase", "sp.cos(alpha + (T - 1) * theta / 2)", "sp.cos((T - 1) * theta / 2)", Refuted),
    Mutant("a wave that does not turn", "given=[theta < 2 * sp.pi]", "given=[sp.Eq(theta, 2 * sp.pi)]", Undecided),
    Mutant("divided by the whole angle", "product / sp.sin(theta / 2)", "product / sp.sin(theta)", Refuted),
    Mutant("waves below one half", '1 / sine, because="no sine or', '1 / (2 * sine), because="no sine or', Refuted),
    Mutant("the error counted once", "sp.exp(-beta * (1 - 2 * epsilon))", "sp.exp(-beta * (1 - epsilon))", Refuted),
    Mutant("the other token may score more", "s_j <= beta * epsilon,", "s_j >= beta * epsilon,", Refuted),
    Mutant("the right token may score less", "a >= beta * (1 - epsilon)]", "a <= beta * (1 - epsilon)]", Refuted),
    Mutant("the right token counted among the others", "(j, 1, N - 1)", "(j, 1, N)", Refuted),
    Mutant("odds below the bound", "given=[o[j] <= x]", "given=[o[j] >= x]", Refuted),
    Mutant("one other token", "1 + (N - 1) * x, because", "1 + x, because", Refuted),
    Mutant(
        "the whole angle", "2 * sp.Abs(sp.sin(half)) * sp.Abs(sp", "2 * sp.Abs(sp.sin(2 * half)) * sp.Abs(sp", Refuted
    ),
    Mutant("the rotation the other way", "sp.cos(alpha + 2 * half)\n", "sp.cos(alpha - 2 * half)\n", Refuted),
    Mutant(
        "a change of half the size",
        '2 * sp.Abs(sp.sin(half)), because="no',
        'sp.Abs(sp.sin(half)), because="no',
        Refuted,
    ),
    Mutant("the largest change at the wrong angle", "sp.pi / 2 - half)]", "sp.pi / 2 + half)]", Refuted),
    Mutant("chunks that are left", "sp.Eq(b[i], b[i + 1])", "sp.Eq(b[i], b[i + 1] + 1)", Refuted),
    Mutant("a larger sum, a larger weight", "given=[Z <= 1 + (N - 1) * x]", "given=[Z >= 1 + (N - 1) * x]", Refuted),
    Mutant(
        "the right token left out of the sum", "1 / (1 + (N - 1) * x), because", "1 / ((N - 1) * x), because", Refuted
    ),
]


class TestProofs(Proofs):
    chapter = "extension/mixed-layers"
    mutants = MUTANTS
