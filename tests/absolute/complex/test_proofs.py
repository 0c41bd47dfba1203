"""The derivations of absolute/complex, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant("the map of 1/(1 + m) loses its denominator", "y / (1 + y)", "y / (2 + y)", Refuted),
    Mutant("the power does not move on", "z ** (m + 1) * f(0)", "z**m * f(0)", Refuted),
    Mutant("the step adds instead of multiplying", "sp.Eq(f(m + 1), z * f(m))", "sp.Eq(f(m + 1), z + f(m))", Refuted),
    Mutant("a shift multiplies by z once", "z**s * powers(m)", "z * powers(m)", Refuted),
    Mutant("the length of the start forgotten", "sp.Abs(z) ** m * sp.Abs(a)", "sp.Abs(z) ** m * a", Refuted),
    Mutant("the length loses the position", "sp.Abs(z) ** m * sp.Abs(a)", "sp.Abs(z) * sp.Abs(a)", Refuted),
    Mutant("bounded at any length", "sp.Abs(z) <= 1, sp.Abs(z) ** m", "sp.Abs(z) >= 1, sp.Abs(z) ** m", Refuted),
    Mutant("the bound said of one power alone", "short = [sp.Abs(z) <= 1, ", "short = [", Refuted),
    Mutant("growth: the product not multiplied out", "1 + (m + 1) * eps + m * eps**2", "1 + (m + 1) * eps", Refuted),
    Mutant("growth: twice too fast", "1 + (m + 1) * eps, because", "1 + 2 * (m + 1) * eps, because", Refuted),
    Mutant("backwards like forwards", "sp.Abs(z) ** m * sp.Abs(f(-m))", "sp.Abs(z) ** m * sp.Abs(f(m))", Refuted),
    Mutant(
        "the phase multiplied by the position too",
        "lambda m: r * sp.exp(i * (omega * m + phi))",
        "lambda m: r * sp.exp(i * (omega + phi) * m)",
        Refuted,
    ),
    Mutant("real and imaginary part exchanged", "[r * cosine, r * sine, r]", "[r * sine, r * cosine, r]", Refuted),
    Mutant("the length without the root", "[r * cosine, r * sine, r]", "[r * cosine, r * sine, r**2]", Refuted),
    Mutant("the sine without its phase", "sp.sin(omega * m + phi)", "sp.sin(omega * m)", Refuted),
    Mutant("the word loses its phase", "r * sp.exp(i * phi) * p(m)", "r * p(m)", Refuted),
    Mutant("the distance keeps, whatever p", "sp.Abs(c) * sp.Abs(x - y)", "sp.Abs(x - y)", Refuted),
    Mutant("the distance squared", "sp.Abs(c) * sp.Abs(x - y)", "sp.Abs(c) ** 2 * sp.Abs(x - y)", Refuted),
    Mutant("the matrix turned the other way", "[[cos, -sin], [sin, cos]]", "[[cos, sin], [-sin, cos]]", Refuted),
    Mutant("the matrix of the plain product", "[[cos, -sin], [sin, cos]]", "[[cos, 0], [0, sin]]", Refuted),
    Mutant("the conjugate forgotten", "w1 * m - w2 * n + f1 - f2", "w1 * m + w2 * n + f1 + f2", Refuted),
    Mutant("the phases not turned back", "w1 * m - w2 * n + f1 - f2", "w1 * m - w2 * n + f1 + f2", Refuted),
    Mutant("own frequencies are relative", "sp.exp(i * (w1 - w2) * s) * q(m)", "q(m)", Refuted),
    Mutant("the shift with the sum of the frequencies", "(w1 - w2) * s", "(w1 + w2) * s", Refuted),
    Mutant("what one step turns, without the half angle", "sp.sin((w1 - w2) / 2)", "sp.sin(w1 - w2)", Refuted),
    Mutant(
        "the sum of the frequencies is a whole turn",
        "one_step = sp.exp(i * (w1 - w2))",
        "one_step = sp.exp(i * (w1 + w2))",
        Refuted,
    ),
    Mutant("relative without shared frequencies", "sp.Eq(w2, w1)", "sp.Eq(r2, r1)", Refuted),
    Mutant("before and after exchanged", "w1 * (n - m) + f2 - f1", "w1 * (m - n) + f2 - f1", Refuted),
    Mutant("the bare product moved once", "sp.exp(2 * i * w1 * s)", "sp.exp(i * w1 * s)", Refuted),
    Mutant("the bare product unmoved", "sp.exp(2 * i * w1 * s) * q(m)", "q(m)", Refuted),
    Mutant(
        "the length of the product sees the distance",
        "r1 * r2, because",
        "r1 * r2 * sp.cos(w1 * (m - n)), because",
        Refuted,
    ),
    Mutant("frequencies repeat after half a turn", "omega + 2 * sp.pi", "omega + sp.pi", Refuted),
    Mutant("the gradient does not grow", "i * m * wave(m)", "i * wave(m)", Refuted),
    Mutant("the gradient in phase with the wave", "i * m * wave(m)", "m * wave(m)", Refuted),
    Mutant("the gradient is longer before 0", "r * sp.Abs(m), because", "r * m, because", Refuted),
    Mutant("one term too many in the sum", "(j, 0, N - 1)", "(j, 0, N)", Refuted),
    Mutant("the geometric sum without its sign", "sp.Abs(1 - z**N)", "sp.Abs(1 + z**N)", Refuted),
    Mutant("the triangle inequality the wrong way", "1 + sp.Abs(z) ** N", "1 - sp.Abs(z) ** N", Refuted),
    Mutant("the mean of |cos| over half a turn", "2 * half_turn / (2 * sp.pi)", "half_turn / (2 * sp.pi)", Refuted),
]


class TestProofs(Proofs):
    chapter = "absolute/complex"
    mutants = MUTANTS
