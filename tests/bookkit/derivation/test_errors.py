"""Whose fault it is: an author's slip gets a sentence on what to mend, and one of the engine's own decides nothing."""

import re

import pytest
import sympy as sp

from bookkit.derivation import (
    AuthorError,
    Derivation,
    Undecided,
    chain,
    checking,
    define,
    forall,
    refutation,
    refute,
    uses,
)
from bookkit.derivation.algebra import equal
from bookkit.derivation.algebra.matrix_words import same
from bookkit.derivation.language.binding import rename_bound
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.language.sympy_workarounds import simplify
from bookkit.derivation.lemmas import LOGARITHM
from bookkit.derivation.page.letters import domain
from bookkit.derivation.points import counterexample
from tests.bookkit.derivation.letters import A, B, N, a, f, h, i, k, n, x, y

grows = forall((n,), f(n + 1) >= f(n))


def unpack(*_: object) -> None:
    _first, _second = (1, 2, 3)


SLIPS = {  # errors of plain Python, all of them a ValueError or near one
    "of nothing": lambda *_: max(()),
    "no number": lambda *_: int("x"),
    "unequal lengths": lambda *_: [*zip((1,), (), strict=True)],
    "too many": unpack,
    "no such key": lambda *_: {}["x"],
    "a bare assert": lambda *_: (_ for _ in ()).throw(AssertionError("inside")),
}


def expand():
    return Derivation((x + 1) ** 2).step(x**2 + 2 * x + 1, because="expand")


def use():
    return Derivation(sp.log(1 + x), given=[x >= 0]).step(x, because="lemma", sign="≤", by=LOGARITHM.at(x))


def with_a_model():
    return Derivation(f(n), given=[grows], model={f: sp.Lambda(n, n)})


PLACES = {
    "in the proof": (checking, "zero_by", expand),
    "in a tactic": (equal, "without_parity", expand),
    "where it is read": (checking, "without_value", expand),
    "before the points": (checking, "attempts", expand),
    "in the letters of a chain": (chain, "one_meaning_each", expand),
    "in a rule": (uses, "among", use),
    "in a model": (uses, "in_model", with_a_model),
    "in a refutation": (refutation, "counterexample", lambda: refute(x, 2 * x)),
}


@pytest.mark.parametrize(("module", "name", "write"), PLACES.values(), ids=PLACES)
def test_a_slip_of_the_engine_decides_nothing(module, name, write, monkeypatch):
    write()
    for kind, slip in SLIPS.items():
        monkeypatch.setattr(module, name, slip)
        with pytest.raises(Undecided, match=r"is not shown: the algebra stopped with [A-Z]\w+Error"):
            pytest.fail(f"{kind} is not seen: {write()}")


def test_a_slip_at_a_point_is_no_value_there(monkeypatch):
    monkeypatch.setattr(counterexample, "entries", SLIPS["of nothing"])
    with pytest.raises(Undecided, match="neither shown nor contradicted"):
        Derivation(x).step(y, because="?")


start = Derivation(x)

WRITTEN = {
    "no formula": (lambda: Derivation(object()), "a line must be a formula of sympy; got <object"),
    "no formula, in a step": (lambda: start.step("x +", because="?"), "a line must be a formula of sympy; got 'x +'"),
    "an open bracket": (lambda: start.step("f(x", because="?"), "a line must be a formula of sympy; got 'f(x'"),
    "no such attribute": (lambda: start.step("x.y", because="?"), "a line must be a formula of sympy; got 'x.y'"),
    "a string in a refutation": (lambda: refute("x +", 1), "a line must be a formula of sympy; got 'x +'"),
    "no rule": (lambda: start.step(y, because="?", by=x > 0), "by names a derivation, or a universal statement"),
    "no rules": (lambda: start.step(y, because="?", by=3), "at its values, as by=lemma.at(x); got 3"),
    "a statement, and no values": (lambda: start.step(y, because="?", by=grows), "by=lemma.at(x); got for all n"),
    "no model": (lambda: Derivation(x, model=[f]), "model must be a dict, as model={f: sp.Lambda"),
    "no rule in a model": (
        lambda: Derivation(f(n), given=[grows], model={f: n}), "in a model f stands for a rule, as sp.Lambda(n, 2**n)"
    ),
    "no sign": (lambda: start.step(y, because="?", sign="=="), "sign must be one of = ≤ < ≥ >; got '=='"),
}  # fmt: skip


@pytest.mark.parametrize(("write", "said"), WRITTEN.values(), ids=WRITTEN)
def test_an_author_is_told_what_to_mend(write, said):
    with pytest.raises(AuthorError, match=re.escape(said)):
        write()


j = sp.Symbol("j", integer=True)
swap = [sp.Eq(A * B, B * A), sp.Eq(B * A, A * B)]


def up():
    return Derivation(a).step(a + 1, because="up", sign="≤")


MESSAGES = {
    "no counterexample to 2*a = 2*a was found": (Undecided, lambda: refute(2 * a, a + a)),
    "a chain cannot go up and down: ≤, ≥": (ValueError, lambda: up().step(a - 1, because="down", sign="≥").sign),
    "y sums over k, which also stands in its argument: name one of the two by another letter": (
        ValueError, lambda: define("y", lambda t: sp.Sum(h[k] * t, (k, 0, N)))(k)),
    "what is assumed of z cannot be shown to the reader: assume one of even, positive; odd, positive; "
    "positive integer; integer, not negative; integer, not zero; integer; positive; not negative; real, not zero; "
    "real; complex": (
        ValueError, lambda: domain([sp.Symbol("z", prime=True)])),
    "a matrix hypothesis must have one plain product on its left, without a factor; got Eq(2*A, B)": (
        ValueError, lambda: same(A, B, Hypotheses.of([sp.Eq(2 * A, B)]))),
    "the hypotheses rewrite one another without end: state them from the long side to the short": (
        RecursionError, lambda: same(A * B, B, Hypotheses.of(swap))),
}  # fmt: skip


@pytest.mark.parametrize("text", MESSAGES)
def test_the_message_reads_word_for_word(text):
    error, write = MESSAGES[text]
    with pytest.raises(error, match=f"^{re.escape(text)}$"):
        write()


def test_three_nested_sums_keep_their_order_and_their_limits_when_letters_are_renamed():
    total = sp.Sum(i + 2 * j + 3 * k, (i, 0, j + k), (j, 0, k), (k, 0, n))
    renamed = rename_bound(total, {j, k})
    assert renamed.free_symbols == {n}
    assert renamed.subs(n, 3).doit() == total.subs(n, 3).doit()


def test_an_open_power_of_a_positive_base_is_simplified():
    assert simplify(2**n * (sp.sin(a) ** 2 + sp.cos(a) ** 2)) == 2**n


def test_a_number_that_is_no_open_power_of_a_root_of_unity_is_simplified():
    assert simplify((sp.sin(a) ** 2 + sp.cos(a) ** 2) * x**2) == x**2
