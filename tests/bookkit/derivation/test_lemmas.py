"""Every lemma is proved by the engine, and none may be used where it does not hold."""

from __future__ import annotations

import pytest
import sympy as sp

from bookkit.derivation import Derivation, forall, lemmas
from bookkit.derivation.algebra.rules import follows
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.language.universal import Lemma
from bookkit.derivation.lemmas import (
    CAUCHY_SCHWARZ,
    COSINE,
    EXPONENTIAL,
    JENSEN,
    LOGARITHM,
    MEANS,
    SINE,
    SINE_BELOW,
    TRIANGLE,
)

x, y, A, B, C = sp.symbols("x y A B C", real=True)
p = sp.Symbol("p", positive=True)
u, v = sp.symbols("u v", nonnegative=True)
s = sp.Symbol("s", nonnegative=True)
i, N = sp.Symbol("i", integer=True), sp.Symbol("N", integer=True, positive=True)
a, b = sp.IndexedBase("a", real=True), sp.IndexedBase("b", real=True)
w = sp.IndexedBase("w", nonnegative=True)
z = sp.IndexedBase("z", complex=True)


def over(term):
    return sp.Sum(term, (i, 0, N))


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


def test_sine_below():
    """Up to 1 the third term decides; above 1, that no sine is."""
    fifth = p - p**3 / 6 + p**5 / 120
    taylor(fifth - sp.sin(p), (1 - s) ** 4 * (1 - sp.cos(p * s)) / 24, p**5)
    Derivation(p - fifth).step(p**3 * (20 - p**2) / 120, because="what is left of the polynomial")
    Derivation(20 - 1 / (1 + u) ** 2).step(0, because="p up to 1 is 1/(1 + u)", sign=">")
    Derivation(sp.sin(p), given=[p > 1]).step(1, because="no sine is above 1", sign="≤").step(
        p, because="here", sign="<"
    )
    assert says(SINE_BELOW, p) == p - sp.sin(p)


def test_means():
    shown = Derivation((u + v) / 2 - sp.sqrt(u * v)).step((sp.sqrt(u) - sp.sqrt(v)) ** 2 / 2, because="expand")
    shown.step(0, because="a square", sign="≥")
    assert sp.expand(shown.lhs - says(MEANS, u, v)) == 0


def test_cauchy_schwarz():
    """Σ (A b - C a)² ≥ 0 for all numbers A and C, so for A = Σ a² and C = Σ a b; there it is A (A Σ b² - C²).
    If A is 0, all a are 0, and both sides are 0."""
    squares, mixed, others = over(a[i] ** 2), over(a[i] * b[i]), over(b[i] ** 2)
    shown = (
        Derivation(A**2 * others - 2 * A * C * mixed + C**2 * squares)
        .step(over((A * b[i] - C * a[i]) ** 2), because="put together")
        .step(0, because="squares", sign="≥")
    )
    at_the_sums = shown.lhs.subs({others: B, mixed: C, squares: A})
    Derivation(at_the_sums).step(A * (A * B - C**2), because="put apart")
    assert says(CAUCHY_SCHWARZ, a, b, 0, N).subs({others: B, mixed: C, squares: A}) == A * B - C**2


def test_triangle():
    shown = Derivation(sp.Abs(over(z[i]))).step(over(sp.Abs(z[i])), because="term by term", sign="≤")
    assert says(TRIANGLE, z, 0, N) == shown.steps[-1].rhs - shown.lhs


def test_jensen():
    """eˣ ≥ 1 + x at a - C, times w e^C, in every term; then C = Σ w a, where Σ w = 1."""
    shown = Derivation(over(w[i] * sp.exp(a[i]))).step(
        over(w[i] * sp.exp(C) * (1 + a[i] - C)), because="", sign="≥", by=EXPONENTIAL.at(a[i] - C)
    )
    shown.step(sp.exp(C) * ((1 - C) * over(w[i]) + over(w[i] * a[i])), because="put apart")
    assert shown.steps[-1].rhs.subs({over(w[i]): 1, over(w[i] * a[i]): C}) == sp.exp(C)
    assert JENSEN.at(w, a, 0, N).needs == (sp.Eq(sp.Sum(w[i], (i, 0, N)), 1),)


def test_every_lemma_is_proved_here():
    named = {name for name, value in vars(lemmas).items() if isinstance(value, Lemma)}
    assert {f"test_{name.lower()}" for name in named} <= globals().keys()
    assert len(named) == 9


def test_a_hypothesis_is_no_lemma():
    demand = forall((x,), sp.exp(x) >= 1 + 2 * x)
    with pytest.raises(ValueError, match="is used, and is not given: name it in given="):
        Derivation(1 + 2 * y).step(sp.exp(y), because="?", sign="≤", by=demand.at(y))


def test_equality_that_a_rule_leaves_open_is_closed_by_what_is_added_only_if_that_is_positive():
    gap, rule = sp.exp(y) - 1 - y, sp.exp(y) >= 1 + y
    assert follows(gap + x**2 + 1, [rule], Hypotheses(), strict=True)
    assert follows(gap + x**2, [rule], Hypotheses())
    assert not follows(gap + x**2, [rule], Hypotheses(), strict=True)
