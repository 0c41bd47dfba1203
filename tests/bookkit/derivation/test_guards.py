"""Guards of the proofs, each with the false statement that would pass without it: mutants of the engine that lived."""

import sympy as sp
from sympy import Sum

from bookkit.derivation.algebra.modulus import of_one_square
from bookkit.derivation.algebra.rules import follows
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.value.definedness import without_value
from bookkit.derivation.z3.solver import proves
from tests.bookkit.derivation.letters import g, x, y

k = sp.Symbol("k", integer=True, positive=True)


# The same with what the guard asks for.


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
