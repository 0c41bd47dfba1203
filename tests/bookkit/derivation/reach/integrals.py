"""Integrals, limits and derivatives, where they have a value: away from a pole, a kink, a jump."""

import sympy as sp
from sympy import Derivative, Integral, Limit, Ne, Rational, oo

from bookkit.derivation import Derivation
from tests.bookkit.derivation.reach import Statement

a, b, x, y, mu = sp.symbols("a b x y mu", real=True)
p, s = sp.symbols("p s", positive=True)
k, n = sp.symbols("k n", integer=True, positive=True)
z, w = sp.symbols("z w", real=True)
half = Rational(1, 2)
turn = (x, 0, 2 * sp.pi)
bell = sp.exp(-((x - mu) ** 2) / (2 * s**2)) / (s * sp.sqrt(2 * sp.pi))
line = (x, -oo, oo)
share = sp.exp(z) / (sp.exp(z) + sp.exp(w))


def equal(name, lhs, rhs, wrong, *given):
    """The statement lhs = rhs, with the twin lhs = wrong."""

    def one_step(line):
        return lambda: Derivation(lhs, given=given).step(line, because="calculus")

    return Statement(name, one_step(rhs), one_step(wrong))


STATEMENTS = [
    equal("a cosine over its turns", Integral(sp.cos(k * x), turn), 0, 2 * sp.pi),
    equal("a cosine squared", Integral(sp.cos(k * x) ** 2, turn), sp.pi, 2 * sp.pi),
    equal("cosine and sine", Integral(sp.cos(k * x) * sp.sin(k * x), turn), 0, sp.pi),
    equal("two cosines", Integral(sp.cos(k * x) * sp.cos(n * x), turn), 0, sp.pi, Ne(k, n)),
    equal("the area of a bell", Integral(bell, line), 1, s),
    equal("the mean of a bell", Integral(x * bell, line), mu, 0),
    equal("the spread of a bell", Integral((x - mu) ** 2 * bell, line), s**2, s),
    equal("the fourth moment", Integral(x**4 * bell.subs(mu, 0), line), 3 * s**4, s**4),
    equal(
        "Bochner of a bell",
        Integral(sp.exp(sp.I * a * x) * bell.subs(mu, 0), line),
        sp.exp(-(a**2) * s**2 / 2),
        sp.exp(-(a**2) * s**2),
    ),
    equal("e over a range", Integral(sp.exp(-p * x), (x, 0, a)), (1 - sp.exp(-p * a)) / p, (1 - sp.exp(-p * a))),
    equal("e without end", Integral(sp.exp(-p * x), (x, 0, oo)), 1 / p, p),
    equal("an exponential mean", Integral(x * p * sp.exp(-p * x), (x, 0, oo)), 1 / p, 1 / p**2),
    equal("Cauchy's bell", Integral(1 / (1 + x**2), line), sp.pi, 1),
    equal("1/x above 0", Integral(1 / x, (x, p, s)), sp.log(s) - sp.log(p), sp.log(p) - sp.log(s)),
    equal("1/x² above 0", Integral(1 / x**2, (x, a, b)), 1 / a - 1 / b, 1 / b - 1 / a, a > 0, b > 0),
    equal("a pole that is passed", Integral(1 / (x - a) ** 2, (x, 0, 1)), 1 / (a - 1) - 1 / a, 1 / a, a > 1),
    equal(
        "tan before its pole",
        Integral(sp.tan(x), (x, 0, a)),
        -sp.log(sp.cos(a)),
        sp.log(sp.cos(a)),
        a >= 0,
        a < sp.pi / 2,
    ),
    equal("a wave and its mean", Integral(sp.cos(a * x), (x, 0, 1)), sp.sin(a) / a, sp.cos(a) / a, Ne(a, 0)),
    equal("a tent", Integral(x, (x, 0, 1)) + Integral(2 - x, (x, 1, 2)), 1, 2),
    equal("over a square", Integral(x * y, (x, 0, 1), (y, 0, 1)), Rational(1, 4), half),
    equal("sine over its angle", Limit(sp.sin(x) / x, x, 0), 1, 0),
    equal("the chord over the arc", Limit(sp.sin(a * x) / x, x, 0), a, 1),
    equal("a bend", Limit((1 - sp.cos(x)) / x**2, x, 0), half, 1),
    equal("compound interest", Limit((1 + 1 / n) ** n, n, oo), sp.E, 1),
    equal("a rate", Limit((sp.exp(p * x) - 1) / x, x, 0), p, 1),
    equal("a memory that fades", Limit(sp.exp(-p * n), n, oo), 0, 1),
    equal("interpolation, more and more", Limit((x + p) / (x + s), x, oo), 1, p / s),
    equal("a context that grows", Limit(n / (n + p), n, oo), 1, p),
    equal("the slope of a softmax", Derivative(share, z), share * (1 - share), share**2),
    equal(
        "its slope by another score", Derivative(share, w), -share * (1 - sp.exp(z) / (sp.exp(z) + sp.exp(w))), share
    ),
    equal("the slope of an angle", Derivative(sp.atan(x / p), x), p / (p**2 + x**2), 1 / (p**2 + x**2)),
    equal("the slope of a frequency", Derivative(p ** (-a), a), -sp.log(p) * p ** (-a), p ** (-a)),
    equal("|x| away from 0", Derivative(sp.Abs(x), x), sp.sign(x), -sp.sign(x), Ne(x, 0)),
    equal("max away from its kink", Derivative(sp.Max(x, y), x), sp.Heaviside(x - y), sp.Heaviside(y - x), Ne(x, y)),
    equal("log above 0", Derivative(sp.log(x), x), 1 / x, -1 / x, x > 0),
    equal("1/x away from 0", Derivative(1 / x, x), -1 / x**2, 1 / x**2, Ne(x, 0)),
    equal("a second derivative", Derivative(sp.sin(a * x), x, x), -(a**2) * sp.sin(a * x), sp.sin(a * x)),
    equal("a slope at a point", sp.Subs(Derivative(sp.exp(a * x), x), x, 0), a, 1),
]
