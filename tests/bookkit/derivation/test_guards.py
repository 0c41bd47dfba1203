"""Guards of the proofs, each with the false statement that would pass without it: mutants of the engine that lived."""

import pytest
import sympy as sp
from sympy import Eq, Product, Sum

from bookkit.derivation import Derivation, Undecided, checking
from bookkit.derivation.algebra.modulus import of_one_square
from bookkit.derivation.algebra.rules import follows
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.points.counterexample import Attempt
from bookkit.derivation.points.second_road import Outcome
from bookkit.derivation.value.definedness import without_value
from bookkit.derivation.z3.solver import proves

x, y = sp.symbols("x y", real=True)
i = sp.Symbol("i", integer=True, nonnegative=True)
k, N = sp.symbols("k N", integer=True, positive=True)
h, g = sp.IndexedBase("h", real=True), sp.Function("g", real=True)
A, I = sp.MatrixSymbol("A", N, N), sp.Identity(N)
J = sp.Inverse(I + A)
whole = Product(h[i], (i, 0, N))

FALSE = {
    "a product may be zero": (sp.Piecewise((1, Eq(whole, 0)), (2, True)), 2, ()),
    "the sign of a product may be zero": (sp.sign(whole) ** 2, 1, ()),
    "a matrix that may have no inverse": (A * J, I - J, ()),
    "a root of a number ≥ 0, in a denominator": ((y + 1) ** 2 / sp.sqrt(x), (y**2 + 2 * y + 1) / sp.sqrt(x), [x >= 0]),
    "a series that may not converge": (2 * Sum(1 / k, (k, 1, sp.oo)), Sum(2 / k, (k, 1, sp.oo)), ()),
    "a factor before a root may be negative": (y * sp.sqrt(x**2 + 1), sp.sqrt(x**2 * y**2 + y**2), ()),
}


# The same with what the guard asks for.
TRUE = {
    "a matrix that has an inverse": (A * J, I - J, [sp.Ne(sp.Determinant(I + A), 0)]),
    "a root of a number > 0, in a denominator": ((y + 1) ** 2 / sp.sqrt(x), (y**2 + 2 * y + 1) / sp.sqrt(x), [x > 0]),
}


@pytest.fixture
def proof_alone(monkeypatch):
    monkeypatch.setattr(checking, "attempts", lambda *args: iter([Attempt(None, has_value=True)]))
    monkeypatch.setattr(checking, "walk", lambda goal: Outcome(None, (), 40))


@pytest.mark.usefixtures("proof_alone")
@pytest.mark.parametrize("name", FALSE)
def test_the_proof_alone_does_not_let_it_pass(name):
    lhs, rhs, given = FALSE[name]
    with pytest.raises(Undecided):
        Derivation(lhs, given=given).step(rhs, because=name)


@pytest.mark.usefixtures("proof_alone")
@pytest.mark.parametrize("name", TRUE)
def test_what_the_guard_asks_for_is_enough(name):
    lhs, rhs, given = TRUE[name]
    Derivation(lhs, given=given).step(rhs, because=name)


def test_a_series_of_which_no_sum_is_known_is_named():
    assert without_value([Sum(1 / k, (k, 1, sp.oo))]) == "Sum(1/k, (k, 1, oo)) is not shown to converge"
    assert without_value([Sum(1 / k**2, (k, 1, sp.oo))]) is None


def test_a_remainder_needs_its_divisor_though_it_cancels_in_the_quotient():
    remainder = sp.Mod(x * y, y, evaluate=False)
    claim = sp.Ge(remainder * y, 0, evaluate=False)
    assert proves(claim, Hypotheses.of([sp.Ne(y, 0)]))
    assert not proves(claim)


def test_a_factor_before_a_root_has_a_sign():
    def is_zero(e):
        return sp.expand(e) == 0

    root, wide = sp.sqrt(x**2 + 1), sp.sqrt(x**2 * y**2 + y**2)
    assert of_one_square(sp.Abs(y) * root - wide, is_zero)
    assert not of_one_square(y * root - wide, is_zero)


def test_a_rule_that_leaves_equality_open_shows_no_strict_order():
    assert follows(g(x) - x, [sp.Gt(g(x), x)], Hypotheses(), strict=True)
    assert not follows(g(x) - x, [sp.Ge(g(x), x)], Hypotheses(), strict=True)
