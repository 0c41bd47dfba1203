"""The derivations of extension/longrope, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

CRITICAL = "2 * sp.pi * b ** (2 * (c - i) / d), because"
DRIFT = "lambda: R(r * new) * R(n * (new - old)), because"
BOUND = 'sp.pi / (w * wave), because="rounding'
TURN = "(drifted, 0, 2 * sp.pi)"
AGAIN = "R(n * (new - old)) * R(n * old), claim"

MUTANTS = [
    Mutant("the logarithm of the length alone", "sp.log(L / (2 * sp.pi)) /", "sp.log(L) /", Refuted),
    Mutant("features for pairs", "Eq(c, d / 2 *", "Eq(c, d *", Refuted),
    Mutant("base 10 for base b", "/ sp.log(b))", "/ sp.log(10))", Refuted),
    Mutant("pairs counted from the other end", CRITICAL, CRITICAL.replace("(c - i)", "(i - c)"), Refuted),
    Mutant("half a turn", CRITICAL, CRITICAL.replace("2 * sp.pi *", "sp.pi *"), Refuted),
    Mutant("frequencies that grow", "lambda i: b ** (-2 * i / d)", "lambda i: b ** (2 * i / d)", Refuted),
    Mutant("any factor is enough", "given=[factor >= s]", "given=[factor >= 1]", Refuted),
    Mutant("the square root of s is enough", "given=[factor >= s]", "given=[factor >= sp.sqrt(s)]", Refuted),
    Mutant("beyond with s itself", "given=[factor < s]", "given=[factor <= s]", Refuted),
    Mutant("stale keys said to be harmless", DRIFT, "lambda: R(r * new), because", Refuted),
    Mutant("the distance with the old list", DRIFT, DRIFT.replace("R(r * new)", "R(r * old)"), Refuted),
    Mutant("the drift grows with the distance", DRIFT, DRIFT.replace("R(n *", "R(r *"), Refuted),
    Mutant("the drift's sign", DRIFT, DRIFT.replace("new - old", "old - new"), Refuted),
    Mutant("a transpose lost", "stale = R(n * old).T * R(", "stale = R(n * old) * R(", Refuted),
    Mutant("a sine without its sign", "[[cos, -sin], [sin, cos]]", "[[cos, sin], [sin, cos]]", Refuted),
    Mutant("rotated again by the new angle", AGAIN, AGAIN.replace("(new - old)", "new"), Refuted),
    Mutant("rotated back", AGAIN, AGAIN.replace("(new - old)", "(old - new)"), Refuted),
    Mutant("YaRN's factor", "sp.sqrt(1 + sp.log(s) / sp.log(L))", "1 + sp.log(s) / 10", Refuted),
    Mutant("the score gets a, not its square", "a(s, L) ** 2, given=[s >= 1", "a(s, L), given=[s >= 1", Refuted),
    Mutant(
        "the logarithm of s over that of L",
        "sp.log(s * L) / sp.log(L), because",
        "sp.log(s) / sp.log(L), because",
        Refuted,
    ),
    Mutant("the wavelength for the frequency", "whole = 2 * sp.pi / w", "whole = 1 / w", Refuted),
    Mutant("half a turn comes back", "whole = 2 * sp.pi / w", "whole = sp.pi / w", Refuted),
    Mutant("rounding moves by one", "half = sp.Rational(1, 2)", "half = sp.Integer(1)", Refuted),
    Mutant(
        "the bound without one wavelength",
        BOUND,
        BOUND.replace("w * wave", "w**2"),
        Refuted,
    ),
    Mutant(
        "half of the bound",
        BOUND,
        BOUND.replace("w * wave", "2 * w * wave"),
        Refuted,
    ),
    Mutant(
        "half a turn of drift",
        "turn_of_drift = (drifted, 0, 2 * sp.pi)",
        "turn_of_drift = (drifted, 0, sp.pi)",
        Refuted,
    ),
    Mutant(
        "pairs beyond the critical one go round",
        "given=[b > 1, i <= c], claim",
        "given=[b > 1, i >= c], claim",
        Refuted,
    ),
    Mutant("the critical pair falls short", "given=[b > 1, i > c], claim", "given=[b > 1, i >= c], claim", Refuted),
]


class TestProofs(Proofs):
    chapter = "extension/longrope"
    mutants = MUTANTS
