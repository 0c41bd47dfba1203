"""The derivations of rotary/variations, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant(
        "the words shift the other way",
        "t * theta + alpha - beta), because",
        "t * theta - alpha + beta), because",
        Refuted,
    ),
    Mutant(
        "the words do not shift", "sp.cos(t * theta + alpha - beta), because", "sp.cos(t * theta), because", Refuted
    ),
    Mutant("a clockwise rotation", "[[cos, -sin], [sin, cos]]", "[[cos, sin], [-sin, cos]]", Refuted),
    Mutant(
        "the phase with the other sign", "sp.cos((m - n) * theta - delta),", "sp.cos((m - n) * theta + delta),", Refuted
    ),
    Mutant("positions added", "sp.cos((m - n) * theta - delta),", "sp.cos((m + n) * theta - delta),", Refuted),
    Mutant(
        "the phase on both sides",
        "query = mu(x) * direction(m * theta)",
        "query = mu(x) * direction(m * theta + delta)",
        Refuted,
    ),
    Mutant("features of either sign", "lengths = mu(X[c]) * mu(Y[c])", "lengths = X[c] * Y[c]", Refuted),
    Mutant("the peak is a trough", 'no cosine is above 1", sign="≤"', 'no cosine is above 1", sign="≥"', Refuted),
    Mutant("a peak on the other side", "sp.Eq(T, r)]", "sp.Eq(T, -r)]", Refuted),
    Mutant("no conjugate", "sp.Eq(f(m) * sp.conjugate(f(n)), g(m - n))", "sp.Eq(f(m) * f(n), g(m - n))", Refuted),
    Mutant("a step the other way", ".step(f(m) * g(1), because", ".step(f(m) * g(-1), because", Refuted),
    Mutant(
        "the beat is as fast as the waves",
        "sp.cos(m * (omega - nu)), because",
        "sp.cos(m * (omega + nu)), because",
        Refuted,
    ),
    Mutant("no beat", "1 + s**2 + 2 * s * sp.cos(m * (omega - nu)), because", "1 + s**2, because", Refuted),
    Mutant("a right angle the other way", "sp.Matrix([q1, -q0])", "sp.Matrix([-q1, q0])", Refuted),
    Mutant("the imaginary part without the conjugate", "sp.conjugate(k0 + sp.I * k1)", "(k0 + sp.I * k1)", Refuted),
    Mutant("the way back goes on", "outside = turn(-m)", "outside = turn(m)", Refuted),
    Mutant("the distance the other way", "turn(j - m), (j, 0, last)),", "turn(m - j), (j, 0, last)),", Refuted),
    Mutant("real and imaginary part without squares", "real**2 + imaginary**2", "real + imaginary", Refuted),
]


class TestProofs(Proofs):
    chapter = "rotary/variations"
    mutants = MUTANTS
