"""Enemies of the algebra of sums, products and matrices: near misses, put to the engine, and to the proof alone."""

import pytest
import sympy as sp
from sympy import Eq, Identity, MatrixSymbol, Ne, Product, Sum

from bookkit.derivation import Derivation, Undecided
from bookkit.derivation.algebra.antidifferences import flatten
from bookkit.derivation.algebra.matrix_words import difference, invertible, rules, same, words
from bookkit.derivation.algebra.modulus import with_moduli
from bookkit.derivation.algebra.order import doubtful_range
from bookkit.derivation.language.hypotheses import Hypotheses, with_signs
from bookkit.derivation.language.ranges import nested_ranges
from tests.bookkit.derivation.letters import A, B, N, f, h, i, j, m, n, x, y

M = sp.Symbol("M", integer=True, positive=True)
e = sp.IndexedBase("e", real=True)
s = sp.IndexedBase("s", positive=True)
Q = MatrixSymbol("Q", N, N)
X, v, w = MatrixSymbol("X", N, M), MatrixSymbol("v", N, 1), MatrixSymbol("w", N, 1)
I = Identity(N)
skew = Eq(A.T, -A)


def test_sums_are_told_by_their_ends():
    both = flatten([Sum(h[i], (i, 0, N)), Sum(h[i], (i, 0, N + 1))])
    assert sp.expand(both[1] - both[0]) == h[N + 1]
    assert flatten([Sum(h[i], (i, 2, 4))]) == [h[2] + h[3] + h[4]]
    assert flatten([x + Sum(1, (i, 0, N))]) == [x + N + 1]
    integral = sp.Integral(Sum(x**i * h[i], (i, 0, N)), (x, 0, y))
    assert flatten([integral]) == [integral]


def test_products_are_told_by_their_ends_where_no_factor_is_0():
    def gap(of):
        return sp.simplify(flatten([Product(of[i], (i, 0, N + 1)) / Product(of[i], (i, 0, N))])[0])

    nonzero = sp.IndexedBase("t", real=True, nonzero=True)
    assert (gap(s), gap(nonzero)) == (s[N + 1], nonzero[N + 1])


def test_a_sign_is_known_of_every_entry_or_of_none():
    (known,) = with_signs([Product(h[i], (i, 0, N)) + h[N]], Hypotheses.of([Ne(h[i], 0)]))
    assert {entry.is_nonzero for entry in known.atoms(sp.Indexed)} == {True}
    for formula, given in [(Sum(h[i], (i, 0, N)) + h[-N], h[i] > 0), (Sum(h[j], (j, 0, N)), h[i] > 0),
                           (Sum(h[i], (i, 0, N)), h[i] < 0)]:  # fmt: skip
        assert with_signs([formula], Hypotheses.of([given])) == [formula]


def test_what_is_known_around_a_sum():
    triangle = Sum(f(i, j), (i, j, N), (j, 0, N))
    assert [(letter, known) for letter, _, _, known in nested_ranges(triangle)] == [(j, ()), (i, (j <= N,))]
    assert doubtful_range(triangle) is None
    assert doubtful_range(Sum(f(i, j), (i, j, N), (j, 0, N + 2)))[0] == i
    assert doubtful_range(Sum(h[i], (i, n, m)), Hypotheses.of([m >= n])) is not None
    assert doubtful_range(Sum(h[i], (i, n, m)), Hypotheses.of([m >= n, n >= 0])) is None


def test_the_root_of_a_number_times_its_conjugate_is_a_modulus():
    turns = Sum(h[i] * sp.exp(sp.I * e[i]), (i, 0, N))
    assert with_moduli(sp.Abs(turns)).atoms(sp.Abs)
    assert not with_moduli(sp.sqrt(x * (x + 1))).atoms(sp.Abs)


def test_words_with_inverses():
    inverse = A.inverse()
    assert words((A * B * inverse) ** 2) == {(A, B, inverse, A, B, inverse): 1}
    assert words(A ** (-2) * B) == {(inverse, inverse, B): 1}
    given = Eq(Q.T * Q, I), Ne(sp.Determinant(Q), 1), Eq(Q.T * Q, A)
    assert [invertible(Q, Hypotheses.of([one])) for one in given] == [True, False, False]
    with pytest.raises(ValueError, match="a power of a matrix must be whole"):
        words(A ** sp.Rational(1, 2) * B)
    assert not same(A ** sp.Rational(1, 2) * B, A ** sp.Rational(1, 2) * B * Q, Hypotheses.of([Eq(B * Q, B)]))


def test_a_transposed_hypothesis_that_says_nothing_new_is_left_out():
    assert len(rules((skew,))) == 1
    assert len(rules((Eq(A * B, Q),))) == 2
    assert len(rules((Eq(Q.T * Q, I),))) == 2  # and Q Qᵀ = I, since Q is square
    assert len(rules((Eq(X.T * X, Identity(M)),))) == 1


def test_hypotheses_that_chase_one_another_leave_the_step_undecided():
    with pytest.raises(Undecided, match=r"step 1 \(\?\): .*the hypotheses rewrite one another"):
        Derivation(A * B * A, given=[Eq(A * B, B * A), Eq(B * A, A * B)]).step(A**2 * B, because="?")


def test_a_number_is_a_matrix_of_one_entry():
    assert difference(v.T * w, sp.Integer(0)).shape == (1, 1)
    assert difference(x, y) == x - y
