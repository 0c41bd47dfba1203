"""The engine: what it shows, what it contradicts, what it leaves undecided, and how it reads."""

import pytest
import sympy as sp

from bookkit.derivation import AuthorError, Derivation, Refuted, Undecided, define, refute
from bookkit.derivation.algebra.matrix_words import same
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.language.notation import unfold
from bookkit.derivation.page.letters import domain
from bookkit.derivation.page.printer import latex

a, b, x, y = sp.symbols("a b x y", real=True)
u = sp.Symbol("u", complex=True)
w = sp.Symbol("omega", positive=True)
m, n, j, k = sp.symbols("m n j k", integer=True)
i = sp.Symbol("i", integer=True, nonnegative=True)
N, D = sp.symbols("N D", integer=True, positive=True)
K = sp.Symbol("K", integer=True, nonnegative=True)
d = sp.Symbol("d", even=True, positive=True)
h, s = sp.IndexedBase("h", real=True), sp.IndexedBase("S", real=True)
P, X, W = sp.MatrixSymbol("P", N, N), sp.MatrixSymbol("X", N, D), sp.MatrixSymbol("W", D, D)
R = define("R", lambda t: sp.Matrix([[sp.cos(w * t), -sp.sin(w * t)], [sp.sin(w * t), sp.cos(w * t)]]))
f, g = sp.Function("f", real=True), sp.Function("g", real=True)
ones = sp.OneMatrix(N, 1)


def up_to(last, term):
    return sp.Sum(term, (i, 0, last))


def turns(size):
    """A sum of which sympy has no closed form."""
    return 2 * sp.sin(a) * sp.Sum(sp.cos((2 * sp.Abs(k) + 1) * a), (k, 0, size - 1))


TRUE = {
    "algebra": ((a + b) ** 2, a**2 + 2 * a * b + b**2, ()),
    "addition theorem": (sp.sin(a + b), sp.sin(a) * sp.cos(b) + sp.cos(a) * sp.sin(b), ()),
    "pythagoras": (sp.sin(a) ** 2 + sp.cos(a) ** 2, 1, ()),
    "powers of e": (sp.exp(sp.I * a) * sp.exp(-sp.I * b), sp.exp(sp.I * (a - b)), ()),
    "complex parts": (sp.re(sp.exp(sp.I * a) * sp.conjugate(sp.exp(sp.I * b))), sp.cos(a - b), ()),
    "powers that expand() would take apart": (
        sp.exp(-a * (b + x * (N + 1) / N) / (N + 1)),
        sp.exp(-a * x / N) * sp.exp(-a * b / (N + 1)),
        (),
    ),
    "Euler's formula": (sp.exp(sp.I * u), sp.cos(u) + sp.I * sp.sin(u), ()),
    "one over a complex number": (1 / (a + sp.I * b), (a - sp.I * b) / (a**2 + b**2), (b > 0,)),
    "modulus": (sp.Abs(u) ** 2, sp.re(u) ** 2 + sp.im(u) ** 2, ()),
    "conjugate": (u * sp.conjugate(u), sp.Abs(u) ** 2, ()),
    "parity needs an integer": (sp.cos(sp.pi * m, evaluate=False), (-1) ** m, ()),
    "sign needs positivity": (sp.sqrt(w**2, evaluate=False), w, ()),
    "explicit matrices": (R(m) * R(n).T, R(m - n), ()),
    "one by one is a scalar": ((R(m) * sp.Matrix([a, b])).T * (R(m) * sp.Matrix([a, b])), a**2 + b**2, ()),
    "matrices of any size": (sp.Transpose(P * X), X.T * P.T, ()),
    "orthogonality": (X.T * P.T * P * X, X.T * X, (sp.Eq(P.T * P, sp.Identity(N)),)),
    "transposed hypothesis": (X.T * P.T * ones, X.T * ones, (sp.Eq(ones.T * P, ones.T),)),
    "generic term of a sum": (up_to(d / 2 - 1, sp.sin(a * i) ** 2 + sp.cos(a * i) ** 2), up_to(d / 2 - 1, 1), ()),
    "counting": (up_to(d / 2 - 1, 1), d / 2, ()),
    "induction": (
        up_to(N - 1, h[i] * (s[i + 1] - s[i])),
        h[N] * s[N] - h[0] * s[0] - up_to(N - 1, s[i + 1] * (h[i + 1] - h[i])),
        (),
    ),
    "induction over even numbers": (
        up_to(d / 2 - 1, s[i + 1] - s[i]),
        s[d / 2] - s[0],
        (),
    ),
    "induction, a sign for each": (up_to(d - 1, (-1) ** i * (h[i + 1] + h[i])), h[0] - h[d], ()),
    "induction, not below 0": (turns(K), sp.sin(2 * K * a), ()),
    "induction, without a value below the start": (turns(N), sp.sin(2 * N * a) + (N**2 + N) / N - N - 1, ()),
    "induction, above 0": (sp.Sum(sp.sign(k), (k, 0, N - 1)), N - 1, ()),
    "a sum's letter is any letter": (sp.Sum(h[k], (k, m, n)), sp.Sum(h[j], (j, m, n)), (n >= m,)),
    "ranges that join": (sp.Sum(h[k], (k, -N, N)) - sp.Sum(h[k], (k, 0, N)), sp.Sum(h[k], (k, -N, -1)), ()),
    "a sum in a denominator": (
        a / up_to(N, h[i] ** 2) - 1,
        (a - up_to(N, h[i] ** 2)) / up_to(N, h[i] ** 2),
        (sp.Ne(up_to(N, h[i] ** 2), 0),),
    ),
    "derivative": (sp.Derivative(sp.sin(w * x), x), w * sp.cos(w * x), ()),
    "derivative of a turn": (sp.Derivative(sp.exp(sp.I * w * x), x), sp.I * w * sp.exp(sp.I * w * x), ()),
    "open function": (sp.Derivative(f(x) ** 2, x), 2 * f(x) * sp.Derivative(f(x), x), ()),
    "hypothesis, left to right": (f(m) + g(m), 3 * g(m), (sp.Eq(f(m), 2 * g(m)),)),
    "hypotheses, as an ideal": ((a + b) ** 2, 9, (sp.Eq(a + b, 3),)),
}
FALSE = {
    "sign": (sp.sin(a + b), sp.sin(a) * sp.cos(b) - sp.cos(a) * sp.sin(b), ()),
    "lost factor": ((a + b) ** 2, a**2 + a * b + b**2, ()),
    "only for positive a": (sp.sqrt(a**2), a, ()),
    "transpose lost": (R(m) * R(n).T, R(m + n), ()),
    "order of factors": ((P * X).T, X.T * P, ()),
    "not orthogonal": (X.T * P.T * P * X, X.T * X, ()),
    "summand": (up_to(d / 2 - 1, sp.cos(a * i)), up_to(d / 2 - 1, sp.cos(2 * a * i)), ()),
    "range": (up_to(N - 1, i), up_to(N, i), ()),
    "by parts, index": (
        up_to(N - 1, h[i] * (s[i + 1] - s[i])),
        h[N] * s[N] - h[0] * s[0] - up_to(N - 1, s[i] * (h[i + 1] - h[i])),
        (),
    ),
    "derivative": (sp.Derivative(sp.sin(w * x), x), sp.cos(w * x), ()),
    "open function": (sp.Derivative(f(x) ** 2, x), f(x) * sp.Derivative(f(x), x), ()),
    "hypothesis ignored": (f(m) + g(m), 2 * g(m), (sp.Eq(f(m), 2 * g(m)),)),
}


@pytest.mark.parametrize("name", TRUE)
def test_true_steps_pass(name):
    lhs, rhs, given = TRUE[name]
    assert Derivation(lhs, given=given).step(rhs, because=name).steps[-1].because == name


@pytest.mark.parametrize("name", FALSE)
def test_false_steps_are_refuted(name):
    lhs, rhs, given = FALSE[name]
    with pytest.raises(Refuted, match=f"step 1 .{name}.*fails at"):
        Derivation(lhs, given=given).step(rhs, because=name)


BOUNDS = {
    "square": (2 * a * b, "≤", a**2 + b**2, ()),
    "cosine": (sp.cos(a), "≤", 1, ()),
    "two waves": (sp.cos(a) * 2 - sp.sin(b), "≥", -3, ()),
    "strict": (4 * sp.sin(sp.Symbol("k", integer=True, nonzero=True) / 2) ** 2, ">", 0, ()),
    "under a bound": (1 / d, "<", sp.Rational(1, 2), (sp.Gt(d, 2),)),
    "triangle": (sp.Abs(up_to(N, h[i] * s[i])), "≤", up_to(N, sp.Abs(h[i] * s[i])), ()),
    "largest factor": (up_to(N, sp.Abs(h[i]) * sp.Abs(s[i])), "≤", w * up_to(N, sp.Abs(s[i])), (sp.Abs(h[i]) <= w,)),
}
NOT_BOUNDS = {
    "too small": (a**2 + b**2, "≤", 2 * a * b, ()),
    "not strict": (sp.cos(a * 0), "<", 1, ()),
    "not strict, the other way": (a, ">", a, ()),
    "outside the bound": (1 / d, "<", sp.Rational(1, 2), ()),
    "triangle, wrong way": (up_to(N, sp.Abs(h[i])), "≤", sp.Abs(up_to(N, h[i])), ()),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_bounds_pass(name):
    lhs, sign, rhs, given = BOUNDS[name]
    assert Derivation(lhs, given=given).step(rhs, because=name, sign=sign).sign == sign


@pytest.mark.parametrize("name", NOT_BOUNDS)
def test_wrong_bounds_are_refuted(name):
    lhs, sign, rhs, given = NOT_BOUNDS[name]
    with pytest.raises(Refuted, match="fails at"):
        Derivation(lhs, given=given).step(rhs, because=name, sign=sign)


def test_what_is_neither_shown_nor_contradicted_is_an_error():
    """True, but beyond the tactics: a convex function lies above its tangents."""
    with pytest.raises(Undecided, match="neither shown nor contradicted"):
        Derivation(sp.exp(a)).step(1 + a, because="convex", sign="≥")


def test_a_counterexample_lies_inside_the_domain():
    """1/d < 1/2 fails at 1 and 2 only: with d > 2 it holds, and what fails then fails at more than 2."""
    inside = sp.Symbol("d", integer=True, positive=True)
    with pytest.raises(Refuted, match=r"d = [12]:"):
        Derivation(1 / inside).step(sp.Rational(1, 2), because="?", sign="<")
    Derivation(1 / inside, given=[inside > 2]).step(sp.Rational(1, 2), because="d > 2", sign="<")
    with pytest.raises(Refuted) as error:
        Derivation(inside**2, given=[inside > 2]).step(inside + 6, because="true at 3 only")
    assert int(str(error.value).split("d = ")[1].split(":")[0]) > 3


@pytest.mark.parametrize("given", [a > 0, "a > 0", ["a > 0"], [True], None])
def test_hypotheses_that_are_no_list_of_relations_are_refused(given):
    with pytest.raises(AuthorError, match=r"given must be a list of relations of sympy, as given=\[x > 0\]; got "):
        Derivation(a, given=given)


def test_integers_are_integers_in_a_counterexample():
    with pytest.raises(Refuted, match=r"m = -?\d+:"):
        Derivation(sp.cos(sp.pi * m)).step(1, because="?")


def test_the_left_hand_side_is_shown_as_written():
    shown = Derivation(R(m) * R(n).T).step(R(m - n), because="angle addition")
    assert r"R_{m} R_{n}^{\top}" in shown._repr_latex_()
    assert "R(m)*R(n).T" in repr(shown)


def test_it_renders_as_one_aligned_formula():
    tex = Derivation(sp.sin(2 * a)).step(2 * sp.sin(a) * sp.cos(a), because="double angle")._repr_latex_()
    assert tex.startswith(r"$$\begin{aligned}")
    assert tex.endswith(r"\blacksquare \end{aligned}$$")
    assert r"\text{double angle}" in tex
    assert r"a \in \mathbb{R}" in tex


def test_assumptions_and_hypotheses_are_part_of_the_statement():
    shown = Derivation(1 / d, given=[sp.Gt(d, 2)], claim="a.b").step(sp.Rational(1, 2), because="d > 2", sign="<")
    assert shown.claim == "a.b"
    assert shown.statement == r"\frac{1}{d} < \frac{1}{2}"
    assert shown.hypotheses == [r"d \in 2\mathbb{N}_{>0}", "d > 2"]
    assert "For d: even, positive; d > 2" in repr(shown)


@pytest.mark.parametrize(
    ("symbol", "text"),
    [
        (sp.Symbol("z", integer=True, positive=True), "z: positive integer"),
        (sp.Symbol("z", integer=True, nonnegative=True), "z: integer, not negative"),
        (sp.Symbol("z", integer=True, nonzero=True), "z: integer, not zero"),
        (sp.Symbol("z", integer=True), "z: integer"),
        (sp.Symbol("z", positive=True), "z: positive"),
        (sp.Symbol("z", nonnegative=True), "z: not negative"),
        (sp.Symbol("z", real=True, nonzero=True), "z: real, not zero"),
        (sp.Symbol("z", real=True), "z: real"),
        (sp.Symbol("z"), "z: complex"),
        (sp.MatrixSymbol("Z", 2, 3), "Z: 2 x 3 matrix"),
    ],
)
def test_the_domain_is_shown(symbol, text):
    assert [plain for _, plain in domain([symbol])] == [text]


def test_a_chain_has_one_direction():
    chain = Derivation(a**2 + b**2).step(a**2 + b**2 + 1, because="larger", sign="<")
    assert chain.sign == "<"
    assert chain.step(a**2 + b**2 + 2, because="larger", sign="≤").sign == "<"
    down = Derivation(a**2 + 1).step(1, because="smaller", sign="≥")
    assert down.sign == "≥"
    assert down.step(0, because="smaller", sign=">").sign == ">"
    with pytest.raises(ValueError, match="up and down"):
        _ = chain.step(a**2 + b**2, because="smaller", sign="≥").sign


def test_an_unknown_sign_is_refused():
    with pytest.raises(ValueError, match="sign must be one of"):
        Derivation(a).step(a, because="same", sign="==")


def test_the_number_of_the_step_is_told():
    with pytest.raises(Refuted, match=r"step 2 \(slip\)"):
        Derivation(sp.sin(-a, evaluate=False)).step(-sp.sin(a), because="odd").step(sp.sin(a), because="slip")


def test_refute_shows_numbers():
    shown = refute(sp.cos(a + b), sp.cos(a) + sp.cos(b))
    assert "≠" in repr(shown)
    assert "at a = " in repr(shown)
    assert r"\ne" in shown._repr_latex_()
    assert r"\text{at }" in shown._repr_latex_()


def test_a_true_equation_cannot_be_refuted():
    with pytest.raises(Undecided, match="no counterexample"):
        refute(sp.cos(-a), sp.cos(a))


def test_a_name_follows_substitution():
    assert unfold(R(m).subs(m, 0)) == sp.eye(2)
    assert latex(R(m - n).T) == r"R_{m - n}^{\top}"
    p = define("p", lambda t: sp.sin(t))
    assert (p(m) ** 2).subs(m, 0).doit() == p(0) ** 2
    assert unfold(p(m) ** 2) == sp.sin(m) ** 2


def test_hypotheses_that_chase_one_another_are_an_error():
    A, B = sp.MatrixSymbol("A", 2, 2), sp.MatrixSymbol("B", 2, 2)
    with pytest.raises(RecursionError, match=r"^the hypotheses rewrite one another .* to the short$"):
        same(A * B, B, Hypotheses.of([sp.Eq(A * B, B * A), sp.Eq(B * A, A * B)]))
