"""Each tactic has a name, by which a step says how it was shown, and by which a test can forbid it."""

import pytest
import sympy as sp
from sympy import Abs, Eq, Rational, Sum

from bookkit.derivation import Derivation, Undecided
from bookkit.derivation.algebra import equal, forms, order
from bookkit.derivation.lemmas import CAUCHY_SCHWARZ
from tests.bookkit.derivation.reach import line

a, b, x, y = sp.symbols("a b x y", real=True)
p, q = sp.symbols("p q", positive=True)
D = sp.Symbol("D", integer=True, positive=True)
u, v = sp.symbols("u v", complex=True)
m, n = sp.symbols("m n", integer=True)
i = sp.Symbol("i", integer=True, nonnegative=True)
j, N = sp.Symbol("j", integer=True), sp.Symbol("N", integer=True, positive=True)
even = sp.Symbol("d", even=True, positive=True)
K = sp.Symbol("K", integer=True, nonnegative=True)
h, s = sp.IndexedBase("h", real=True), sp.IndexedBase("s", positive=True)
z, w = sp.IndexedBase("z", complex=True), sp.IndexedBase("w", complex=True)
A, B, C = (sp.MatrixSymbol(name, N, N) for name in "ABC")
digits = Rational(314159265358979323846264338327950288, 10**35)
I = sp.Identity(N)
root = sp.exp(2 * sp.pi * sp.I * m / N)
waves = Sum(sp.cos((2 * i + 1) * a), (i, 0, N - 1))

ONLY = {  # what no other tactic shows
    "by the solver": line(sp.floor(m / N), m / N, sign="≤"),
    "by the equations given": line(u**2 * v, u, Eq(u * v, 1)),
    "by cancelling": line(sp.Derivative(sp.atan(x / p), x), p / (x**2 + p**2)),
    "by the laws of powers": line((q ** (D / (D - 2))) ** ((D - 2) / D), q, D > 2),
    "in real and imaginary parts": line(sp.re(sp.exp(sp.I * a) * sp.conjugate(sp.exp(sp.I * b))), sp.cos(a - b)),
    "by simplifying": line(sp.Limit(sp.sin(x) / x, x, 0), 1),
    "term by term": line(Sum(Abs(z[j] + w[j]), (j, 0, N)), Sum(Abs(z[j]) + Abs(w[j]) + j, (j, 0, N)), sign="≤"),
    "by induction on {}": line(2 * sp.sin(a) * waves, sp.sin(2 * N * a)),
    "by the ends of sums and products": line(
        sp.Product(s[i], (i, n + 1, m)),
        sp.Product(s[i], (i, 0, m)) / sp.Product(s[i], (i, 0, n)),
        m > n,
        n >= 0,
    ),
    "by equal squares": line(Abs(1 - sp.exp(sp.I * a)), 2 * Abs(sp.sin(a / 2))),
    "by sympy's closed forms": line(Sum(sp.binomial(K, i), (i, 0, K)), 2**K),
    "by its digits": line(sp.pi, digits, sign=">"),
    "by the triangle inequality": line(Abs(u - v), Abs(u) + Abs(v), sign="≤"),
    "by squares": line(sp.re(u) * sp.re(v) + sp.im(u) * sp.im(v), Abs(u) * Abs(v), sign="≤"),
    "by an equality": line(sp.cos(a + b), sp.cos(a) * sp.cos(b) - sp.sin(a) * sp.sin(b), sign="≤"),
}
ONLY |= {
    "by determinants of what is equal": line(sp.Determinant(A) ** 2, 1, Eq(A.T * A, I)),
    "as products of single sums": line(Sum(h[i] * h[j], (i, 0, N), (j, 0, N)), 0, sign="≥"),
    "by a number spread over the terms": line(Sum(p**i, (i, 0, K)), K + 1, p <= 1, sign="≤"),
    "as a fraction of powers of e": line(sp.tanh(x), 2 / (1 + sp.exp(-2 * x)) - 1),
    "by the ends of sums that hold their factors": line((1 - root) * Sum(root**i, (i, 0, N - 1)), 0),
}
ALSO = {  # what another one shows as well
    "by the signs of its letters": line(x**2 + K, 0, sign="≥"),
    "by multiplying out": line((x + y) ** 2, x**2 + 2 * x * y + y**2),
    "by addition theorems": line(sp.sin(a + b), sp.sin(a) * sp.cos(b) + sp.cos(a) * sp.sin(b)),
    "in powers of e": line(sp.cosh(a) + sp.sinh(a), sp.exp(a)),
}
WORDS = {  # of matrices of open size
    "word by word": line(A * B, B * A, Eq(A * B, B * A)),
    "word by word, with what follows from the equations given": line(
        C * (I + A.T).inverse() * (I - A.T) * (I - A) * (I + A).inverse(), C,
        Eq(A.T, -A), sp.Ne(sp.Determinant(I + A), 0)
    ),
    "word by word, by induction on {}": line(C * A**K, C, Eq(C * A, C)),
}  # fmt: skip
TUPLES = [(forms, "FORMS"), (equal, "TACTICS"), (order, "TACTICS"), (equal, "WORDS")]


def names():
    return {tactic.name for module, these in TUPLES for tactic in getattr(module, these)}


def forbid(name, monkeypatch):
    for module, these in TUPLES:
        monkeypatch.setattr(module, these, tuple(t for t in getattr(module, these) if t.name != name))


def how(write):
    (step,) = write().steps
    return step.shown_by


def test_each_tactic_is_tried_here():
    assert names() == ONLY.keys() | ALSO.keys() | WORDS.keys()


@pytest.mark.parametrize("name", [*ONLY, *ALSO, *WORDS])
def test_a_step_says_by_which_tactic_it_was_shown(name):
    assert how((ONLY | ALSO | WORDS)[name]) == name.format("K" if name in WORDS else "N")


@pytest.mark.parametrize("name", [name for name in WORDS if name != "word by word"])
def test_without_its_tactic_it_is_not_shown_word_by_word(name, monkeypatch):
    forbid(name, monkeypatch)
    with pytest.raises(Undecided, match="neither shown nor contradicted"):
        WORDS[name]()


@pytest.mark.parametrize("name", ONLY)
def test_without_its_tactic_it_is_undecided(name, monkeypatch):
    forbid(name, monkeypatch)
    with pytest.raises(Undecided, match="neither shown nor contradicted"):
        ONLY[name]()


@pytest.mark.parametrize("name", ALSO)
def test_without_its_tactic_another_one_shows_it(name, monkeypatch):
    forbid(name, monkeypatch)
    assert how(ALSO[name]) in names()


def test_a_matrix_is_shown_by_the_tactics_of_its_entries():
    sine = sp.sin(a) * sp.cos(b) + sp.cos(a) * sp.sin(b)
    both = line(sp.Matrix([(x + y) ** 2, sp.sin(a + b)]), sp.Matrix([x**2 + 2 * x * y + y**2, sine]))
    assert how(both) == "by multiplying out, by addition theorems"
    assert how(line(A * B, B * A, Eq(A * B, B * A))) == "word by word"


def test_what_is_used_by_name_is_said():
    square, sizes = Sum(h[i] * s[i], (i, 0, N)) ** 2, Sum(h[i] ** 2, (i, 0, N)) * Sum(s[i] ** 2, (i, 0, N))
    shown = Derivation(square).step(sizes, because="so", sign="≤", by=CAUCHY_SCHWARZ.at(h, s, 0, N))
    assert shown.steps[0].shown_by == "by an inequality that is known"


def test_an_even_letter_keeps_its_name_in_an_induction():
    angles = Sum(sp.cos((2 * i + 1) * a), (i, 0, even / 2 - 1))
    assert how(line(2 * sp.sin(a) * angles, sp.sin(even * a))) == "by induction on d"


def test_each_step_of_a_chain_says_it():
    chain = Derivation((x + 1) ** 2).step(x**2 + 2 * x + 1, because="multiply out").step(0, because="square", sign="≥")
    assert [step.shown_by for step in chain.steps] == ["by multiplying out", "by the solver"]
    assert "solver" not in f"{chain!r} {chain._repr_latex_()} {chain._repr_mimebundle_()}"
