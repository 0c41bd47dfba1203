"""The derivations of shapes/points, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant("the sines are left out", "+ sp.sin(alpha) * sp.sin(beta)", "+ 0 * sp.sin(beta)", Refuted),
    Mutant("the sum of the angles", "sp.cos(alpha - beta)),", "sp.cos(alpha + beta)),", Refuted),
    Mutant("the sum of the points", "(p_m[a] - p_n[a])", "(p_m[a] + p_n[a])", Refuted),
    Mutant(
        "without pi a step of 2 changes nothing",
        "sp.cos(2**l * sp.pi * (p + 2))",
        "sp.cos(2**l * (p + 2))",
        Refuted,
    ),
    Mutant("a step of 1 changes nothing", "sp.cos(2**l * sp.pi * (p + 2))", "sp.cos(2**l * sp.pi * (p + 1))", Refuted),
    Mutant("a sine turns its sign", "sp.sin(2**l * sp.pi * p), because", "-sp.sin(2**l * sp.pi * p), because", Refuted),
    Mutant("all octaves come back at 1", ".step(L - 2, because", ".step(L, because", Refuted),
    Mutant("the first octave counts nothing", ".step(L - 2, because", ".step(L - 1, because", Refuted),
    Mutant(
        "the bandwidth divides",
        "sp.exp(-(sigma**2) * r**2 / 2), because",
        "sp.exp(-(r**2) / (2 * sigma**2)), because",
        Refuted,
    ),
    Mutant(
        "the half is forgotten",
        "sp.exp(-(sigma**2) * r**2 / 2), because",
        "sp.exp(-(sigma**2) * r**2), because",
        Refuted,
    ),
    Mutant(
        "the axes add up without squares",
        "sp.Sum(r_a[a] ** 2, (a, 1, c))",
        "sp.Sum(r_a[a], (a, 1, c)) ** 2",
        Refuted,
    ),
    Mutant("the mean is not taken off", "mean_square - kappa(distance) ** 2,", "mean_square,", Refuted),
    Mutant(
        "the kernel at twice the distance is its square",
        "(1 + kappa(2 * distance)) / 2",
        "(1 + kappa(distance) ** 2) / 2",
        Refuted,
    ),
    Mutant("half the angle", "(1 + sp.cos(2 * x)) / 2,", "(1 + sp.cos(x)) / 2,", Refuted),
    Mutant("no root of 2 on the phases", "2 * sp.cos(u + phi)", "sp.cos(u + phi)", Refuted),
    Mutant("one phase", "rest = sp.cos(u + v + 2 * phi)", "rest = sp.cos(u + v + phi)", Refuted),
    Mutant("the phase adds a whole", "sp.Rational(1, 2), because", "1, because", Refuted),
    Mutant("as many phases as pairs", "(1 + (1 - k**2) ** 2) / (4 * M)", "(1 + (1 - k**2) ** 2) / (8 * M)", Refuted),
    Mutant("a kernel above one", "given=[k <= 1]", "given=[k >= 1]", Refuted),
    Mutant(
        "both sides once", "2 * wave(x) * kappa(t) * wave(t), because", "wave(x) * kappa(t) * wave(t), because", Refuted
    ),
    Mutant("the wave in units of the points", "-(omega**2) / (2 * sigma**2)", "-(omega**2) * sigma**2 / 2", Refuted),
    Mutant("the root is left out", "sp.sqrt(2 * sp.pi) / sigma *", "1 / sigma *", Refuted),
    Mutant("the eighth of a turn is not seen", "two_axes(1, 1)", "two_axes(sp.sqrt(2), 0)", Refuted),
    Mutant(
        "more than a half is left along an axis",
        '    0, because="no cosine',
        '    sp.Rational(1, 2), because="no cosine',
        Refuted,
    ),
    Mutant("any matrix", "    given=[sp.Eq(Q.T * Q, sp.Identity(c))],\n", "", Refuted),
    Mutant(
        "the sum of the places",
        "(here_m - here_n).T * (here_m - here_n)",
        "(here_m + here_n).T * (here_m + here_n)",
        Refuted,
    ),
    Mutant("degree 1 without its factor", "3 / (4 * sp.pi) * cosine, because", "cosine, because", Refuted),
    Mutant("points off the sphere", "    given=on_sphere,\n", "", Refuted),
    Mutant("the square of the cosine alone", "(3 * cosine**2 - 1) / 2", "3 * cosine**2 / 2", Refuted),
    Mutant("degree 2 with the factor of degree 1", "5 / (4 * sp.pi) * (3", "3 / (4 * sp.pi) * (3", Refuted),
]


class TestProofs(Proofs):
    chapter = "shapes/points"
    mutants = MUTANTS
