"""The derivations of rotary/rotary, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant(
        "length to the first power",
        'rho(q, 0) ** 2, because="m = n = 0"',
        'rho(q, 0), because="m = n = 0"',
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
    Mutant("telescope starts one late", "(j, 1, M))\nby_demand", "(j, 2, M))\nby_demand", Refuted),
    Mutant("one step too many", "M * Gamma(q, q, 1), because", "(M + 1) * Gamma(q, q, 1), because", Refuted),
    Mutant("the direction doubled", "* sp.exp(sp.I * m * theta),\n", "* sp.exp(2 * sp.I * m * theta),\n", Refuted),
    Mutant("the length lost", "    length * sp.exp(sp.I * alpha)", "    sp.exp(sp.I * alpha)", Refuted),
    Mutant(
        "turns subtracted", 'R(m + n), because="addition theorems"', 'R(m - n), because="addition theorems"', Refuted
    ),
    Mutant("a sine without its sign", "[[cos, -sin], [sin, cos]]", "[[cos, sin], [sin, cos]]", Refuted),
    Mutant("transpose lost", "Derivation(R(m).T * R(n), claim", "Derivation(R(m) * R(n), claim", Refuted),
    Mutant(
        "distance the wrong way round",
        'q.T * R(n - m) * k, because="a turn back',
        'q.T * R(m - n) * k, because="a turn back',
        Refuted,
    ),
    Mutant("frequency and base of the key forgotten", "lambda n: R(n) * k", "lambda n: k", Refuted),
    Mutant("cross product with the wrong sign", "(q0 * k1 - q1 * k0)", "(q1 * k0 - q0 * k1)", Refuted),
    Mutant("cross product lost", "even + odd, because", "even, because", Refuted),
    Mutant("conjugate lost", "sp.re(z * sp.conjugate(w) * turn(m - n))", "sp.re(z * w * turn(m - n))", Refuted),
    Mutant("exponents added", "* turn(m - n)), because", "* turn(m + n)), because", Refuted),
    Mutant("norm without the square", "q0**2 + q1**2, because", "q0 + q1, because", Refuted),
    Mutant("permutation sorts nothing", "[0, 0, 1, 0], [0, 1, 0, 0]", "[0, 1, 0, 0], [0, 0, 1, 0]", Refuted),
    Mutant("halves in the wrong order", "[[c, -s], [s, c]]", "[[c, s], [-s, c]]", Refuted),
    Mutant("permutation does not cancel", ".step(R_m.T * R_n,", ".step(R_n.T * R_m,", Refuted),
    Mutant("second half negated instead of the first", "[-x2, -x3, x0, x1]", "[x2, x3, -x0, -x1]", Refuted),
    Mutant("rotate_half pairs neighbours", "[-x2, -x3, x0, x1]", "[-x1, x0, -x3, x2]", Refuted),
    Mutant("cosines interleaved for halves", "sp.cos(m * slow)] * 2", "sp.cos(m * theta)] * 2", Refuted),
    Mutant("output turned back", "turn(s) * output(0)", "turn(-s) * output(0)", Refuted),
    Mutant("output not turned", "turn(s) * output(0)", "output(0)", Refuted),
    Mutant("kernel never rises", 'with error bounds", sign="<"', 'with error bounds", sign=">"', Refuted),
    Mutant("kernel rises from the start", 'with error bounds", sign=">"', 'with error bounds", sign="<"', Refuted),
    Mutant(
        "summation by parts, index",
        "- over(S[i + 1] * (h[i + 1] - h[i])),\n",
        "- over(S[i] * (h[i + 1] - h[i])),\n",
        Refuted,
    ),
    Mutant("wrong end vanishes", "sp.Eq(h[N], 0), sp.Abs", "sp.Eq(h[0], 0), sp.Abs", Refuted),
    Mutant("an end forgotten", "given = [sp.Eq(S[0], 0), ", "given = [", Refuted),
    Mutant("not by parts", "        by=by_parts,\n", "", Undecided),
    Mutant("bound without its factor", "mu * over(sp.Abs", "over(sp.Abs", Refuted),
    Mutant(
        "triangle inequality the wrong way",
        'because="triangle inequality", sign="≤"',
        'because="triangle inequality", sign="≥"',
        Refuted,
    ),
    Mutant("mean of a cosine", '.step(0, because="a whole turn")', '.step(1, because="a whole turn")', Refuted),
    Mutant("mean of a squared cosine is one", "sp.Rational(1, 2), because", "1, because", Refuted),
    Mutant("pairs counted as features", "(i, 0, d / 2 - 1)),\n    given", "(i, 0, d - 1)),\n    given", Refuted),
    Mutant("query turned the wrong way", "Derivation(k.T * R(-r).T", "Derivation(k.T * R(r).T", Refuted),
    Mutant("preferred distance with the wrong sign", "sp.Eq(m, n + r)", "sp.Eq(m, n - r)", Refuted),
    Mutant("bound without the square", "for e in (term, ell[i] ** 2))", "for e in (term, ell[i]))", Refuted),
    Mutant(
        "a whole number of radians is never below one",
        '1, because="π is irrational", sign="<"',
        '1, because="π is irrational", sign=">"',
        Refuted,
    ),
    Mutant("mirror that is a turn", "[sp.sin(c), -sp.cos(c)]", "[-sp.sin(c), sp.cos(c)]", Refuted),
    Mutant(
        "sum taken for the distance",
        'R(m + n), because="two turns the same way"',
        'R(m - n), because="two turns the same way"',
        Refuted,
    ),
]


class TestProofs(Proofs):
    chapter = "rotary/rotary"
    mutants = MUTANTS
