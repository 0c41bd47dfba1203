"""Whose fault it is: an author's slip gets a sentence on what to mend, and one of the engine's own decides nothing."""

import re

import pytest
import sympy as sp

from bookkit.derivation import AuthorError, Derivation, Undecided, chain, checking, forall, refutation, refute, uses
from bookkit.derivation.algebra import equal
from bookkit.derivation.lemmas import LOGARITHM
from bookkit.derivation.points import counterexample
from tests.bookkit.derivation.letters import f, n, x, y

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
    "no hypotheses": (lambda: Derivation(x, given=x > 0), "given must be a list of relations of sympy"),
    "no sign": (lambda: start.step(y, because="?", sign="=="), "sign must be one of = ≤ < ≥ >; got '=='"),
}  # fmt: skip


@pytest.mark.parametrize(("write", "said"), WRITTEN.values(), ids=WRITTEN)
def test_an_author_is_told_what_to_mend(write, said):
    with pytest.raises(AuthorError, match=re.escape(said)):
        write()
