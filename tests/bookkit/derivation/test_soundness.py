"""Enemies of the engine: false statements that once passed, or that a careless tactic would let pass.

Each is put twice: to the whole engine, and to the proof alone, without the search for a counterexample.
"""

import pytest
import sympy as sp
from sympy import Eq, Sum

from bookkit.derivation import Derivation, Refuted, Undecided, checking, define, refute
from bookkit.derivation.points.counterexample import Attempt
from tests.bookkit.derivation.letters import A, B, N, a, f, h, i, j, k, m, p, x

I = sp.Identity(N)


def turns(size):
    """It is sin(2 · size · a): induction shows it, and no closed form of sympy's."""
    return 2 * sp.sin(a) * Sum(sp.cos((2 * i + 1) * a), (i, 0, size - 1))


@pytest.mark.parametrize("hypothesis", [Eq(2 * A, B), Eq(a * A, sp.ZeroMatrix(N, N)), Eq(A + B, B), Eq(I, A)], ids=str)
def test_a_matrix_hypothesis_is_one_plain_product(hypothesis):
    with pytest.raises(ValueError, match="one plain product on its left, without a factor; got Eq"):
        Derivation(sp.Transpose(A.T + B.T), given=[hypothesis]).step(A + B, because="?")


def test_a_range_that_is_not_shown_is_named():
    with pytest.raises(Undecided, match=r"the sum over i from 0 to m is not shown to run upwards where i lies"):
        Derivation(Sum(2 * i, (i, 0, m))).step(2 * Sum(i, (i, 0, m)), because="the factor before")
    Derivation(Sum(1, (i, 0, m)), given=[m >= 0]).step(m + 1, because="count")


def test_a_sum_on_both_sides_is_not_asked_for_its_range():
    open_sum = Sum(h[i], (i, 0, m))
    Derivation(open_sum + (a + x) ** 2).step(open_sum + a**2 + 2 * a * x + x**2, because="multiply out")


def test_points_are_tried_before_the_proof(monkeypatch):
    """And after it: far ones where it goes through, all where it does not; and a proof that errs is contradicted."""
    tried = []

    def agreeing(*args):
        for n in range(18):
            tried.append(n)
            yield Attempt(None, has_value=True)

    with monkeypatch.context() as patch:
        patch.setattr(checking, "attempts", agreeing)
        Derivation((a + x) ** 2).step(a**2 + 2 * a * x + x**2, because="multiply out")
        assert len(tried) == 6
        with pytest.raises(Undecided):
            Derivation(a).step(x, because="?")
        assert len(tried) == 6 + 18
    monkeypatch.setattr(checking, "_proof", lambda goal: checking.Proof("by no one"))
    with pytest.raises(Refuted):
        Derivation(a).step(x, because="?")


def test_rounded_numbers_prove_nothing():
    with pytest.raises(Undecided, match="rounded number: write it as a fraction"):
        Derivation(0.5 * x).step(x / 2, because="?")
    with pytest.raises(Undecided, match="rounded number"):
        Derivation(x / 2).step(0.5 * x, because="?")


def test_a_name_does_not_catch_its_argument():
    """y_k would read as the sum over k of f(k + k)."""
    average = define("y", lambda m: Sum(f(m + k), (k, -N, N)))
    assert average(m).value == Sum(f(m + k), (k, -N, N))
    with pytest.raises(ValueError, match="y sums over k, which also stands in its argument"):
        average(k)
    with pytest.raises(ValueError, match="y sums over k, which also stands in its argument"):
        average(m).subs(m, k)


def test_a_hypothesis_that_sets_a_letter_is_kept_in_the_numbers():
    assert refute(x**2, x, given=[Eq(x, a), Eq(a, -1)]).point == {a: -1, x: -1}
    Derivation(sp.Abs(x), given=[Eq(x, -1)]).step(1, because="put in")
    with pytest.raises(Undecided):
        refute(p, 1, given=[Eq(a, -1), Eq(p, a)])


def test_an_index_stands_for_every_index():
    """|h_i| ≤ p bounds h[12] too, and f(i, j) = 0 says it off the diagonal too."""
    every = Derivation(Sum(sp.Abs(h[i]), (i, 0, N)), given=[sp.Abs(h[i]) <= p])
    every.step(Sum(p, (i, 0, N)), because="term by term", sign="≤").step((N + 1) * p, because="count")
    with pytest.raises(Undecided):
        refute(f(1, 2), sp.Integer(0), given=[Eq(f(i, j), 0)])


def test_a_double_sum_is_added_up_from_the_outside():
    triangle = Sum(f(j), (j, 0, i), (i, 0, N))
    Derivation(triangle).step(Sum((N + 1 - j) * f(j), (j, 0, N)), because="count each")
    with pytest.raises(Refuted):
        Derivation(triangle).step(Sum((N - j) * f(j), (j, 0, N)), because="one too few")


@pytest.mark.parametrize("limit", range(1, 8))
def test_a_bound_of_integers_is_kept_in_the_numbers(limit):
    Derivation(m, given=[m <= limit]).step(limit, because="given", sign="≤")


def test_where_a_hypothesis_has_no_value_it_does_not_hold():
    with pytest.raises(Undecided):
        Derivation(x, given=[1 / x > 0]).step(0, because="no tactic for it", sign=">")


def test_a_hypothesis_that_is_plainly_true_does_not_hide_a_counterexample():
    assert refute(x, x + 1, given=[sp.true]).lhs == x
    assert refute(f(1), sp.Integer(3), given=[i * f(i) <= 12 * i]).lhs == f(1)


def test_what_is_drawn_fits_what_is_assumed():
    w = sp.IndexedBase("w", positive=True)
    drawn = refute(Sum(w[i], (i, 0, 12)), sp.Integer(0)).point
    assert len(drawn) == 13
    assert all(value.is_positive for value in drawn.values())
