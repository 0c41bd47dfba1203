"""The parts of the engine by themselves: sums, hypotheses, words, bounds, values."""

import pytest
import sympy as sp
from sympy import Eq, Sum

from bookkit.derivation import Derivation, Undecided, checking, define
from bookkit.derivation.algebra import forms, terms
from bookkit.derivation.algebra.equal import is_zero
from bookkit.derivation.algebra.forms import trigonometric
from bookkit.derivation.algebra.matrix_words import rewrite, words
from bookkit.derivation.algebra.rules import follows
from bookkit.derivation.algebra.sums import merge_sums, peel
from bookkit.derivation.language.binding import rename_bound, substitute
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.language.notation import bound_letters, unfold
from bookkit.derivation.language.ranges import fits_range
from bookkit.derivation.language.sympy_workarounds import simplify, without_parity
from bookkit.derivation.page.printer import latex
from bookkit.derivation.points.counterexample import counterexample, differs, exceeds, not_below
from bookkit.derivation.points.values import TOLERANCE, entries, evaluate, exact_value, numeric_value
from tests.bookkit.derivation.letters import A, B, N, a, b, f, g, h, i, j, k, m, n, x, y

u, v = sp.symbols("u v")
z = sp.Symbol("z", complex=True)
M = sp.Symbol("M", integer=True, positive=True)
s = sp.IndexedBase("S", real=True)
t = sp.Symbol("t", integer=True, nonzero=True)
C = sp.MatrixSymbol("C", N, N)


@pytest.mark.parametrize(
    ("total", "split"),
    [
        (Sum(h[i], (i, 0, n + 1)), Sum(h[i], (i, 0, n)) + h[n + 1]),
        (Sum(h[i], (i, 0, 2 * n + 2)), Sum(h[i], (i, 0, 2 * n)) + h[2 * n + 1] + h[2 * n + 2]),
        (Sum(n * h[i], (i, 0, n)), Sum(n * h[i], (i, 0, n - 1)) + n * h[n]),
        (Sum(h[i], (i, n, 2 * n)), Sum(h[i], (i, n, 2 * n))),
        (Sum(h[i], (i, 0, n / 2)), Sum(h[i], (i, 0, n / 2))),
        (Sum(h[i], (i, 0, M)), Sum(h[i], (i, 0, M))),
        (Sum(h[i], (i, 0, M - n)), Sum(h[i], (i, 0, M - n))),
        (Sum(h[i] * s[j], (i, 0, n), (j, 0, M)), Sum(h[i] * s[j], (i, 0, n), (j, 0, M))),
    ],
)
def test_peel_takes_the_last_terms_off(total, split):
    assert peel(total, n) == split


def test_induction_is_on_a_letter_in_an_upper_limit(monkeypatch):
    tried = []
    monkeypatch.setattr(terms, "_inductive", lambda expr, letter, given: tried.append(letter))
    assert not terms.by_induction(Sum(M * h[i], (i, 0, j), (j, 0, N)) - M * x)
    assert tried == [N]  # not M, on which no range depends, and not j, which is bound


def test_the_forms_see_no_sum(monkeypatch):
    """Of a product of sums sympy would have to know the ranges: it is taken apart, or left."""
    seen, vanishes = [], terms.vanishes
    monkeypatch.setattr(terms, "vanishes", lambda expr: seen.append(expr) or vanishes(expr))
    assert is_zero(2 * Sum(h[i], (i, 0, N)) + x - Sum(2 * h[j], (j, 0, N)) - x)
    assert not is_zero(Sum(h[i], (i, 0, N)) * Sum(s[i], (i, 0, N)) - x)
    assert seen
    assert not any(expr.has(Sum) for expr in seen)
    total = Sum(h[i] * (sp.sin(x) ** 2 + sp.cos(x) ** 2), (i, 0, N)) - Sum(h[i], (i, 0, N))
    assert sp.simplify(total) == 0
    assert not any(form.shows(forms.Zero(total)) for form in forms.FORMS)


def test_sums_over_one_range_are_joined():
    rest, sums = merge_sums(a + b + 2 * x * Sum(h[i], (i, 0, N)) + y * Sum(s[j], (j, 0, N)) - Sum(s[i], (i, 1, N)))
    assert rest == a + b
    assert {total[0][1:]: sp.expand(summand.subs(j, i)) for total, summand in sums.items()} == {
        (0, N): 2 * x * h[i] + y * s[i],
        (1, N): -s[i],
    }


def test_products_of_sums_are_not_joined():
    product = Sum(h[i], (i, 0, N)) * Sum(s[i], (i, 0, N))
    assert merge_sums(product + a) == (product + a, {})


def test_double_sums_are_joined_where_both_ranges_agree():
    triangle, named = Sum(h[i] * s[j], (i, 0, j), (j, 0, M)), Sum(h[j] * s[i], (j, 0, i), (i, 0, M))
    assert merge_sums(triangle - named)[1] in ({total.limits: 0} for total in (triangle, named))
    square = Sum(h[i] * s[j], (i, 0, M), (j, 0, M))
    assert len(merge_sums(triangle - square)[1]) == 2
    assert len(merge_sums(triangle - Sum(h[i], (i, 0, M)))[1]) == 2


@pytest.mark.parametrize(
    ("letter", "lower", "upper", "fits"),
    [
        (i, 0, N, True),
        (i, -1, N, False),
        (i, -N, N, False),
        (k, -N, N, True),
        (N, 1, M, True),
        (N, 0, M, False),
        (k, N / 2, N, False),
        (k, 0, N / 2, False),
        (sp.Symbol("e", even=True), 0, N, False),
        (sp.Symbol("z"), 0, N, True),
    ],
)
def test_a_letter_lies_in_its_range(letter, lower, upper, fits):
    assert fits_range(letter, sp.sympify(lower), sp.sympify(upper)) is fits


def test_a_letter_is_fixed_where_it_stands_outside_of_an_index():
    assert Hypotheses().constants([x + Sum(h[i], (i, 0, N))]) == {x, N}
    assert Hypotheses.of([Eq(h[i], a * h[j + 1])]).constants([x]) == {x, a}
    assert Hypotheses.of([Eq(h[i], 0)]).constants([f(i)]) == {i}
    assert Hypotheses.of([Eq(h[i], 0), i < 3]).constants([x]) == {x, i}


def test_renaming_leaves_the_meaning():
    outer = Sum(h[i] * s[j], (i, 0, j), (j, 0, N))
    renamed = rename_bound(outer, {j})
    assert bound_letters(outer) == {i, j}
    assert bound_letters(renamed) & {i, j} == {i}
    assert added(renamed.subs(N, 2)) == added(outer.subs(N, 2))
    assert sp.expand(added(renamed.subs(N, 1)) - h[0] * s[0] - (h[0] + h[1]) * s[1]) == 0
    assert rename_bound(outer, {x}) == outer
    assert bound_letters(rename_bound(sp.Matrix([[outer]]), {i, j})[0, 0]) & {i, j} == set()
    assert bound_letters(rename_bound(sp.Product(h[i], (i, 0, N)), {i})) & {i} == set()


def added(expr):
    return sp.factor(exact_value(expr, lambda atom: atom))


@pytest.mark.parametrize("kept", [sp.Derivative(f(x), x), sp.Integral(f(x), (y, 0, x)), sp.Subs(f(x), x, y)], ids=str)
def test_a_hypothesis_is_not_put_under_a_derivative(kept):
    assert substitute(kept + f(x), f(x), a) == kept + a


def test_a_hypothesis_is_put_inside_sums():
    assert substitute(Sum(h[i], (i, 0, N)), h[i], 2 * s[i]) == Sum(2 * s[i], (i, 0, N))
    assert substitute(i + Sum(h[i], (i, 0, i)), i, M) == M + Sum(h[i], (i, 0, M))
    assert substitute(a + b + x, a + b, y) == x + y


def test_parity_is_written_out():
    even, odd = sp.Symbol("e", even=True, positive=True), sp.Symbol("o", odd=True, positive=True)
    p, q, r = without_parity(even / 2, odd, m)
    assert (p.is_Dummy, p.is_integer, p.is_positive, p.is_even) == (True, True, True, None)
    assert ((q - 1) / 2).is_Dummy
    assert (((q - 1) / 2).is_nonnegative, ((q - 1) / 2).is_positive) == (True, None)
    assert r == m
    assert without_parity(sp.Symbol("e", even=True))[0].is_nonnegative is None


def test_open_roots_of_unity_are_not_simplified():
    assert simplify(sp.sin(x) ** 2 + sp.cos(x) ** 2) == 1
    for root in (2 * sp.exp(sp.I * sp.pi * (2 * m + 1) / 3), (-1) ** (m / 3) + (-1) ** (m / 3 + 2)):
        assert simplify(root) == root


def test_two_softmaxes_are_left_as_they_are():
    first, second = (sp.exp(z) / Sum(sp.exp(of[i]), (i, 0, N)) for z, of in ((x, h), (y, s)))
    assert simplify(first - second) == first - second


def test_words():
    one = sp.Identity(N)
    assert words(3 * A * B + A * B - A * B.T) == {(A, B): 4, (A, B.T): -1}
    assert words(A**3 * one) == {(A, A, A): 1}
    assert words(A.inverse() * B) == {(A.inverse(), B): 1}
    assert words(sp.ZeroMatrix(N, N)) == {}
    assert words(sp.MatAdd(sp.ZeroMatrix(N, N), A, evaluate=False)) == {(A,): 1}
    folded = 2 * (A + A * B) * (3 * B * A + A)
    assert words(folded) == {(A, A): 2, (A, B, A): 8, (A, B, B, A): 6}
    assert words((one + A) * (one + A)) == {(): 1, (A,): 2, (A, A): 1}
    assert words(A * (B - B)) == {}
    assert words(2 * (one + 3 * A) ** 2 + A + B) == {(): 2, (A,): 13, (A, A): 18, (B,): 1}


def test_rules_replace_parts_of_words():
    rules = [((A, B), {(C,): sp.Integer(2), (): sp.Integer(1)})]
    assert rewrite({(C, A, B, A, B): sp.Integer(3), (B,): sp.Integer(5)}, rules) == {
        (C, C, C): 12, (C, C): 12, (C,): 3, (B,): 5,
    }  # fmt: skip
    assert rewrite({(A, B): sp.Integer(1), (C,): sp.Integer(-2), (): sp.Integer(-1)}, rules) == {}


def test_trigonometric_identities():
    assert trigonometric(sp.sin(x) ** 2 + sp.sin(y) ** 3) == 1 - sp.cos(x) ** 2 + sp.sin(y) ** 3
    assert trigonometric(sp.sin(x + y)) == sp.sin(x) * sp.cos(y) + sp.cos(x) * sp.sin(y)


def test_numbers():
    half = sp.Rational(1, 2)
    assert [differs(half), differs(-half), differs(sp.Float("1e-13"))] == [True, True, False]
    assert [exceeds(half), exceeds(-half), exceeds(sp.S.Zero), exceeds(half - 1 + sp.I)] == [True, False, False, True]
    assert [differs(TOLERANCE), exceeds(TOLERANCE), exceeds(TOLERANCE * sp.I)] == [False] * 3
    assert [not_below(half), not_below(-half), not_below(sp.S.Zero), not_below(sp.I - 1)] == [True, False, True, True]
    assert numeric_value(sp.pi, lambda atom: atom) == sp.N(sp.pi, 30)
    assert numeric_value(1 / sp.S.Zero, lambda atom: atom) is None
    assert exact_value(Sum(h[i], (i, 2, 3)), lambda atom: atom.indices[0]) == 5
    assert exact_value(h[N] + h[0], lambda atom: sp.Integer(7)) == h[N] + 7
    assert sp.expand(exact_value(Sum(i, (i, 0, N)) - N * (N + 1) / 2, lambda atom: atom)) == 0
    assert exact_value(Sum(h[j], (j, 0, i), (i, 0, 2)), lambda atom: atom.indices[0] + 1) == 1 + 3 + 6
    assert exact_value(Sum(h[i], (i, 1, -3)), lambda atom: 1) == 0
    assert evaluate(A + x * A, {N: sp.Integer(1), x: sp.Integer(2), A: sp.ImmutableMatrix([[3]])}).doit() == sp.Matrix(
        [[9]]
    )
    assert entries(sp.ImmutableMatrix([[x, 1]]), sp.ImmutableMatrix([[y, 1]]), {x: sp.Integer(2)}) == [2 - y, 0]
    with pytest.raises(ValueError, match=r"size mismatch: \(1, 2\) .* \(1, 3\)"):
        entries(sp.ImmutableMatrix([[x, 1]]), sp.ImmutableMatrix([[x, 1, 2]]), {})
    assert counterexample(x, x, differs) is None


def test_matrices_are_worked_out_where_their_size_is_known():
    X, Y, v = sp.MatrixSymbol("X", 1, 2), sp.MatrixSymbol("Y", 2, 1), sp.MatrixSymbol("v", N, 1)
    assert unfold(X * Y) == X[0, 0] * Y[0, 0] + X[0, 1] * Y[1, 0]
    assert unfold(X + Y.T) == sp.Matrix([[X[0, 0] + Y[0, 0], X[0, 1] + Y[1, 0]]])
    assert unfold(v.T * A * v) == v.T * A * v


def test_names_print_as_written():
    entry, table = define(r"\mu", lambda p, q: p * q), define("T", lambda X: X * A)
    assert (str(entry(m, n)), latex(entry(m, n))) == ("mu(m, n)", r"\mu_{m,n}")
    assert (str(table(B)), latex(table(B)), table(B).shape) == ("T(B)", "T_{B}", (N, N))
    assert latex(sp.Transpose(A * B + C)) == r"\left(A B + C\right)^{\top}"
    assert latex(sp.log(x)) == r"\ln{\left(x \right)}"
    turn = define("R", lambda t: sp.Matrix([[t, 0], [0, 1]]))
    assert (turn(m).subs(m, 2), turn(m)[0, 0], turn(m).shape) == (turn(2), m, (2, 2))


def test_a_rule_that_leaves_equality_open_shows_no_strict_order():
    assert follows(g(x) - x, [sp.Gt(g(x), x)], Hypotheses(), strict=True)
    assert not follows(g(x) - x, [sp.Ge(g(x), x)], Hypotheses(), strict=True)


def test_an_error_of_sympy_shows_nothing(monkeypatch):
    monkeypatch.setattr(checking, "zero_by", lambda *args: 1 // 0)
    with pytest.raises(Undecided, match=r"the algebra stopped with ZeroDivisionError"):
        Derivation((x + 1) ** 2).step(x**2 + 2 * x + 1, because="?")
