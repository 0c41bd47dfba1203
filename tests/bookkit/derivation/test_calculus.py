"""Calculus that sympy gets wrong, or gives without a word on where it holds: nothing of it passes."""

import re

import pytest
import sympy as sp
from sympy import Abs, Derivative, Eq, Heaviside, Integral, Limit, Max, Min, Ne, Piecewise, Rational, Subs, oo

from bookkit.derivation import Derivation, Refuted, Undecided, checking
from bookkit.derivation.algebra.matrix_words import words
from bookkit.derivation.points.counterexample import Attempt
from bookkit.derivation.points.second_road import Outcome
from bookkit.derivation.value.convergence import integrable_at

a, b, x, y = sp.symbols("a b x y", real=True)
p, s = sp.symbols("p s", positive=True)
r = sp.Symbol("r", nonnegative=True)
u, v = sp.symbols("u v")
m, n = sp.symbols("m n", integer=True)
N = sp.Symbol("N", integer=True, positive=True)
K, i = sp.symbols("K i", integer=True, nonnegative=True)
h = sp.IndexedBase("h", real=True)
g = sp.Function("g", real=True)
A, B = sp.MatrixSymbol("A", 2, 2), sp.MatrixSymbol("B", 2, 2)
half = Rational(1, 2)

POLES = {
    "1/x² from -1": (Integral(1 / x**2, (x, -1, y)), -1 / y - 1, ()),
    "1/x from -1": (Integral(1 / x, (x, -1, y)), sp.log(y) - sp.log(-1), ()),
    "1/(x - a)": (Integral(1 / (x - a), (x, 0, 1)), sp.log(1 - a) - sp.log(-a), ()),
    "1/(x - a)²": (Integral(1 / (x - a) ** 2, (x, 0, 1)), -1 / (1 - a) - 1 / a, ()),
    "1/(1 - x)²": (Integral(1 / (1 - x) ** 2, (x, 0, y)), y / (1 - y), ()),
    "tan": (Integral(sp.tan(x), (x, 0, a)), -sp.log(sp.cos(a)), ()),
    "1/cos²": (Integral(1 / sp.cos(x) ** 2, (x, 0, a)), sp.tan(a), ()),
    "1/sin²": (Integral(1 / sp.sin(x) ** 2, (x, 1, a)), sp.cos(1) / sp.sin(1) - sp.cos(a) / sp.sin(a), ()),
    "both ends open": (Integral(1 / x**2, (x, a, b)), 1 / a - 1 / b, ()),
    "both ends are not 0": (Integral(1 / x**2, (x, a, b)), 1 / a - 1 / b, (Ne(a, 0), Ne(b, 0))),
    "only one end is positive": (Integral(1 / x**2, (x, a, b)), 1 / a - 1 / b, (a > 0, Ne(b, 0))),
    "a pole at one end": (Integral(1 / x**2, (x, 0, p)), -1 / p, ()),
    "1/x³": (Integral(1 / x**3, (x, -1, p)), half - 1 / (2 * p**2), ()),
    "x to a negative power": (Integral(x ** (-N - 1), (x, -1, 1)), ((-1) ** N - 1) / N, ()),
    "a pole of a fraction": (Integral(2 * x / (x**2 - p), (x, 0, 2)), sp.log(Abs(4 - p)) - sp.log(p), ()),
    "1/log": (Integral(1 / (x * sp.log(x)), (x, half, p + 2)), sp.log(sp.log(p + 2)) - sp.log(sp.log(half)), ()),
    "1/log²": (Integral(1 / (x * sp.log(x) ** 2), (x, half, 2)), 1 / sp.log(half) - 1 / sp.log(2), ()),
    "1/(1 - e^x)": (Integral(sp.exp(x) / (1 - sp.exp(x)) ** 2, (x, -1, 1)), 1 / (1 - sp.E) - 1 / (1 - 1 / sp.E), ()),
    "1/sinh²": (Integral(1 / sp.sinh(x) ** 2, (x, -1, 1)), -2 * sp.cosh(1) / sp.sinh(1), ()),
    "cot": (Integral(sp.cot(x), (x, 1, a)), sp.log(sp.sin(a)) - sp.log(sp.sin(1)), ()),
    "a pole on the way up": (Integral(1 / (x - 2) ** 2, (x, 0, y)), 1 / (2 - y) - half, (y > 0,)),
    "a pole outside a factor": (a * Integral(1 / x**2, (x, -1, 1)), -2 * a, ()),
    "a pole in a sum": (sp.Sum(Integral(1 / x**2, (x, -1, 1)), (i, 0, N)), -2 * (N + 1), ()),
    "a pole inside two": (Integral(Integral(1 / x**2, (x, -1, 1)), (y, 0, 1)), -2, ()),
    "a pole for some y": (Integral(1 / (x - y) ** 2, (x, 0, 1), (y, 0, 1)), 0, ()),
    "without end, 1/x²": (Integral(1 / x**2, (x, -oo, oo)), 0, ()),
    "an integral that grows": (Integral(sp.exp(-a * x**2), (x, -oo, oo)), sp.sqrt(sp.pi / a), ()),
    "only one end falls": (Integral(sp.exp(-x), (x, -oo, oo)), 0, ()),
    "a letter that is positive, below 0": (Integral(s, (s, -1, 1)), 1, ()),
    "|t| read as t": (Integral(sp.sqrt(s**2), (s, -1, 1)), 0, ()),
    "over whole numbers": (Integral(n, (n, 0, 1)), half, ()),
    "a jump": (Integral(sp.sign(x), (x, -1, a)), a - 1, ()),
    "a jump of floor": (Integral(sp.floor(x), (x, 0, y)), y * sp.floor(y), ()),
}
SLOPES = {
    "|x| at 0": (Subs(Derivative(Abs(x), x), x, 0), 0, ()),
    "max(x, -x) at 0": (Subs(Derivative(Max(x, -x), x), x, 0), 0, ()),
    "√x² at 0": (Subs(Derivative(sp.sqrt(x**2), x), x, 0), 0, ()),
    "a jump": (Derivative(Piecewise((0, x < 0), (1, True)), x), 0, ()),
    "x, and x + 1": (Derivative(Piecewise((x, x < 0), (x + 1, True)), x), 1, ()),
    "relu": (Derivative(Max(x, 0), x), Heaviside(x), ()),
    "|x|": (Derivative(Abs(x), x), sp.sign(x), ()),
    "|x| from 0 on": (Derivative(Abs(x), x), 1, (x >= 0,)),
    "min": (Derivative(Min(x, y), x), Heaviside(y - x), ()),
    "floor": (Derivative(sp.floor(x), x), 0, ()),
    "the rest": (Derivative(x - sp.floor(x), x), 1, ()),
    "sign": (Derivative(sp.sign(x), x), 0, ()),
    "a step": (Derivative(Heaviside(x), x), 0, ()),
    "a root at 0": (Derivative(sp.sqrt(r), r), 1 / (2 * sp.sqrt(r)), ()),
    "a cube root": (Subs(Derivative(r ** Rational(1, 3), r), r, 0), 0, ()),
    "a pole": (Derivative(1 / x, x), -1 / x**2, ()),
    "log": (Derivative(sp.log(x), x), 1 / x, ()),
    "tan": (Derivative(sp.tan(x), x), 1 + sp.tan(x) ** 2, ()),
    "|sin| at 0": (Subs(Derivative(Abs(sp.sin(x)), x), x, 0), 0, ()),
    "the second of x|x|": (Subs(Derivative(x * Abs(x), x, x), x, 0), 0, ()),
    "by a whole number": (Derivative(n**2, n), 2 * n, ()),
    "of a complex modulus": (Derivative(Abs(u), u), 0, ()),
    "of a real part": (Derivative(sp.re(u), u), 1, ()),
    "a jump in a sum": (Derivative(sp.Sum(h[i] * Max(x, 0), (i, 0, N)), x), sp.Sum(h[i], (i, 0, N)) * Heaviside(x), ()),
    "a remainder": (Derivative(sp.Mod(x, 1), x), 1, ()),
}
LIMITS = {
    "1 at 0 only": (Limit(Piecewise((1, Eq(x, 0)), (0, True)), x, 0), 1, ()),
    "y at 0 only": (Limit(Piecewise((y, Eq(x, 0)), (x, True)), x, 0), y, ()),
    "a sign that alternates": (Limit((-1) ** N, N, oo), 1, ()),
    "a wave without end": (Limit(sp.sin(x), x, oo), 0, ()),
    "a wave that speeds up": (Limit(sp.sin(1 / x), x, 0), 0, ()),
    "a rate of unknown sign": (Limit(sp.exp(-a * x), x, oo), 0, ()),
    "a power of unknown size": (Limit(p**N, N, oo), 0, ()),
    "from two sides": (Limit(Abs(x) / x, x, 0, "+-"), 1, ()),
    "a factor that may be 0": (Limit(sp.sin(a * x) / (b * x), x, 0), a / b, ()),
    "floor at a whole number": (Limit(sp.floor(x), x, 1), 0, ()),
    "without a bound": (Limit(1 / x, x, 0), 0, ()),
    "a remainder": (Limit(sp.Mod(N, 2), N, oo), 0, ()),
    "a wrong number": (Limit(sp.sin(x) / x, x, 0), 2, ()),
}
ROOTS = {
    "a root of a square": (sp.MatPow(A**2, half, evaluate=False), A, ()),
    "a root twice": (sp.MatPow(A, half) * B, B * sp.MatPow(A, half), ()),
    "a cube root": (sp.MatPow(A**3, Rational(1, 3), evaluate=False), A, ()),
    "a real power": (sp.MatPow(A, x), sp.MatPow(A, x + 1), ()),
}
NO_VALUE = {
    "1/x": ((x + 1) / x, 1 + 1 / x, ()),
    "a fraction": ((x**2 - 1) / (x - 1), x + 1, ()),
    "a geometric sum": (sp.Sum(x**i, (i, 0, K)), (1 - x ** (K + 1)) / (1 - x), ()),
    "log x": ((sp.log(x) + 1) ** 2, sp.log(x) ** 2 + 2 * sp.log(x) + 1, ()),
    "tan": (sp.tan(x) * sp.cos(x), sp.sin(x), ()),
    "a root of a real": ((sp.sqrt(x) + 1) ** 2, x + 2 * sp.sqrt(x) + 1, ()),
    "one over a sum": (a / sp.Sum(h[i], (i, 0, N)) + 1, (a + sp.Sum(h[i], (i, 0, N))) / sp.Sum(h[i], (i, 0, N)), ()),
    "in a sum": (sp.Sum((h[i] + 1) / h[i], (i, 0, N)), sp.Sum(1 + 1 / h[i], (i, 0, N)), ()),
    "a binomial": ((sp.binomial(m, n) + 1) ** 2, sp.binomial(m, n) ** 2 + 2 * sp.binomial(m, n) + 1, ()),
    "not 0 from 0 on": ((g(m) + 1) / g(m), 1 + 1 / g(m), (Ne(g(i), 0),)),
    "not 0 at one place": ((h[i] + h[0]) / h[0], 1 + h[i] / h[0], (Ne(h[i], 0),)),
    "a remainder by 0": ((sp.Mod(m, n) + 1) ** 2, sp.Mod(m, n) ** 2 + 2 * sp.Mod(m, n) + 1, ()),
    "divided by 0": (sp.zoo, 2 * x, ()),
}
ORDER = {
    "u": (u, "≤", u + 1),
    "i": (sp.I, "<", sp.I + 1),
    "u + |v|": (u + Abs(v), "≥", u),
    "u + x²": (u, "≤", u + x**2),
    "sums of u": (sp.Sum(u * h[i], (i, 0, N)), "≤", sp.Sum(u * h[i] + 1, (i, 0, N))),
    "log x": (sp.log(x), "≤", sp.log(x) + 1),
    "√x": (sp.sqrt(x), "≥", sp.sqrt(x) - 1),
    "arccos x": (sp.acos(x), "≤", sp.acos(x) + 1),
    "x to the y": (x**y + 1, "≤", x**y + 2),
    "e to the ix": (sp.exp(sp.I * x), "<", sp.exp(sp.I * x) + 1),
    "a conjugate": (sp.conjugate(u) - 1, "<", sp.conjugate(u)),
    "u²": (u**2, "≤", u**2 + p),
    "a complex function": (sp.Function("f")(x), "<", sp.Function("f")(x) + 1),
    "complex entries": (sp.IndexedBase("w")[i], "≤", sp.IndexedBase("w")[i] + 1),
    "log of minus": (sp.log(-p), "<", sp.log(-p) + 1),
    "arcsin 2": (sp.asin(2), "<", sp.asin(2) + 1),
    "root of minus": (sp.sqrt(-p), "≥", sp.sqrt(-p) - 1),
    "(-1) to the x": ((-1) ** x, "≤", (-1) ** x + 1),
    "an integral of i": (Integral(sp.exp(sp.I * x), (x, 0, 1)), "<", Integral(sp.exp(sp.I * x), (x, 0, 1)) + 1),
}
KINDS = {"integral": POLES, "derivative": SLOPES, "limit": LIMITS, "power": ROOTS, "value": NO_VALUE}
FALSE = {
    f"{kind}: {name}": (lhs, "=", rhs, given)
    for kind, statements in KINDS.items()
    for name, (lhs, rhs, given) in statements.items()
} | {f"order: {name}": (lhs, sign, rhs, ()) for name, (lhs, sign, rhs) in ORDER.items()}


@pytest.mark.parametrize("name", FALSE)
def test_false_statement_is_refused_by_its_form(name, monkeypatch):
    """Without a point: a counterexample is luck."""
    monkeypatch.setattr(checking, "attempts", lambda *args: iter([Attempt(None, has_value=True)]))
    monkeypatch.setattr(checking, "walk", lambda goal: Outcome(None, (), 40))
    lhs, sign, rhs, given = FALSE[name]
    with pytest.raises(Undecided):
        Derivation(lhs, given=given).step(rhs, because=name, sign=sign)


PEAK = sp.exp(-((10**8 * (x - Rational(37, 100))) ** 2))  # it lies where the first split cuts the range
BY_NUMBERS = {
    "a pole has none": (Integral(1 / x**2, (x, -1, 1)), -2, Undecided),
    "nor a range without end": (Integral(sp.exp(x), (x, 0, oo)), -1, Undecided),
    "nor one whose halves do not settle": (Integral((1 + x) / (1 + x**2), (x, -oo, oo)), sp.pi, Undecided),
    "nor a peak that one split alone can see": (Integral(PEAK, (x, 0, 1)), sp.sqrt(sp.pi) / 10**8, Undecided),
    "nor a kink": (Subs(Derivative(Abs(x), x), x, 0), 0, Undecided),
    "nor a limit that does not settle": (Limit((-1) ** N, N, oo), 1, Undecided),
    "nor one from two sides": (Limit(Abs(x) / x, x, 0, "+-"), 1, Undecided),
    "a value at 0 only": (Limit(Piecewise((1, Eq(x, 0)), (0, True)), x, 0), 1, Refuted),
    "a positive letter below 0": (Integral(sp.sqrt(s**2), (s, -1, 1)), 1, Refuted),
    "a wrong area": (Integral(sp.exp(-(x**2)), (x, -oo, oo)), sp.pi, Refuted),
    "a wrong slope": (Derivative(sp.exp(2 * x), x), sp.exp(2 * x), Refuted),
    "a wrong area of two": (Integral(x * y, (x, 0, 1), (y, 0, 1)), half, Refuted),
    "a wrong limit": (Limit(sp.sin(x) / x, x, 0), 2, Refuted),
}


@pytest.mark.parametrize("name", BY_NUMBERS)
def test_the_numbers_do_not_come_from_the_proof(name, monkeypatch):
    """Where the proof lets everything pass, they contradict it, or there are none."""
    monkeypatch.setattr(checking, "_proof", lambda goal: checking.Proof("by no one"))
    monkeypatch.setattr(checking, "_holds_for_any_number", lambda goal, part: False)
    lhs, rhs, verdict = BY_NUMBERS[name]
    with pytest.raises(verdict):
        Derivation(lhs).step(rhs, because=name)


CRASHES = {
    "a remainder by any number": (sp.Mod(m, n), "≥", 0, ()),
    "a sum without end": (sp.Sum(x**i, (i, 0, oo)), "=", 1 / (1 - x), ()),
    "a sum that grows": (sp.Sum(i, (i, 0, oo)), "=", 0, ()),
    "an entry of a product": ((sp.MatrixSymbol("A", N, N) * sp.MatrixSymbol("B", N, N))[i, i], "=", 0, ()),
    "floor under an integral": (Integral(sp.floor(x), (x, 0, y)), "=", 0, ()),
    "a slope of a sign": (Derivative(sp.sign(x), x), "=", 0, ()),
    "a sign that alternates": (Limit((-1) ** N / N, N, oo), "=", 1, ()),
    "a limit with an open rate": (Limit(sp.exp(-a * x), x, oo), "=", 0, ()),
    "a slope of what floor leaves": (Derivative(x - sp.floor(x), x), "=", 1, ()),
}


@pytest.mark.parametrize("name", CRASHES)
def test_sympy_does_not_stop_the_author(name):
    lhs, sign, rhs, given = CRASHES[name]
    with pytest.raises((Refuted, Undecided)):
        Derivation(lhs, given=given).step(rhs, because=name, sign=sign)


def test_an_error_of_sympy_shows_nothing(monkeypatch):
    monkeypatch.setattr(checking, "zero_by", lambda *args: 1 // 0)
    with pytest.raises(Undecided, match=r"the algebra stopped with ZeroDivisionError"):
        Derivation((x + 1) ** 2).step(x**2 + 2 * x + 1, because="?")


HAS_VALUE = {
    "not 0 anywhere": (sp.Sum((h[i] + 1) / h[i], (i, 0, N)), sp.Sum(1 + 1 / h[i], (i, 0, N)), (Ne(h[i], 0),)),
    "not 0 at any place": ((g(n) + 1) / g(n), 1 + 1 / g(n), (Ne(g(m), 0),)),
    "a factor of 1": ((x + 1) / x, 1 + 1 / x, (Eq(x * y, 1),)),
    "not the other": ((x + 1) / (x - y), x / (x - y) + 1 / (x - y), (Ne(x, y),)),
    "a complex number with a part": ((u + 1) / (p + sp.I * x), u / (p + sp.I * x) + 1 / (p + sp.I * x), ()),
    "between bounds": (1 + 1 / (2 - x), (3 - x) / (2 - x), (x >= y, x <= 1)),
    "a log that is not 0": (1 + 1 / sp.log(x), (sp.log(x) + 1) / sp.log(x), (x > 1,)),
    "one over n over k": (
        (1 + sp.binomial(n, m)) / sp.binomial(n, m), 1 + 1 / sp.binomial(n, m), (m >= 0, n >= m)),
}  # fmt: skip


@pytest.mark.parametrize("name", HAS_VALUE)
def test_a_hypothesis_gives_it_a_value(name):
    lhs, rhs, given = HAS_VALUE[name]
    with pytest.raises((Refuted, Undecided)):
        Derivation(lhs).step(rhs, because=name) if given else Derivation(lhs).step(rhs + 1, because=name)
    Derivation(lhs, given=given).step(rhs, because=name)


SENTENCES = {
    "1/x has no value where x = 0: say x ≠ 0 among the hypotheses, or assume it of the letter": (1 / x, 2 / x),
    "log(x) has no value where x ≤ 0: say x > 0 among": (sp.log(x), 2 * sp.log(x)),
    "Abs(x) has no derivative where x = 0: say x ≠ 0 among": (Derivative(Abs(x), x), sp.sign(x)),
    "x**(-2) is not shown to be continuous where x = 0, and it is not shown that x ≠ 0": (
        Integral(1 / x**2, (x, -1, 1)), -2),
    "Integral(exp(x), (x, 0, oo)) is not shown to converge": (Integral(sp.exp(x), (x, 0, oo)), -1),
    "is a limit that is not shown to exist": (Limit(sp.floor(x), x, 1), 1),
    "has not one value: a power of a matrix must be whole": (sp.MatPow(A, half), sp.MatPow(A, half) * A),
}  # fmt: skip


@pytest.mark.parametrize("sentence", SENTENCES)
def test_what_is_missing_is_named(sentence, monkeypatch):
    monkeypatch.setattr(checking, "attempts", lambda *args: iter([Attempt(None, has_value=True)]))
    monkeypatch.setattr(checking, "walk", lambda goal: Outcome(None, (), 40))
    lhs, rhs = SENTENCES[sentence]
    with pytest.raises(Undecided, match=re.escape(sentence)):
        Derivation(lhs).step(rhs, because="?")


def test_a_root_of_a_matrix_is_no_word():
    with pytest.raises(ValueError, match=r"^a power of a matrix must be whole, .*; got A"):
        words(sp.MatPow(A, half) * B)


def test_a_fraction_that_falls_as_one_over_x_has_no_area():
    assert integrable_at(1 / (1 + x**2), x, 1)
    assert not integrable_at(1 / (1 + x), x, 1)
    assert not integrable_at(x / (1 + x**2), x, -1)
