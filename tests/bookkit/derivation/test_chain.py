"""The engine: what it shows, what it contradicts, what it leaves undecided, and how it reads."""

import pytest
import sympy as sp

from bookkit.derivation import AuthorError, Derivation, Refuted, Undecided, define, refute
from bookkit.derivation.algebra.matrix_words import same
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.language.notation import unfold
from bookkit.derivation.page.letters import domain
from bookkit.derivation.page.printer import latex
from tests.bookkit.derivation.letters import a, b, d, i, k, m, n

w = sp.Symbol("omega", positive=True)
j = sp.Symbol("j", integer=True)
R = define("R", lambda t: sp.Matrix([[sp.cos(w * t), -sp.sin(w * t)], [sp.sin(w * t), sp.cos(w * t)]]))


def up_to(last, term):
    return sp.Sum(term, (i, 0, last))


def turns(size):
    """A sum of which sympy has no closed form."""
    return 2 * sp.sin(a) * sp.Sum(sp.cos((2 * sp.Abs(k) + 1) * a), (k, 0, size - 1))


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
