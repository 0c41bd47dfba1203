"""Enemies of the engine: false statements that once passed, or that a careless tactic would let pass.

Each is put twice: to the whole engine, and to the proof alone, without the search for a counterexample.
"""

import pytest
import sympy as sp
from sympy import Eq, Sum

from bookkit.derivation import Derivation, Refuted, Undecided, checking, define, refute
from bookkit.derivation.points.counterexample import Attempt
from bookkit.derivation.points.second_road import Outcome

a, x, y = sp.symbols("a x y", real=True)
u = sp.Symbol("u")
p = sp.Symbol("p", positive=True)
r = sp.Symbol("r", nonnegative=True)
m, k = sp.symbols("m k", integer=True)
i, j = sp.symbols("i j", integer=True, nonnegative=True)
N = sp.Symbol("N", integer=True, positive=True)
K = sp.Symbol("K", integer=True, nonnegative=True)
d, odd = sp.Symbol("d", even=True, positive=True), sp.Symbol("o", odd=True, positive=True)
f, g = sp.Function("f", real=True), sp.Function("g", real=True)
h = sp.IndexedBase("h", real=True)
A, B = sp.MatrixSymbol("A", N, N), sp.MatrixSymbol("B", N, N)
I = sp.Identity(N)
turn = sp.exp(sp.I * sp.pi * d / 2)


def turns(size):
    """It is sin(2 · size · a): induction shows it, and no closed form of sympy's."""
    return 2 * sp.sin(a) * Sum(sp.cos((2 * i + 1) * a), (i, 0, size - 1))


FALSE = {
    # sums
    "a letter outside a sum is not its index": (i * Sum(h[i], (i, 0, N)), "=", Sum(i * h[i], (i, 0, N)), ()),
    "two sums, one holds the other's letter": (Sum(i, (i, 0, N)) - Sum(i, (j, 0, N)), "=", 0, ()),
    "a letter inside a sum is not its index": (Sum(j * h[i], (i, 0, N)), "=", Sum(j * h[j], (j, 0, N)), ()),
    "an inner sum's letter is not the outer one's": (
        Sum(Sum(i * h[j], (i, 0, 3)) * f(j), (j, 0, N)), "=", Sum(Sum(i * h[i], (i, 0, 3)) * f(i), (i, 0, N)), ()
    ),
    "a range that runs backwards": (Sum(1, (i, 1, m)), "=", m, ()),
    "a range that may run backwards": (Sum(1, (i, 0, K - 5)), "=", K - 4, ()),
    "a range that may start above its end": (Sum(1, (i, 2, K)), "=", K - 1, ()),
    "a backwards sum of squares": (Sum(h[i] ** 2, (i, 0, m)), "≥", 0, ()),
    "a range that ends on a half": (Sum(1, (i, 0, N / 2 - 1)), "=", N / 2, ()),
    "a range that is no whole number": (Sum(1, (i, 0, x**2)), "=", x**2 + 1, ()),
    "a range outside the letter's domain": (Sum(i, (i, -3, N)), "≥", 0, ()),
    "induction from 0, without a value there": (turns(K), "=", sp.sin(2 * K * a) + (K**2 + K) / K - K - 1, ()),
    "induction from 1, without a value there": (turns(N), "=", sp.sin(2 * N * a) + (N**2 - 1) / (N - 1) - N - 1, ()),
    "induction with a wrong start": (Sum(2 * i, (i, 0, N)), "=", N * (N + 1) + 1, ()),
    "induction on a letter that may be negative": (Sum(1, (i, 0, N + m)), "=", N + sp.Abs(m) + 1, (m >= -N,)),
    "an open upper end": (Sum(h[i], (i, 0, N)), "=", Sum(h[i], (i, 0, N - 1)), ()),
    # hypotheses
    "known at one i, used at every i": (i + Sum(f(i), (i, 0, N)), "=", i + Sum(5, (i, 0, N)), (Eq(f(i), 5),)),
    "known at a bounded i": (Sum(f(i), (i, 0, N)), "=", Sum(5, (i, 0, N)), (Eq(f(i), 5), i <= 3)),
    "known at i = 3": (Sum(h[i], (i, 0, N)), "=", Sum(5, (i, 0, N)), (Eq(h[i], 5), Eq(i, 3))),
    "put under a sum's letter": (Sum(a * h[i], (i, 0, N)), "=", Sum(i * h[i], (i, 0, N)), (Eq(a, i),)),
    "one slack for every i": (Sum(f(i) - p, (i, 1, N)) ** 2, "≥", N * Sum((f(i) - p) ** 2, (i, 1, N)), (f(i) <= p,)),
    "zero at a point is not flat": (sp.Derivative(f(x), x), "=", 0, (Eq(f(x), 0),)),
    "bounded at a point is not flat": (sp.Derivative(f(x), x), "=", 0, (f(x) <= 1,)),
    "equal at a point is not constant": (sp.Derivative(g(a) * f(x), x), "=", sp.diff(g(x) * f(x), x), (Eq(a, x),)),
    "zero at a point has an integral": (x + sp.Integral(f(y), (y, 0, x)), "=", x, (Eq(f(x), 0), Eq(y, x))),
    "a bound from the wrong side": (x, "≥", 5, (x <= 5,)),
    "a square has two roots": (a, "=", x, (Eq(a**2, x**2),)),
    "a factor may be zero": (a, "=", x, (Eq(a * y, x * y),)),
    "a product of bounds": (x * y, "≤", 1, (x <= 1, y <= 1)),
    "real numbers lie between integers": (x, "≥", 3, (x > 2,)),
    "an odd number lies between even ones": (odd, "≥", 4, (odd > 2,)),
    "no polynomial, no ideal": (sp.Piecewise((1, x > 0), (2, True)), "=", a, (Eq(a**2, x**2),)),
    # parity
    "half an even number may be odd": (-turn / 2, "=", -sp.Rational(1, 2), ()),
    "half an odd number": (2 * sp.exp(sp.I * sp.pi * odd / 2), "=", 2 * sp.I, ()),
    "an alternating sum": (Sum((-1) ** i, (i, 0, d / 2 - 1)), "=", 0, ()),
    # order
    "strict where a factor may be zero": (p * r, ">", 0, ()),
    "strict at a corner": (K * sp.cos(a), "<", K, ()),
    "a coefficient of unknown sign": (x * sp.cos(a), "≤", x, ()),
    "a coefficient of unknown sign, summed": (x * Sum(h[i] ** 2, (i, 0, N)), "≥", 0, ()),
    "the triangle the wrong way": (sp.Abs(a) + sp.Abs(x), "≤", sp.Abs(a + x), ()),
    "numbers that are in no order": (u**2, "≥", 0, ()),
    # matrices
    "two words that fall together": ((A + A * B) * (A + B * A), "=", A**2 + A * B * A + A * B**2 * A, ()),
    "two words, with the identity": ((I + A) * (I + A) * B, "=", B + A * B + A**2 * B, ()),
    "the order of factors": (A * B, "=", B * A, ()),
    "symmetric factors": (A * B, "=", B * A, (Eq(A.T, A),)),
    "a transposed factor": (A.T * B, "=", A * B, ()),
}  # fmt: skip


@pytest.mark.parametrize("name", FALSE)
def test_a_false_step_does_not_pass(name):
    lhs, sign, rhs, given = FALSE[name]
    with pytest.raises((Refuted, Undecided)):
        Derivation(lhs, given=given).step(rhs, because=name, sign=sign)


@pytest.mark.parametrize("name", FALSE)
def test_the_proof_alone_does_not_let_it_pass(name, monkeypatch):
    monkeypatch.setattr(checking, "attempts", lambda *args: iter([Attempt(None, has_value=True)]))
    monkeypatch.setattr(checking, "walk", lambda goal: Outcome(None, (), 40))
    lhs, sign, rhs, given = FALSE[name]
    with pytest.raises(Undecided):
        Derivation(lhs, given=given).step(rhs, because=name, sign=sign)


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
