"""The derivations of rotary/axes, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant("a sine without its sign", "[[cos, -sin], [sin, cos]]", "[[cos, sin], [sin, cos]]", Refuted),
    Mutant(
        "rotated back the wrong way", "k.T * R(-y_k, -x_k) * R(y, x) * q", "k.T * R(y_k, x_k) * R(y, x) * q", Refuted
    ),
    Mutant("columns added", "k.T * R(y - y_k, x - x_k) * q", "k.T * R(y - y_k, x + x_k) * q", Refuted),
    Mutant(
        "row and column exchanged in the key",
        "Derivation((R(y_k, x_k) * k).T * R(y, x)",
        "Derivation((R(x_k, y_k) * k).T * R(y, x)",
        Refuted,
    ),
    Mutant("angles multiplied", "rotation(y * theta_y + x * theta_x)", "rotation(y * theta_y * x * theta_x)", Refuted),
    Mutant("transpose lost", "(R(y_k, x_k) * k).T * R(y, x)", "(R(-y_k, -x_k) * k).T * R(y, x)", Refuted),
    Mutant(
        "seen from the patch below", "(R(y_k, x_k) * k).T * R(0, 0) * q", "(R(y_k, x_k) * k).T * R(1, 0) * q", Refuted
    ),
    Mutant("the key not rotated", "Derivation((R(y_k, x_k) * k).T * q,", "Derivation(k.T * q,", Refuted),
    Mutant("along the other diagonal", "Derivation(Q(y - u, x + u)", "Derivation(Q(y + u, x + u)", Refuted),
    Mutant("along the gradient", "R(y - u * theta_x, x + u * theta_y)", "R(y + u * theta_y, x + u * theta_x)", Refuted),
    Mutant(
        "each axis with its own", "R(y - u * theta_x, x + u * theta_y)", "R(y - u * theta_y, x + u * theta_x)", Refuted
    ),
    Mutant("an axial pair for a mixed one", "rotation(y * theta + x * theta)", "rotation(x * theta)", Refuted),
    Mutant(
        "corners of one side",
        "values(0, 0) + values(h, h), values(0, h)",
        "values(0, 0) + values(0, h), values(h, h)",
        Refuted,
    ),
    Mutant("a score that is a product", "f(y) + g(x))", "f(y) * g(x))", Refuted),
    Mutant("stripes twice as fast", "sp.cos(sp.pi * t / h)", "sp.cos(2 * sp.pi * t / h)", Refuted),
    Mutant("a quarter for a half", "w(0) + w(2 * h) - 2 * w(h)", "w(0) + w(h) - 2 * w(2 * h)", Refuted),
    Mutant("three corners", "[(0, 0), (0, h), (h, 0), (h, h)]", "[(0, 0), (0, h), (h, 0)]", Refuted),
    Mutant("off by less than a quarter each", ".step(4 * epsilon,", ".step(3 * epsilon,", Refuted),
    Mutant(
        "triangle inequality the wrong way",
        'because="triangle inequality", sign="≤"',
        'because="triangle inequality", sign="≥"',
        Refuted,
    ),
    Mutant("two equal positions", "[sp.Eq(t, m), sp.Eq(y, m), sp.Eq(x, m)]", "[sp.Eq(t, m), sp.Eq(y, m)]", Refuted),
    Mutant(
        "a pair that follows two axes",
        "sp.Eq(delta_t + delta_y + delta_x, 1)",
        "sp.Eq(delta_t + delta_y + delta_x, 2)",
        Refuted,
    ),
    Mutant("time forgotten", "(t * delta_t + y * delta_y", "(delta_t + y * delta_y", Refuted),
    Mutant("pairs counted as features", "base ** (-2 * (40 + j) / 128)", "base ** (-(40 + j) / 128)", Refuted),
    Mutant("the pairs of the rows", "base ** (-2 * (40 + j) / 128)", "base ** (-2 * (16 + j) / 128)", Refuted),
    Mutant("base 10,000", "base = sp.Integer(10) ** 6", "base = sp.Integer(10) ** 4", Refuted),
    Mutant("later pairs faster", "base ** (-j / 64),\n", "base ** (j / 64),\n", Refuted),
    Mutant("a smaller angle", "sp.Rational(18, 1000)", "sp.Rational(17, 1000)", Refuted),
    Mutant(
        "the product with a minus",
        "2 * sp.cos(y * theta) * sp.cos(x * theta)",
        "-2 * sp.sin(y * theta) * sp.sin(x * theta)",
        Refuted,
    ),
]


class TestProofs(Proofs):
    chapter = "rotary/axes"
    mutants = MUTANTS
