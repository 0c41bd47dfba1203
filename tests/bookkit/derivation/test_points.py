"""Where a counterexample is looked for: points of the domain, of every kind, at which the hypotheses hold."""

import random

import pytest
import sympy as sp
from sympy import Eq, Sum

from bookkit.derivation import Derivation, Undecided, refute
from bookkit.derivation.language.admitted import KINDS
from bookkit.derivation.language.notation import fits
from bookkit.derivation.points.candidates import matrix, numbers_for
from bookkit.derivation.points.counterexample import attempts
from tests.bookkit.derivation.letters import N, f, h, i, m, w, x

positive, whole = sp.Function("g", positive=True), sp.Function("q", integer=True)
P, X = sp.MatrixSymbol("P", N, N), sp.MatrixSymbol("X", 2, 3)
DOMAINS = [sp.Symbol("z", **assumed) for assumed, _ in KINDS.values()]
odd_one = sp.Rational(17, 19)


def drawn(letter, expr):
    return [tried.counterexample[letter] for tried in attempts(expr, sp.S.Zero, lambda gap: True)]


@pytest.mark.parametrize("z", DOMAINS, ids=KINDS)
def test_every_domain_has_points_of_every_kind(z):
    fitting = numbers_for(z)
    assert len(fitting) >= 6
    assert not any(c.has(sp.Float) for c in fitting)
    assert (0 in fitting) is (z.is_zero is None)
    assert any(c.is_negative for c in fitting) is (z.is_negative is None)
    assert any(c.is_rational and not c.is_integer for c in fitting) is (z.is_integer is None)
    assert any(not c.is_real for c in fitting) is (z.is_real is None)


def test_the_first_points_are_corners_and_then_small():
    """0, 1 and -1 where they fit; for an even letter 2, 4 and 6."""
    for z in DOMAINS:
        first, *others = drawn(z, z + 100)
        assert first == next(c for c in (0, 1, 2) if fits(sp.Integer(c), z))
        assert {1, 2, 3, 4} & {*others}
    assert drawn(x, x + 100)[:3] == [0, 1, -1]


@pytest.mark.parametrize("z", DOMAINS, ids=KINDS)
def test_the_last_points_are_any(z):
    assert {*drawn(z, z + 100)} - {0, 1, -1, 2, 3, 4, 6, 8}


def test_no_point_is_tried_twice():
    assert len({*drawn(m, m + 100)}) == len(drawn(m, m + 100))
    assert drawn_number_of_points(sp.Integer(2)) == 1


def drawn_number_of_points(expr):
    return len([*attempts(expr, sp.S.Zero, lambda gap: True)])


def test_matrices_are_small():
    assert {*drawn(N, P[0, 0])} == {1, 2, 3, 4}


def test_entries_are_small_numbers_of_both_signs():
    matrices = [matrix(X, random.Random(seed)) for seed in range(20)]
    assert {matrix.shape for matrix in matrices} == {(2, 3)}
    assert {entry for matrix in matrices for entry in matrix} == {-3, -2, -1, 0, 1, 2, 3}


def test_permutations_are_among_the_square_matrices():
    """So that PᵀP = I holds at some points, and not only for a P that is its own transpose."""
    refute(P.T, P, given=[Eq(P.T * P, sp.Identity(N))])
    refute(P.T * P, sp.Identity(N))


def test_a_letter_that_a_hypothesis_sets_may_have_any_value():
    assert refute(x, 0, given=[Eq(x, odd_one)]).point == {x: odd_one}
    for entry, total in ((h[N], h[N]), (h[N], Sum(h[i], (i, 0, N))), (f(N), f(N) + f(0))):
        point = refute(total, 0, given=[Eq(entry, odd_one)]).point
        assert point[entry.subs(N, point[N])] == odd_one


def test_points_at_which_a_hypothesis_fails_do_not_count():
    assert refute(x, 0, given=[x > 11, x < 12]).point == {x: sp.Rational(23, 2)}


def test_a_hypothesis_on_every_index_is_tried_where_it_is_needed():
    """At 0, 1 and 2, and at all up to what is met: so what goes from one index to the next gets there."""
    assert {*refute(w[0], 0, given=[w[i] <= 12]).point} == {w[index] for index in range(3)}
    assert {*refute(w[7], 0, given=[w[i] <= 12]).point} == {w[index] for index in range(8)}
    with pytest.raises(Undecided):
        refute(h[9], h[2], given=[Eq(h[i + 1], h[i])])


def test_the_values_of_a_function_fit_what_is_assumed_of_it():
    every = positive(m) + sum(positive(m + shift) for shift in range(1, 9))
    Derivation(every).step(0, because="all are positive", sign=">")
    assert all(value.is_positive for atom, value in refute(every, 0).point.items() if atom != m)


@pytest.mark.parametrize("sides", [
    ((sp.cos(x) ** 2 + sp.sin(x) ** 2) * sp.exp(x**3), sp.exp(x**3)),
    (sp.log(m * x), sp.log(m) + sp.log(x)),
], ids=["all digits cancel", "a side has no value"])  # fmt: skip
def test_a_truth_is_not_refuted(sides):
    with pytest.raises(Undecided):
        refute(*sides)
