"""False statements of the kinds that once passed: small cases, names that catch letters, hypotheses that are hidden,
read in two ways, or that can never hold. And beside them true ones of the same shape, which must go on passing."""

import re

import pytest
import sympy as sp
from sympy import Eq, Sum

from bookkit.derivation import Derivation, Refuted, Undecided, define
from bookkit.derivation.page.letters import domain
from tests.bookkit.derivation.letters import N, a, b, f, h, i, j, k, t, w, x, y

l = sp.Symbol("l", integer=True)
d = sp.Symbol("d", integer=True, positive=True)


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

u = sp.IndexedBase("u", integer=True, nonnegative=True)
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
