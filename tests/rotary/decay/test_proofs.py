"""The derivations of rotary/decay, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant(
        "kernel never rises",
        'with bounds on their errors", sign="<"',
        'with bounds on their errors", sign=">"',
        Refuted,
    ),
    Mutant(
        "kernel rises from the start",
        'with bounds on their errors", sign=">"',
        'with bounds on their errors", sign="<"',
        Refuted,
    ),
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
    Mutant("largest difference taken for the smallest", "<= mu]", ">= mu]", Refuted),
    Mutant("mean of a cosine", '0, because="a whole turn"\n', '1, because="a whole turn"\n', Refuted),
    Mutant("mean of a squared cosine is one", "sp.Rational(1, 2), because", "1, because", Refuted),
    Mutant("pairs counted as features", "(i, 0, d / 2 - 1)),\n    given", "(i, 0, d - 1)),\n    given", Refuted),
    Mutant("query turned the wrong way", "k.T * R(t) * R(-r) * k,", "k.T * R(t) * R(r) * k,", Refuted),
    Mutant("preferred distance with the wrong sign", "sp.Eq(t, r)", "sp.Eq(t, -r)", Refuted),
    Mutant("distances added", ".step(k.T * R(t - r) * k,", ".step(k.T * R(t + r) * k,", Refuted),
    Mutant("length without the square", "(k0**2 + k1**2) * sp.cos", "(k0 + k1) * sp.cos", Refuted),
    Mutant(
        "bound without the square",
        "(i, 0, d / 2 - 1)) for e in (term, ell[i] ** 2))",
        "(i, 0, d / 2 - 1)) for e in (term, ell[i]))",
        Refuted,
    ),
    Mutant(
        "a whole number of radians is never below one",
        '1, because="π is irrational", sign="<"',
        '1, because="π is irrational", sign=">"',
        Refuted,
    ),
    Mutant("double angle with the wrong sign", "(u - v) ** 2 / 2 * sp.cos", "-((u - v) ** 2) / 2 * sp.cos", Refuted),
    Mutant(
        "the first pair has no length",
        'first = sp.Symbol(r"\\ell_0", positive=True)',
        'first = sp.Symbol(r"\\ell_0", nonnegative=True)',
        Refuted,
    ),
    Mutant("lower at the distance itself too", "given=[sp.Ne(t, r)]", "given=[sp.Eq(t, r)]", Refuted),
    Mutant("the other pairs score nothing", "first**2 * sp.cos(t - r) + full,", "first**2 * sp.cos(t - r),", Refuted),
]


class TestProofs(Proofs):
    chapter = "rotary/decay"
    mutants = MUTANTS
