"""Every lemma is proved by the engine, and none may be used where it does not hold."""

from __future__ import annotations

import pytest
import sympy as sp

from bookkit.derivation import Derivation, forall, lemmas
from bookkit.derivation.algebra.rules import follows
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.language.universal import Lemma
from bookkit.derivation.lemmas import COSINE, EXPONENTIAL, LOGARITHM, SINE

x, y = sp.symbols("x y", real=True)
p = sp.Symbol("p", positive=True)
s = sp.Symbol("s", nonnegative=True)


def taylor(value, integrand, factor):
    """`value` is `factor` times an integral from 0 to 1 of what is not negative, so it is not negative itself."""
    remainder = factor * sp.Integral(integrand, (s, 0, 1))
    Derivation(value).step(remainder, because="the remainder of Taylor's formula")
    Derivation(factor * integrand, given=[s <= 1]).step(0, because="no factor is negative", sign="≥")
    return value


def says(lemma, *values):
    """Large - small, as the lemma says it at these values."""
    relation = lemma.at(*values).relation
    return relation.gts - relation.lts


def test_exponential():
    """At 0 both sides are 1."""
    for sign in (1, -1):
        x = sign * p
        shown = taylor(sp.exp(x) - 1 - x, (1 - s) * sp.exp(x * s), p**2)
        assert shown == says(EXPONENTIAL, x)


def test_logarithm():
    """eˣ ≥ 1 + x at log y; then y = 1 + x."""
    shown = Derivation(sp.log(p)).step(p - 1, because="eˣ ≥ 1 + x", sign="≤", by=EXPONENTIAL.at(sp.log(p)))
    lhs, rhs = (side.subs(p, 1 + x) for side in (shown.lhs, shown.steps[-1].rhs))
    assert says(LOGARITHM, x) == rhs - lhs
    assert LOGARITHM.at(x).needs == (x > -1,)


def test_cosine():
    """At 0 both sides are 0, and both are even."""
    shown = taylor(p**2 / 2 - 1 + sp.cos(p), (1 - s) * (1 - sp.cos(p * s)), p**2)
    assert shown == sp.expand(says(COSINE, p)) == sp.expand(says(COSINE, -p))


def test_sine():
    """At 0 both sides are 0, and both are even. At p, neither the sine nor its negative is above p."""
    for sign in (1, -1):
        taylor(p - sign * sp.sin(p), 1 - sign * sp.cos(p * s), p)
    assert says(SINE, p) == says(SINE, -p) == p - sp.Abs(sp.sin(p))


def test_every_lemma_is_proved_here():
    named = {name for name, value in vars(lemmas).items() if isinstance(value, Lemma)}
    assert {f"test_{name.lower()}" for name in named} <= globals().keys()
    assert len(named) == 4


def test_a_hypothesis_is_no_lemma():
    demand = forall((x,), sp.exp(x) >= 1 + 2 * x)
    with pytest.raises(ValueError, match="is used, and is not given: name it in given="):
        Derivation(1 + 2 * y).step(sp.exp(y), because="?", sign="≤", by=demand.at(y))


def test_equality_that_a_rule_leaves_open_is_closed_by_what_is_added_only_if_that_is_positive():
    gap, rule = sp.exp(y) - 1 - y, sp.exp(y) >= 1 + y
    assert follows(gap + x**2 + 1, [rule], Hypotheses(), strict=True)
    assert follows(gap + x**2, [rule], Hypotheses())
    assert not follows(gap + x**2, [rule], Hypotheses(), strict=True)
