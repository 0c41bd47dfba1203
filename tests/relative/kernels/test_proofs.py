"""The derivations of relative/kernels, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant("a cosine without its constant", "sp.cos(theta[i] * (m - n)) - 1)", "sp.cos(theta[i] * (m - n)))", Refuted),
    Mutant("the squares of the sines left out", "** 2 + S(theta[i]) ** 2", "** 2", Refuted),
    Mutant("the two squares subtracted", "** 2 + S(theta[i]) ** 2", "** 2 - S(theta[i]) ** 2", Refuted),
    Mutant(
        "weights of either sign", 'sp.IndexedBase("g", nonnegative=True)', 'sp.IndexedBase("g", real=True)', Refuted
    ),
    Mutant("the bound without the weights", "-sp.Sum(g[i], (i, 1, J)) * total**2", "-(total**2)", Refuted),
    Mutant("a kernel at least 0 on all numbers", "-sp.Sum(g[i], (i, 1, J)) * total**2", "sp.Integer(0)", Refuted),
    Mutant("d instead of half of it", "product - d / 2, claim", "product - d, claim", Refuted),
    Mutant("a sine of the sum of positions", 'B(m - n), because="addition', 'B(m + n), because="addition', Refuted),
    Mutant(
        "a floor of half the depth", '-d, because="no cosine is below', '-d / 2, because="no cosine is below', Refuted
    ),
    Mutant("other numbers", "form((1, -2, 1), steep)", "form((1, -1, 0), steep)", Refuted),
    Mutant("the corner counted once", "2 * r_1 * 4 * (1 - 2**above)", "r_1 * 4 * (1 - 2**above)", Refuted),
    Mutant("an exponent below 2", "t ** (2 + above)", "t ** (2 - above)", Refuted),
    Mutant("the square rewarded", "-r_1 * a[m] * a[n] * (m - n) ** 2", "r_1 * a[m] * a[n] * (m - n) ** 2", Refuted),
    Mutant("the moment once", "2 * r_1 * moment**2", "r_1 * moment**2", Refuted),
    Mutant("the cross term with a plus", "- 2 * r_1 * total * spread", "+ 2 * r_1 * total * spread", Refuted),
    Mutant("equal numbers at the ends and inside", "-2 * c - r_1\n", "-2 * c\n", Refuted),
    Mutant("a constant enough for any exponent", "c - r_1 * t**2", "c - r_1 * t", Refuted),
    Mutant(
        "the exponential above its tangent",
        'because="eˣ ≥ 1 + x",\n        sign="≥"',
        'because="eˣ ≥ 1 + x",\n        sign="≤"',
        Refuted,
    ),
    Mutant(
        "the ratio the other way up",
        "s * sp.log(1 - r_2 / back), because",
        "s * sp.log(1 + r_2 / back), because",
        Refuted,
    ),
    Mutant(
        "the exponent not raised",
        "s * r_2 * back ** (-1 - s),\n        because",
        "s * r_2 * back ** (-s),\n        because",
        Refuted,
    ),
    Mutant(
        "the sum with one end too far",
        "1 - (1 + r_2 * J) ** -s, because",
        "1 - (1 + r_2 * (J + 1)) ** -s, because",
        Refuted,
    ),
    Mutant(
        "the harmonic sum held by the same bound",
        "s * r_2 * back ** (-1 - s)), claim",
        "s * r_2 * back ** (-s)), claim",
        Refuted,
    ),
    Mutant("r_1 above 1 drowns as well", "here ** (below - 1)", "here ** (-below - 1)", Refuted),
    Mutant("the logarithm of one key fewer", "sp.log(1 + r_2 * N), claim", "sp.log(1 + r_2 * (N - 1)), claim", Refuted),
    Mutant(
        "the rise bounded at its other end",
        "sp.log(1 + r_2 / here), because",
        "sp.log(1 + r_2 / back), because",
        Refuted,
    ),
    Mutant("the floor with the other sign", "over(sp.exp(-M), k), because", "over(sp.exp(M), k), because", Refuted),
    Mutant("a floor for each key", "N * sp.exp(-M), because", "sp.exp(-M), because", Refuted),
    Mutant(
        "the logarithm below the line",
        'log_bias,\n    because="ln(1 + x) ≤ x",\n    sign="≤"',
        'log_bias,\n    because="ln(1 + x) ≤ x",\n    sign="≥"',
        Refuted,
    ),
    Mutant("the line too steep above", "line(k) / (1 + r_2 * k),", "line(k) / (1 + k),", Refuted),
    Mutant(
        "the constant once outside",
        "outside / over(sp.exp(shift) * sp.exp(score[n]), n)",
        "outside / over(sp.exp(score[n]), n)",
        Refuted,
    ),
]


class TestProofs(Proofs):
    chapter = "relative/kernels"
    mutants = MUTANTS
