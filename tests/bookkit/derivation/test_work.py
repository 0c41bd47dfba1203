"""A step has a limit of work, which is counted and not timed; and one that is not shown says what to try."""

import re

import pytest
import sympy as sp

from bookkit.derivation import Derivation, Undecided
from bookkit.derivation.language import work
from tests.bookkit.derivation.letters import m, x, y

bare = sp.Symbol("q")
g = sp.IndexedBase("g", real=True)

high = sp.sin(x) ** 8 * sp.cos(m * x) ** 3
LONG = {  # each of them ran on for more than 15 seconds
    "a high power": (sp.Integral(high, (x, 0, 2 * sp.pi)), sp.Integral(high, (x, -sp.pi, sp.pi))),
}
TRY = {
    "a lemma": ((sp.exp(x), "≥", 1 + x), "cite a lemma, as by=EXPONENTIAL.at(…)"),
}


@pytest.mark.parametrize(("lhs", "rhs"), LONG.values(), ids=LONG)
def test_what_takes_long_ends_undecided(lhs, rhs):
    with pytest.raises(Undecided) as error:
        Derivation(lhs).step(rhs, because="?")
    assert "the work that a step may take was used up" in str(error.value)
    assert "split it into two steps, one of which takes the integral" in str(error.value)


def test_the_message_says_where_it_stopped(monkeypatch):
    monkeypatch.setattr(work, "LIMIT", 1)
    with pytest.raises(Undecided, match=r"used up \(before a tactic was tried\): split it into two steps"):
        Derivation((x + y) ** 3).step(sp.expand((x + y) ** 3), because="?")


def test_the_count_ends_with_the_step():
    plain = sp.Add.flatten, sp.Mul.flatten
    Derivation((x + y) ** 2).step(x**2 + 2 * x * y + y**2, because="multiply out")
    assert (sp.Add.flatten, sp.Mul.flatten) == plain


@pytest.mark.parametrize(("written", "said"), TRY.values(), ids=TRY)
def test_what_is_not_shown_says_what_to_try(written, said):
    lhs, sign, rhs = written
    with pytest.raises(Undecided, match=re.escape(said)):
        Derivation(lhs).step(rhs, because="?", sign=sign)
