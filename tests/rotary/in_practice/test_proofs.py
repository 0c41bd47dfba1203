"""The derivations of rotary/in-practice, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant("turns subtracted", 'R(m + n), because="both turn', 'R(m - n), because="both turn', Refuted),
    Mutant("the other sense on one side", "    .step(R(n) * R(m),", "    .step(R(-n) * R(m),", Refuted),
    Mutant("a shear for a rotation", "[[cos, -sin], [sin, cos]]", "[[cos, -sin], [0, cos]]", Refuted),
    Mutant(
        "generators need not commute",
        "given = [*one_generator, sp.Eq(A_far * By, By * A_far)]",
        "given = one_generator",
        Refuted,
    ),
    Mutant("key not transposed", "(Au * Bv).T * (Ax * By), given", "(Au * Bv) * (Ax * By), given", Refuted),
    Mutant("the order of a transposed product", ".step(Bv.T * A_far * By,", ".step(A_far * Bv.T * By,", Refuted),
    Mutant("the places added", "Eq(Au.T * Ax, A_far)", "Eq(Au * Ax, A_far)", Refuted),
    Mutant("planes that share no feature", "sp.diag(1, quarter))()", "sp.diag(quarter, 1))()", Undecided),
    Mutant("the base to the inverse power", "freq(b ** (d / r), d)", "freq(b ** (r / d), d)", Refuted),
    Mutant("the base kept", "freq(b ** (d / r), d)", "freq(b, d)", Refuted),
    Mutant("multiplied by the size", "base ** (-2 * i / size)", "base ** (-2 * i * size)", Refuted),
    Mutant("the angle of the mean forgotten", "sp.Abs(sp.sin(angle + half))", "sp.Abs(sp.sin(angle))", Refuted),
    Mutant("two forgotten", ".step(2 * sp.Abs(sp.sin(half)),", ".step(sp.Abs(sp.sin(half)),", Refuted),
    Mutant("half of the error", "        angle * sp.Abs(delta),", "        angle * sp.Abs(delta) / 2,", Refuted),
    Mutant("the sine at another place", "by=SINE.at(half)", "by=SINE.at(angle)", Undecided),
    Mutant("the mirror keeps the sense", "S * R(-m), because", "S * R(m), because", Refuted),
    Mutant("the mirror at the other axis too", "lambda: sp.diag(1, -1)", "lambda: sp.diag(-1, -1)", Refuted),
]


class TestProofs(Proofs):
    chapter = "rotary/in-practice"
    mutants = MUTANTS
