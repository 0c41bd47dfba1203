"""The derivations of extension/base, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

LIKE = "over(2 * sigma**2 * sp.cos(t * theta[i])),\n"
TURNS = "b ** (2 * (x - i) / d), because"

MUTANTS = [
    Mutant("another base lost", "slow(10**4) - slow(10**6)", "slow(10**4) - slow(10**8)", Refuted),
    Mutant("the wrong way round", "slow(10**4) - slow(10**6)", "slow(10**6) - slow(10**4)", Refuted),
    Mutant("pairs counted as features", "sp.Integer(100) ** (-2 * i / d)", "sp.Integer(100) ** (-i / d)", Refuted),
    Mutant("a smaller angle", "4, 27), because", "4, 28), because", Refuted),
    Mutant("the square at another place", "(v - 2 * third) ** 2 *", "(v - third) ** 2 *", Refuted),
    Mutant("a third subtracted", "** 2 * (v + third)", "** 2 * (v - third)", Refuted),
    Mutant("each pair counted once", LIKE, LIKE.replace("2 * sigma", "sigma"), Refuted),
    Mutant("deviation for variance", LIKE, LIKE.replace("sigma**2", "sigma"), Refuted),
    Mutant("a sine for the cosine", LIKE, LIKE.replace("cos", "sin"), Refuted),
    Mutant("the mean left in", LIKE, LIKE.replace("sigma**2", "(sigma**2 + mu**2)"), Refuted),
    Mutant("a random key that is like the query", "mu**2 * sp.ones(2)", "square * sp.ones(2)", Refuted),
    Mutant("a reflection for the rotation", "[[cos, -sin], [sin, cos]]", "[[cos, sin], [sin, -cos]]", Refuted),
    Mutant("a sine without its sign", "[[cos, -sin], [sin, cos]]", "[[cos, sin], [sin, cos]]", Refuted),
    Mutant("unequal products within a pair", "[[square, c], [c, square]]", "[[square, c], [0, square]]", Refuted),
    Mutant("features counted for pairs", "2 * sigma**2 * over(", "sigma**2 * over(", Refuted),
    Mutant("query and key exchanged", "R(t, 0) * q * k.T", "R(t, 0) * k * q.T", Refuted),
    Mutant("a larger base is good too", 'on their errors", sign="<"', 'on their errors", sign=">"', Refuted),
    Mutant("one token fewer is bad", "B(256, 15), claim", "B(256, 14), claim", Refuted),
    Mutant("the base between the two is good", "for b in (200, 625)", "for b in (200, 256)", Refuted),
    Mutant("one token more is good", "for t in range(16)", "for t in range(17)", Refuted),
    Mutant("turns: the sign of the exponent", TURNS, "b ** (2 * (i - x) / d), because", Refuted),
    Mutant("turns: pairs for features", TURNS, "b ** ((x - i) / d), because", Refuted),
    Mutant("turns: radians for turns", "sp.log(L / (2 * sp.pi))", "sp.log(L)", Refuted),
    Mutant("turns: features for pairs", "d / 2 * sp.log(L", "d * sp.log(L", Refuted),
    Mutant("the pair itself more than once", "i < y]", "i <= y]", Refuted),
    Mutant("a base below 1", "[b > 1, i >= y]", "[b < 1, i >= y]", Refuted),
    Mutant("another mean, its sign", "mu**2 - mu * nu", "mu**2 + mu * nu", Refuted),
    Mutant("another mean, alone", "mu**2 - mu * nu", "mu**2 - nu**2", Refuted),
]


class TestProofs(Proofs):
    chapter = "extension/base"
    mutants = MUTANTS
