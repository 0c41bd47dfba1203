"""False statements of the kinds that once passed: small cases, names that catch letters, hypotheses that are hidden,
read in two ways, or that can never hold. And beside them true ones of the same shape, which must go on passing."""

import re

import pytest
import sympy as sp
from sympy import Eq, Sum

from bookkit.derivation import Derivation, Refuted, Undecided, define
from bookkit.derivation.page.letters import domain

a, b, x, y, t = sp.symbols("a b x y t", real=True)
k, n, m, l = sp.symbols("k n m l", integer=True)
i, j = sp.symbols("i j", integer=True, nonnegative=True)
N, d = sp.symbols("N d", integer=True, positive=True)
K = sp.Symbol("K", integer=True, nonnegative=True)
r, p = sp.Symbol("r", nonnegative=True), sp.Symbol("p", positive=True)
f, g = sp.Function("f", real=True), sp.Function("g", real=True)
h = sp.IndexedBase("h", real=True)
A, B = sp.MatrixSymbol("A", N, N), sp.MatrixSymbol("B", N, N)
I, zero = sp.Identity(N), sp.ZeroMatrix(N, N)
alternating = (-1) ** i

SMALL = {
    "alternating binomials": (Sum(alternating * sp.binomial(K, i), (i, 0, K)), "=", 0),
    "alternating binomials, weighted": (Sum(alternating * i * sp.binomial(K, i), (i, 0, K)), "=", 0),
    "alternating binomials, weighted, from 1": (Sum(alternating * i * sp.binomial(N, i), (i, 0, N)), "=", 0),
    "symmetry of binomials, for all integers": (sp.binomial(n, k), "=", sp.binomial(n, n - k)),
    "symmetry of binomials, as a bound": (sp.binomial(n, k), "≤", sp.binomial(n, n - k)),
    "an arc of a remainder": (sp.atan(sp.Mod(n, d)), ">", 0),
    "zero to the power": (sp.Integer(0) ** K, "=", 0),
    "a power of zero or one": (x**K, "≤", x ** (K + 1) + 1),
    "the square of an integer is greater": (m**2, ">", m),
    "a natural number is positive": (K, ">", 0),
    "a number above zero is above one": (N, ">", 1),
    "a factorial is even": (sp.Mod(sp.factorial(K), 2), "=", 0),
    "two is below": (2**K, "<", 3**K),
    "a remainder is positive": (sp.Mod(m, d), ">", 0),
    "a sign is no zero": (sp.sign(x) ** 2, "=", 1),
    "a modulus is positive": (sp.Abs(x), ">", 0),
    "a maximum is positive": (sp.Max(x, 0), ">", 0),
    "a root grows": (sp.sqrt(r), "≤", r),
    "a sum of squares is positive": (x**2 + y**2, ">", 0),
    "a product of neighbours is positive": (m * (m + 1), ">", 0),
    "a sum without its first term": (Sum(i**2, (i, 0, K)), ">", 0),
    "a piece at one point": (sp.Piecewise((1, Eq(x, 0)), (0, True)), "=", 0),
    "a piece at two points": (sp.Piecewise((1, Eq(x, 1) | Eq(x, -1)), (0, True)), "=", 0),
    "a cosine of whole turns": (sp.cos(sp.pi * m), "=", 1),
    "a difference of powers": (p**m, "≤", p ** (m + 1)),
    "a factorial and a power": (sp.factorial(K), "≥", 2 ** (K - 1) + 1),
}
SMALL_TRUE = {
    "the whole row of binomials": (Sum(sp.binomial(K, i), (i, 0, K)), "=", 2**K),
    "a remainder is not negative": (sp.Mod(m, d), "≥", 0),
    "a natural number and one": (K + 1, ">", 0),
    "a sum of squares": (x**2 + y**2, "≥", 0),
}

IMPOSSIBLE = {
    "two squares": [Eq(a**2, 1), Eq(a**2, 2)],
    "two products": [Eq(x * y, 1), Eq(x * y, 2)],
    "each above the other": [Eq(a, b + 1), Eq(b, a + 1)],
    "values of a function": [Eq(f(1), 4), Eq(f(1) * x, 0), Eq(f(1) * y, 1), Eq(f(1) ** 2, 3)],
    "no integer between": [m > 0, m < 1],
    "a square below zero": [Eq(a**2, -1)],
    "above and below": [x > y, y > x],
    "no square root among integers": [Eq(m**2, 2)],
    "a sequence that is two things": [Eq(h[i], 0), Eq(h[3], 1)],
    "a sequence with its next": [Eq(h[i + 1], h[i]), Eq(h[0], 0), Eq(h[2], 1)],
    "a function that is two things": [Eq(f(k), 0), Eq(f(2), 1)],
    "a sum of squares that vanishes": [Eq(a**2 + b**2, 0), a > 0],
    "a positive number": [Eq(p, -1)],
    "a modulus": [Eq(sp.Abs(a), -1)],
    "even and odd": [Eq(2 * m, 2 * n + 1)],
    "false": [sp.false],
    "a ladder": [Eq(a, b), Eq(b, x + 1), Eq(x, a)],
    "a cosine of two": [Eq(sp.cos(a), 2)],
    "a bounded sequence that is large": [sp.Abs(h[i]) <= 1, Eq(h[1], 5)],
}
IMPOSSIBLE_MATRICES = {
    "the identity twice": [Eq(A, I), Eq(A, zero)],
    "an inverse of zero": [Eq(A * B, I), Eq(B, zero)],
    "a zero divisor that is orthogonal": [Eq(A.T * A, I), Eq(A * B, zero), Eq(B, I)],
}
POSSIBLE = {
    "a square": [Eq(a**2, 2)],
    "a circle": [Eq(a**2 + b**2, 1)],
    "a ladder": [Eq(a, b + 1), Eq(b, x)],
    "values of a function": [Eq(f(1), 4), Eq(f(1) * x, 8)],
    "nested values": [Eq(f(g(1)), 2), Eq(g(1), 3)],
    "a sequence with its next": [Eq(h[i + 1], h[i] + 1), Eq(h[0], 0)],
    "a recurrence": [Eq(f(k), f(k - 1) + a)],
    "sums": [Eq(Sum(h[i], (i, 0, N)), 1), Eq(Sum(i * h[i], (i, 0, N)), 0)],
    "between": [x > 11, x < 12],
    "decay": [Eq(sp.Derivative(f(x), x), -f(x))],
    "an orthogonal matrix": [Eq(A.T * A, I)],
    "a skew matrix": [Eq(A.T, -A)],
    "a symmetric matrix": [Eq(A.T, A)],
    "an inverse": [Eq(A * B, I)],
    "a projection": [Eq(A * A, A)],
    "matrices that commute": [Eq(A * B, B * A)],
    "orthogonal and inverse": [Eq(A.T * A, I), Eq(A * B, I)],
}


@pytest.mark.parametrize("name", SMALL)
def test_a_small_case_is_not_forgotten(name):
    lhs, sign, rhs = SMALL[name]
    with pytest.raises(Refuted):
        Derivation(lhs).step(rhs, because="?", sign=sign)


@pytest.mark.parametrize("name", SMALL_TRUE)
def test_what_holds_in_small_cases_too_passes(name):
    lhs, sign, rhs = SMALL_TRUE[name]
    Derivation(lhs).step(rhs, because="so", sign=sign)


@pytest.mark.parametrize("name", IMPOSSIBLE | IMPOSSIBLE_MATRICES)
def test_from_what_is_impossible_nothing_follows(name):
    """Not even what is plainly true."""
    given = (IMPOSSIBLE | IMPOSSIBLE_MATRICES)[name]
    for lhs, rhs in ((x, y), ((t + 1) ** 2, t**2 + 2 * t + 1)):
        with pytest.raises(Undecided, match=r"the hypotheses are not shown to hold anywhere$"):
            Derivation(lhs, given=given).step(rhs, because="?")


@pytest.mark.parametrize("name", POSSIBLE)
def test_what_is_possible_is_found(name):
    """So a true line passes, and a false one is not only doubted."""
    Derivation((t + 1) ** 2, given=POSSIBLE[name]).step(t**2 + 2 * t + 1, because="multiply out")
    with pytest.raises(Refuted):
        Derivation(t, given=POSSIBLE[name]).step(t + 1, because="?")


# A letter of a hypothesis that stands for every index in one step, and for one in another.

TWO_READINGS = {
    "zero everywhere, then at k": (Sum(h[k], (k, 0, N)), [Eq(h[k], 0)], [0, h[k]]),
    "one everywhere, then at k": (Sum(h[k], (k, 1, N)), [Eq(h[k], 1)], [N, N * h[k]]),
    "of a function": (Sum(f(k), (k, 0, N)), [Eq(f(k), 0)], [0, k * f(k)]),
    "in the third line": (Sum(h[k], (k, 1, N)), [Eq(h[k], a)], [Sum(a, (k, 1, N)), N * a, N * h[k]]),
    "in a bound": (Sum(f(k) ** 2, (k, 0, N)), [Eq(f(k), 1)], [N + 1, N + f(k)]),
}


@pytest.mark.parametrize("name", TWO_READINGS)
def test_a_hypothesis_is_read_alike_in_every_step(name):
    lhs, given, lines = TWO_READINGS[name]
    shown = Derivation(lhs, given=given)
    for line in lines[:-1]:
        shown.step(line, because="for every k")
    with pytest.raises((Refuted, Undecided), match=r"step 1 \(for every k\): with k for one index only, as the step "):
        shown.step(lines[-1], because="for this k")


def test_a_letter_stays_fixed_after_the_line_in_which_it_was():
    """In the second step, k stands in no line; it stood in the first, so h_k = 0 is about this k."""
    shown = Derivation(h[k], given=[Eq(h[k], 0)]).step(0, because="given")
    with pytest.raises(Refuted):
        shown.step(Sum(h[j], (j, 0, N)), because="?")
    with pytest.raises((Refuted, Undecided)):
        shown.step(Sum(h[k], (k, 0, N)), because="?")


def test_a_letter_that_comes_late_does_no_harm_where_the_steps_before_hold_for_it_too():
    Derivation(a, given=[Eq(a, b), Eq(f(k), b)]).step(b, because="given").step(f(k), because="the other way round")


# What the reader is told.

w, u = sp.IndexedBase("w", positive=True), sp.IndexedBase("u", integer=True, nonnegative=True)
F, whole, plain = sp.Function("F", positive=True), sp.Function("q", integer=True), sp.Function("c")

TOLD = {
    "positive sequence": (w[i], "≥", 0, r"{w}_{i} > 0", "w[·]: positive"),
    "sum of a positive sequence": (Sum(w[i], (i, 0, N)), "≥", 0, r"{w}_{i} > 0", "w[·]: positive"),
    "natural numbers": (u[i, j], "≥", 0, r"{u}_{i,j} \in \mathbb{N}", "u[·, ·]: integer, not negative"),
    "positive function": (F(x), "≥", 0, r"F(\cdot) > 0", "F(·): positive"),
    "whole function": (
        sp.floor(whole(x) / 2),
        "≤",
        whole(x) / 2,
        r"q(\cdot) \in \mathbb{Z}",
        "q(·): integer",
    ),
    "real sequence": (h[i] ** 2, "≥", 0, r"{h}_{i} \in \mathbb{R}", "h[·]: real"),
    "of two arguments": (F(x, y), "≥", 0, r"F(\cdot,\cdot) > 0", "F(·, ·): positive"),
}


@pytest.mark.parametrize("name", TOLD)
def test_what_is_assumed_of_sequences_and_functions_is_told(name):
    lhs, sign, rhs, tex, text = TOLD[name]
    shown = Derivation(lhs).step(rhs, because="so", sign=sign)
    assert any(tex in line for line in shown.hypotheses)
    assert text in repr(shown).splitlines()[0]


def test_what_is_assumed_inside_a_name_is_told():
    total = define("T", lambda size: Sum(w[i], (i, 0, size)))
    (letters,) = Derivation(total(N)).step(0, because="all are", sign="≥").hypotheses
    assert r"{w}_{i} > 0" in letters


def test_of_a_function_of_which_nothing_is_assumed_nothing_is_told():
    assert domain([plain(x) + sp.IndexedBase("v")[0]]) == [(r"x \in \mathbb{R}", "x: real")]


def test_letters_sequences_and_functions_of_one_set_stand_together():
    assert domain([x + h[i] + f(x)]) == [
        (r"i \in \mathbb{N}", "i: integer, not negative"),
        (r"x, f(\cdot), {h}_{i} \in \mathbb{R}", "x, f(·), h[·]: real"),
    ]


@pytest.mark.parametrize("entry", [sp.Function("f", negative=True)(x), sp.IndexedBase("f", prime=True)[0]], ids=str)
def test_what_cannot_be_told_of_a_function_may_not_be_assumed(entry):
    with pytest.raises(ValueError, match=r"what is assumed of f[(\[]·[)\]] cannot be shown to the reader"):
        domain([entry])


x_positive, x_matrix = sp.Symbol("x", positive=True), sp.MatrixSymbol("x", 1, 1)
TWINS = {
    "letters": lambda: Derivation(x + x_positive).step(2 * x, because="?"),
    "in another line": lambda: Derivation(x).step(x_positive, because="?"),
    "in a hypothesis": lambda: Derivation(x, given=[x_positive > 1]).step(x, because="?"),
    "letter and matrix": lambda: Derivation(x * x_matrix).step(x_matrix * x, because="?"),
    "functions": lambda: Derivation(sp.Function("x", real=True)(1)).step(sp.Function("x")(1), because="?"),
    "sequences": lambda: Derivation(sp.IndexedBase("x")[0]).step(sp.IndexedBase(x)[0], because="?"),
    "letter and function": lambda: Derivation(sp.Function("x")(x)).step(sp.Function("x")(x), because="?"),
    "the letter of a sum": lambda: Derivation(
        Sum(sp.Symbol("x", integer=True), (sp.Symbol("x", integer=True), 0, 2)) + x
    ).step(3 + x, because="?"),
}


@pytest.mark.parametrize("name", TWINS)
def test_two_letters_of_one_name_are_refused(name):
    with pytest.raises(ValueError, match=r"^two letters are called x, and what is assumed of them differs: give one"):
        TWINS[name]()


def test_one_letter_in_many_places_is_one():
    Derivation(x + f(x) + h[0], given=[Eq(f(x), x), Eq(h[0], 0)]).step(2 * x, because="given")


# Names that catch a letter of their argument.

CATCHING = {
    "sum": lambda c: Sum(c * k, (k, 0, 3)),
    "product": lambda c: sp.Product(c + k, (k, 0, 3)),
    "integral": lambda c: sp.Integral(c * k, (k, 0, 1)),
    "integral in a matrix": lambda c: sp.Matrix([[sp.Integral(c * k, (k, 0, 1))]]),
    "limit": lambda c: sp.Limit(c * (1 + k) / k, k, sp.oo),
    "derivative": lambda c: sp.Derivative(c * k, k),
    "derivative at a point": lambda c: sp.Subs(sp.Derivative(c * f(k), k), k, 0),
    "integral in a sum": lambda c: Sum(sp.Integral(c * k * i, (k, 0, 1)), (i, 0, 2)),
}


@pytest.mark.parametrize("name", CATCHING)
def test_a_name_does_not_catch_a_letter_of_its_argument(name):
    named = define("y", CATCHING[name])
    named(x)
    for caught in (k, 2 * k + 1, f(k)):
        message = "y sums over k" if name in {"sum", "product"} else "which also stands in its argument"
        with pytest.raises(ValueError, match=re.escape(message)):
            named(caught)


@pytest.mark.parametrize("name", sorted(CATCHING.keys() - {"derivative"}))
def test_nor_when_the_letter_is_put_in_later(name):
    named = define("y", CATCHING[name])(x)
    with pytest.raises(ValueError, match="which also stands in its argument"):
        named.subs(x, k)


def test_a_letter_put_in_later_is_not_differentiated_by():
    """Sympy itself keeps the two apart."""
    slope = define("y", lambda s: sp.Derivative(s * t, t))(x)
    Derivation(slope.subs(x, t)).step(t, because="the slope is the factor")


def test_the_letter_that_is_differentiated_by_may_be_the_argument():
    slope = define("D", lambda s: sp.Derivative(s**2, s))
    Derivation(slope(x)).step(2 * x, because="power rule")


def test_what_holds_for_one_letter_is_not_put_where_it_runs():
    """Of f(y) = 0 for one y, nothing follows for an integral or a limit over y."""
    for whole_range in (sp.Integral(f(y), (y, 0, 1)), sp.Limit(f(y), y, 0)):
        with pytest.raises((Refuted, Undecided)):
            Derivation(y + whole_range, given=[Eq(f(y), 0)]).step(y, because="?")
