"""The engine: what it shows, what it contradicts, what it leaves undecided, and how it reads."""

import pytest
import sympy as sp
from sympy import Eq, Sum

from bookkit.derivation import AuthorError, Derivation, Refuted, Undecided, checking, define, refute
from bookkit.derivation.language import work
from bookkit.derivation.language.notation import unfold
from bookkit.derivation.page.printer import latex
from bookkit.derivation.points.counterexample import Attempt
from tests.bookkit.derivation.letters import N, a, b, d, f, h, i, j, m, n, p, x, y

w = sp.Symbol("omega", positive=True)
R = define("R", lambda t: sp.Matrix([[sp.cos(w * t), -sp.sin(w * t)], [sp.sin(w * t), sp.cos(w * t)]]))


@pytest.mark.parametrize("given", [a > 0, "a > 0", ["a > 0"], [True], None])
def test_hypotheses_that_are_no_list_of_relations_are_refused(given):
    with pytest.raises(AuthorError, match=r"given must be a list of relations of sympy, as given=\[x > 0\]; got "):
        Derivation(a, given=given)


def test_the_left_hand_side_is_shown_as_written():
    shown = Derivation(R(m) * R(n).T).step(R(m - n), because="angle addition")
    assert r"R_{m} R_{n}^{\top}" in shown._repr_latex_()
    assert "R(m)*R(n).T" in repr(shown)


def test_assumptions_and_hypotheses_are_part_of_the_statement():
    shown = Derivation(1 / d, given=[sp.Gt(d, 2)], claim="a.b").step(sp.Rational(1, 2), because="d > 2", sign="<")
    assert shown.claim == "a.b"
    assert shown.statement == r"\frac{1}{d} < \frac{1}{2}"
    assert shown.hypotheses == [r"d \in 2\mathbb{N}_{>0}", "d > 2"]
    assert "For d: even, positive; d > 2" in repr(shown)


def test_a_chain_has_one_direction():
    chain = Derivation(a**2 + b**2).step(a**2 + b**2 + 1, because="larger", sign="<")
    assert chain.sign == "<"
    assert chain.step(a**2 + b**2 + 2, because="larger", sign="≤").sign == "<"
    down = Derivation(a**2 + 1).step(1, because="smaller", sign="≥")
    assert down.sign == "≥"
    assert down.step(0, because="smaller", sign=">").sign == ">"
    with pytest.raises(ValueError, match="up and down"):
        _ = chain.step(a**2 + b**2, because="smaller", sign="≥").sign


def test_the_number_of_the_step_is_told():
    with pytest.raises(Refuted, match=r"step 2 \(slip\)"):
        Derivation(sp.sin(-a, evaluate=False)).step(-sp.sin(a), because="odd").step(sp.sin(a), because="slip")


def test_a_name_follows_substitution():
    assert unfold(R(m).subs(m, 0)) == sp.eye(2)
    assert latex(R(m - n).T) == r"R_{m - n}^{\top}"
    p = define("p", lambda t: sp.sin(t))
    assert (p(m) ** 2).subs(m, 0).doit() == p(0) ** 2
    assert unfold(p(m) ** 2) == sp.sin(m) ** 2


def test_points_are_tried_before_the_proof(monkeypatch):
    """And after it: far ones where it goes through, all where it does not; and a proof that errs is contradicted."""
    tried = []

    def agreeing(*args):
        for number in range(18):
            tried.append(number)
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


def test_a_hypothesis_that_is_plainly_true_does_not_hide_a_counterexample():
    assert refute(x, x + 1, given=[sp.true]).lhs == x
    assert refute(f(1), sp.Integer(3), given=[i * f(i) <= 12 * i]).lhs == f(1)


def test_what_is_drawn_fits_what_is_assumed():
    w = sp.IndexedBase("w", positive=True)
    drawn = refute(Sum(w[i], (i, 0, 12)), sp.Integer(0)).point
    assert len(drawn) == 13
    assert all(value.is_positive for value in drawn.values())


def test_the_message_says_where_it_stopped(monkeypatch):
    monkeypatch.setattr(work, "LIMIT", 1)
    with pytest.raises(Undecided, match=r"used up \(before a tactic was tried\): split it into two steps"):
        Derivation((x + y) ** 3).step(sp.expand((x + y) ** 3), because="?")


def test_the_count_ends_with_the_step():
    plain = sp.Add.flatten, sp.Mul.flatten
    Derivation((x + y) ** 2).step(x**2 + 2 * x * y + y**2, because="multiply out")
    assert (sp.Add.flatten, sp.Mul.flatten) == plain
