"""The derivations of rotary/in-practice, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
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
