"""The derivations of rotary/rotary, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant(
        "length to the first power",
        'rho(q, 0) ** 2, because="$m = n = 0$"',
        'rho(q, 0), because="$m = n = 0$"',
        Refuted,
    ),
    Mutant("length doubled", "sp.Abs(q) ** 2, because", "2 * sp.Abs(q) ** 2, because", Refuted),
    Mutant("lengths used at other places", "by=lengths.at(q, q, m, m)", "by=lengths.at(q, q, m, n)", Undecided),
    Mutant("lengths that cannot be met", "sp.Abs(q) * sp.Abs(k)),", "sp.Abs(q) + sp.Abs(k)),", Refuted),
    Mutant("position 0 doubles a length", "sp.Eq(rho(q, 0), sp.Abs(q))", "sp.Eq(rho(q, 0), 2 * sp.Abs(q))", Refuted),
    Mutant("directions added", "        Phi(q, 0) - Phi(k, 0),", "        Phi(q, 0) + Phi(k, 0),", Refuted),
    Mutant("demand at the wrong distance", ".step(Gamma(q, k, 0)", ".step(Gamma(q, k, 1)", Refuted),
    Mutant("the other vector forgotten", "by=directions.at(q, k, m, m)", "by=directions.at(q, q, m, m)", Undecided),
    Mutant("a turn that grows too fast", "sp.arg(q) + m * theta)", "sp.arg(q) + m**2 * theta)", Refuted),
    Mutant("each step taken for two", "sp.Sum(Gamma(q, q, 1)", "sp.Sum(Gamma(q, q, 2)", Refuted),
    Mutant("demand two positions back", "at(q, q, j, j - 1)", "at(q, q, j, j - 2)", Undecided),
    Mutant("the first step lost", "M * (Phi(q, 1) - Phi(q, 0))", "Phi(q, M) - Phi(q, 1)", Refuted),
    Mutant("a negative position, one step too many", "-j), (j, 1, M))\none_back", "-j), (j, 0, M))\none_back", Refuted),
    Mutant("back by two", "at(q, q, 1 - j, -j)}", "at(q, q, 2 - j, -j)}", Undecided),
    Mutant(
        "negative positions turn the same way",
        "back = Phi(q, 0) - Phi(q, -M)",
        "back = Phi(q, -M) - Phi(q, 0)",
        Refuted,
    ),
    Mutant("telescope starts one late", "(j, 1, M))\nby_demand", "(j, 2, M))\nby_demand", Refuted),
    Mutant("one step too many", "M * Gamma(q, q, 1), because", "(M + 1) * Gamma(q, q, 1), because", Refuted),
    Mutant("the direction doubled", "* sp.exp(sp.I * m * theta),\n", "* sp.exp(2 * sp.I * m * theta),\n", Refuted),
    Mutant("the length lost", "    length * sp.exp(sp.I * alpha)", "    sp.exp(sp.I * alpha)", Refuted),
    Mutant(
        "turns subtracted", 'R(m + n), because="addition theorems"', 'R(m - n), because="addition theorems"', Refuted
    ),
    Mutant("a sine without its sign", "[[cos, -sin], [sin, cos]]", "[[cos, sin], [sin, cos]]", Refuted),
    Mutant("transpose lost", "Derivation((R(n) * k).T * R(m)", "Derivation((R(-n) * k).T * R(m)", Refuted),
    Mutant("rotated back the wrong way", ".step(k.T * R(-n) * R(m) * q,", ".step(k.T * R(n) * R(m) * q,", Refuted),
    Mutant("distance the wrong way round", ".step(k.T * R(m - n) * q,", ".step(k.T * R(n - m) * q,", Refuted),
    Mutant("position of the key forgotten", "Derivation((R(n) * k).T", "Derivation((R(0) * k).T", Refuted),
    Mutant("cross product with the wrong sign", "q0 * k1 - q1 * k0\n", "q1 * k0 - q0 * k1\n", Refuted),
    Mutant("cross product lost", " + cross * sp.sin((m - n) * theta)", "", Refuted),
    Mutant("conjugate lost", "sp.re(z * sp.conjugate(w) * turn(m - n))", "sp.re(z * w * turn(m - n))", Refuted),
    Mutant("exponents added", "* turn(m - n)), because", "* turn(m + n)), because", Refuted),
    Mutant("norm without the square", "q0**2 + q1**2, because", "q0 + q1, because", Refuted),
    Mutant("permutation sorts nothing", "[0, 0, 1, 0], [0, 1, 0, 0]", "[0, 1, 0, 0], [0, 0, 1, 0]", Refuted),
    Mutant("halves in the wrong order", "[[c, -s], [s, c]]", "[[c, s], [-s, c]]", Refuted),
    Mutant("permutation does not cancel", ".step(R_n.T * R_m,", ".step(R_m.T * R_n,", Refuted),
    Mutant("second half negated instead of the first", "[-x2, -x3, x0, x1]", "[x2, x3, -x0, -x1]", Refuted),
    Mutant("rotate_half pairs neighbours", "[-x2, -x3, x0, x1]", "[-x1, x0, -x3, x2]", Refuted),
    Mutant("cosines interleaved for halves", "sp.cos(m * slow)] * 2", "sp.cos(m * theta)] * 2", Refuted),
    Mutant("output turned back", "turn(t) * output(0)", "turn(-t) * output(0)", Refuted),
    Mutant("output not turned", "turn(t) * output(0)", "output(0)", Refuted),
    Mutant("mirror that is a turn", "[sp.sin(c), -sp.cos(c)]", "[-sp.sin(c), sp.cos(c)]", Refuted),
    Mutant(
        "sum taken for the distance",
        'R(-(m + n)), because="two rotations the same way"',
        'R(m - n), because="two rotations the same way"',
        Refuted,
    ),
]


class TestProofs(Proofs):
    chapter = "rotary/rotary"
    mutants = MUTANTS
