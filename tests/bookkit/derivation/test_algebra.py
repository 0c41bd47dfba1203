"""Enemies of the algebra of sums, products and matrices: near misses, put to the engine, and to the proof alone."""

import pytest
import sympy as sp
from sympy import BlockDiagMatrix, Eq, Identity, MatrixSymbol, Ne, Product, Sum, Trace

from bookkit.derivation import Derivation, Refuted, Undecided, checking
from bookkit.derivation.algebra.antidifferences import flatten
from bookkit.derivation.algebra.blocks import blocks
from bookkit.derivation.algebra.equal import is_zero
from bookkit.derivation.algebra.matrix_words import difference, invertible, rules, same, words
from bookkit.derivation.algebra.modulus import above_by_squares, of_one_square, with_moduli
from bookkit.derivation.algebra.order import doubtful_range
from bookkit.derivation.algebra.series import add_up
from bookkit.derivation.algebra.traces import cyclic
from bookkit.derivation.language.hypotheses import Hypotheses, with_signs
from bookkit.derivation.language.ranges import nested_ranges
from bookkit.derivation.points import second_road

a, b, x, y, z = sp.symbols("a b x y z", real=True)
p, q = sp.symbols("p q", positive=True)
u = sp.Symbol("u", complex=True)
m, n, k = sp.symbols("m n k", integer=True)
i, j = sp.symbols("i j", integer=True, nonnegative=True)
N, M = sp.symbols("N M", integer=True, positive=True)
K = sp.Symbol("K", integer=True, nonnegative=True)
o = sp.Symbol("o", odd=True, positive=True)
h, e = sp.IndexedBase("h", real=True), sp.IndexedBase("e", real=True)
s = sp.IndexedBase("s", positive=True)
f = sp.Function("f", real=True)
A, B, Q = (MatrixSymbol(name, N, N) for name in "ABQ")
X, v, w = MatrixSymbol("X", N, M), MatrixSymbol("v", N, 1), MatrixSymbol("w", N, 1)
E, F = MatrixSymbol("E", M, M), MatrixSymbol("F", M, M)
I = Identity(N)
regular = Ne(sp.Determinant(A), 0)
skew = Eq(A.T, -A)

FALSE = {
    # sums
    "a part that begins one late": (
        Sum(h[i], (i, 0, m)) - Sum(h[i], (i, 0, n)),
        Sum(h[i], (i, n + 2, m)),
        (m > n, n >= 0),
    ),
    "a part of a range without its order": (Sum(h[i], (i, 0, m)) - Sum(h[i], (i, 0, n)), Sum(h[i], (i, n + 1, m)), ()),
    "a part that may begin below 0": (Sum(h[i], (i, 0, m)) - Sum(h[i], (i, 0, n)), Sum(h[i], (i, n + 1, m)), (m >= n,)),
    "a shift without its ends": (Sum(h[i + 1], (i, 0, N)), Sum(h[i], (i, 0, N)), ()),
    "a mirror image one off": (Sum(h[N - i], (i, 0, N - 1)), Sum(h[i], (i, 0, N - 1)), ()),
    "a triangle with its diagonal": (Sum(f(i, j), (j, 0, i), (i, 0, N)), Sum(f(i, j), (i, j + 1, N), (j, 0, N)), ()),
    "a triangle, the letters changed": (Sum(f(i, j), (j, 0, i), (i, 0, N)), Sum(f(j, i), (j, 0, i), (i, 0, N)), ()),
    "a triangle that is not there": (Sum(f(i, j), (j, i, N), (i, 0, N + 2)), Sum(f(i, j), (i, 0, j), (j, 0, N)), ()),
    "an inner letter's coefficient": (Sum(i * h[j], (j, 0, i), (i, 0, N)), Sum(j * h[j], (j, 0, i), (i, 0, N)), ()),
    "squares of distances, with a weight": (
        Sum(h[i] * h[j] * (i - j) ** 2, (i, 0, N), (j, 0, N)),
        -2 * Sum(i * h[i], (i, 0, N)) ** 2,
        (),
    ),
    "no weight up to another end": (
        Sum(h[i] * h[j] * (i - j) ** 2, (i, 0, N), (j, 0, N)),
        -2 * Sum(i * h[i], (i, 0, N)) ** 2,
        (Eq(Sum(h[i], (i, 0, N + 1)), 0),),
    ),
    "half of an odd number": (Sum(1, (i, 0, (o - 1) / 2)), (o - 1) / 2, ()),
    "half of an even number's neighbour": (Sum(1, (i, 0, (N - 1) / 2)), (N + 1) / 2, ()),
    "the cube for the square": (Sum(i**2, (i, 0, N)), N**2 * (N + 1) ** 2 / 4, ()),
    "a difference of sums that run backwards": (Sum(h[i], (i, 3, m)) - Sum(h[i], (i, 3, m - 1)), h[m], (m >= 0,)),
    # series
    "a series that may diverge": (Sum(p**i, (i, 0, sp.oo)), 1 / (1 - p), ()),
    "a series at the edge": (Sum(p**i, (i, 0, sp.oo)), 1 / (1 - p), (p <= 1,)),
    "a series of any sign, bounded above": (Sum(x**i, (i, 0, sp.oo)), 1 / (1 - x), (x < 1,)),
    "a growing exponential": (Sum(sp.exp(x * i), (i, 0, sp.oo)), 1 / (1 - sp.exp(x)), ()),
    "a series of unknown terms": (Sum(h[i], (i, 0, sp.oo)) - Sum(h[i], (i, 1, sp.oo)), h[0], ()),
    "a harmonic series": (Sum(1 / (i + 1), (i, 0, sp.oo)) - Sum(1 / (i + 1), (i, 0, sp.oo)) + x, y, ()),
    # products
    "a telescope one too long": (Product(s[i + 1] / s[i], (i, 0, N)), s[N] / s[0], ()),
    "a telescope with a factor that may be 0": (Product(h[i + 1] / h[i], (i, 0, N - 1)), h[N] / h[0], ()),
    "not zero at one place": (Product(h[i + 1] / h[i], (i, 0, N - 1)), h[N] / h[0], (Ne(h[0], 0),)),
    "not zero at a place that is fixed": (i + Product(h[j + 1] / h[j], (j, 0, N - 1)), i + h[N] / h[0], (Ne(h[i], 0),)),
    "a part of a product whose factors may be 0": (
        Product(h[i], (i, n + 1, m)),
        Product(h[i], (i, 0, m)) / Product(h[i], (i, 0, n)),
        (m >= n, n >= 0),
    ),
    "the first factor twice": (Product(h[i], (i, 0, N)), h[0] * Product(h[i], (i, 0, N)), ()),
    "a factor of an empty product": (Product(h[i], (i, 1, K)), h[K] * Product(h[i], (i, 1, K - 1)), ()),
    "a product that may run backwards": (Product(h[i], (i, 3, m)), h[m] * Product(h[i], (i, 3, m - 1)), ()),
    "stick-breaking with its own factor": (
        Sum(h[i] * Product(1 - h[j], (j, 0, i)), (i, 0, N)),
        1 - Product(1 - h[j], (j, 0, N)),
        (),
    ),
    "a product of sums": (Product(h[i] + e[i], (i, 0, N)), Product(h[i], (i, 0, N)) + Product(e[i], (i, 0, N)), ()),
    "a root out of a product of squares": (sp.sqrt(Product(h[i] ** 2, (i, 0, N))), Product(h[i], (i, 0, N)), ()),
    "the logarithm of factors of any sign": (sp.log(Product(h[i], (i, 0, N))), Sum(sp.log(h[i]), (i, 0, N)), ()),
    "a constant to the wrong power": (Product(x, (i, 0, N)), x**N, ()),
    "induction on products with a wrong start": (Product(i, (i, 1, K)), 2 * sp.factorial(K), ()),
    # roots and moduli
    "a root of either sign": (sp.sqrt(x**2 + 2 * x * y + y**2), x + y, ()),
    "a chord of either sign": (sp.Abs(1 - sp.exp(sp.I * a)), 2 * sp.sin(a / 2), ()),
    "two roots of one square": (sp.sqrt(u) * sp.sqrt(u - 1), sp.sqrt(u * (u - 1)), ()),
    "a root and its opposite": (sp.sqrt(x**2 + 1), -sp.sqrt(1 + x**2), ()),
    # angles
    "another angle's cosine": (x**2 * sp.cos(a) ** 2 + x**2 * sp.sin(b) ** 2, 1, (Eq(x**2, 1),)),
    "a wave that is no unit": (x * sp.cos(a) ** 2 + y * sp.sin(a) ** 2, 1, (Eq(x * y, 1),)),
    # matrices
    "a singular matrix conjugates": ((A * B * A.inverse()) ** 2, A * B**2 * A.inverse(), ()),
    "another matrix is regular": ((A * B * A.inverse()) ** 2, A * B**2 * A.inverse(), (Ne(sp.Determinant(B), 0),)),
    "an inverse on the wrong side": (A * B * A.inverse(), A.inverse() * B * A, (regular,)),
    "a conjugated cube as a square": ((A * B * A.inverse()) ** 3, A * B**2 * A.inverse(), (regular,)),
    "columns are orthonormal, rows are not": (X * X.T, I, (Eq(X.T * X, Identity(M)),)),
    "a one-sided inverse of a rectangle": (
        X * MatrixSymbol("Y", M, N) * A,
        A,
        (Eq(MatrixSymbol("Y", M, N) * X, Identity(M)),),
    ),
    "a skew form of two vectors": (v.T * A * w, 0, (skew,)),
    "a form of a matrix that is not skew": (v.T * A * v, 0, ()),
    "a symmetric form": (v.T * A * v, 0, (Eq(A.T, A),)),
    "half of a matrix": (v.T * A * v, v.T * A.T * v / 2, ()),
    "a trace of three, two changed": (Trace(A * B * Q), Trace(B * A * Q), ()),
    "a trace of a product as a product": (Trace(A * B), Trace(A) * Trace(B), ()),
    "a trace of the identity": (Trace(I), 1, ()),
    "blocks in the wrong order": (BlockDiagMatrix(A, E) * BlockDiagMatrix(B, F), BlockDiagMatrix(A * B, F * E), ()),
    "blocks of which one is not orthogonal": (
        BlockDiagMatrix(Q, E).T * BlockDiagMatrix(Q, E),
        Identity(N + M),
        (Eq(Q.T * Q, I),),
    ),
    "a reflection by a vector of any length": ((I - 2 * v * v.T) ** 2, I, ()),
}


@pytest.mark.parametrize("name", FALSE)
def test_a_near_miss_does_not_pass(name):
    lhs, rhs, given = FALSE[name]
    with pytest.raises((Refuted, Undecided)):
        Derivation(lhs, given=given).step(rhs, because=name)


@pytest.mark.parametrize("name", FALSE)
def test_the_proof_alone_does_not_let_a_near_miss_pass(name, monkeypatch):
    monkeypatch.setattr(checking, "attempts", lambda *args: iter(()))
    monkeypatch.setattr(checking, "walk", lambda goal: second_road.Outcome(None, (), 40))
    lhs, rhs, given = FALSE[name]
    with pytest.raises(Undecided):
        Derivation(lhs, given=given).step(rhs, because=name)


def test_sums_are_told_by_their_ends():
    both = flatten([Sum(h[i], (i, 0, N)), Sum(h[i], (i, 0, N + 1))])
    assert sp.expand(both[1] - both[0]) == h[N + 1]
    assert flatten([Sum(h[i], (i, 2, 4))]) == [h[2] + h[3] + h[4]]
    assert flatten([x + Sum(1, (i, 0, N))]) == [x + N + 1]
    series = flatten([Sum(h[i], (i, 0, sp.oo))])[0]
    assert series.is_Dummy
    integral = sp.Integral(Sum(x**i * h[i], (i, 0, N)), (x, 0, y))
    assert flatten([integral]) == [integral]


def test_products_are_told_by_their_ends_where_no_factor_is_0():
    def gap(of):
        return sp.simplify(flatten([Product(of[i], (i, 0, N + 1)) / Product(of[i], (i, 0, N))])[0])

    nonzero = sp.IndexedBase("t", real=True, nonzero=True)
    assert (gap(s), gap(nonzero)) == (s[N + 1], nonzero[N + 1])
    assert is_zero(Product(h[i], (i, 0, N + 1)) - h[N + 1] * Product(h[i], (i, 0, N)))


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


def test_geometric_series():
    below_one = Hypotheses.of([p < 1])
    assert sp.simplify(add_up(Sum(i * p**i, (i, 2, sp.oo)), below_one) - p**2 * (2 - p) / (1 - p) ** 2) == 0
    assert add_up(Sum(p**i + h[i], (i, 0, sp.oo)), below_one).has(sp.oo)
    assert add_up(Sum(x**i, (i, 0, sp.oo)), Hypotheses.of([sp.Abs(x) < 1])) == 1 / (1 - x)
    assert add_up(Sum(p**i, (i, 0, N)), Hypotheses.of([p < 1])) == Sum(p**i, (i, 0, N))


def test_roots_and_moduli():
    turns = Sum(h[i] * sp.exp(sp.I * e[i]), (i, 0, N))
    assert with_moduli(sp.Abs(turns)).atoms(sp.Abs)
    assert not with_moduli(sp.sqrt(x * (x + 1))).atoms(sp.Abs)
    plain = lambda gap: sp.expand(gap) == 0  # noqa: E731
    assert of_one_square(sp.sqrt(x**2 + 2 * x * y + y**2) - sp.Abs(x + y), plain)
    assert not of_one_square(sp.sqrt(x**2 + 2 * x * y + y**2) - (x + y), plain)


def test_order_by_squares():
    size, inner = sp.Abs(u) * sp.Abs(x + sp.I * y), sp.re(u) * x + sp.im(u) * y
    assert above_by_squares(sp.expand(size - inner))
    assert above_by_squares(sp.expand(size + inner))
    assert not above_by_squares(sp.expand(size - 2 * inner))
    assert not above_by_squares(sp.expand(inner - size))
    assert not above_by_squares(sp.expand(size - sp.I * inner))


def test_words_with_inverses():
    inverse = A.inverse()
    assert words((A * B * inverse) ** 2) == {(A, B, inverse, A, B, inverse): 1}
    assert words(A ** (-2) * B) == {(inverse, inverse, B): 1}
    assert same((A * B * inverse) ** 3, A * B**3 * inverse, Hypotheses.of([regular]))
    assert not same((A * B * inverse) ** 3, A * B**3 * inverse, Hypotheses.of([]))
    assert [invertible(Q, Hypotheses.of([g])) for g in (Eq(Q.T * Q, I), Ne(sp.Determinant(Q), 1), Eq(Q.T * Q, A))] == [
        True,
        False,
        False,
    ]
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
    assert is_zero(difference(v.T * A * v, 0), Hypotheses.of([skew]))


def test_traces_are_cycles():
    assert cyclic(Trace(A * B) - Trace(B * A)) == 0
    assert cyclic(Trace(A * B * Q) - Trace(B * A * Q)) != 0
    assert cyclic(Trace(I)) == N
    assert cyclic(Trace(Q.T * A * Q) - Trace(A), Hypotheses.of([Eq(Q.T * Q, I)])) == 0
    assert cyclic(Trace(A.inverse() * B * A) - Trace(B)) != 0


def test_blocks_that_do_not_fit_are_left():
    fitting = BlockDiagMatrix(A, E) * BlockDiagMatrix(B, F)
    assert len(blocks(fitting)) == 4
    crossed = BlockDiagMatrix(A, E) * BlockDiagMatrix(E, A)
    assert blocks(crossed) == [crossed]
    assert blocks(A * B) == [A * B]
