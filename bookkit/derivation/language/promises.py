"""What a value must be to stand in the place of a letter: everything that is assumed of the letter."""

from __future__ import annotations

import sympy as sp
from sympy.core.relational import Relational

from bookkit.derivation.language.sign import SIGNS, ZERO, sign_of

_KINDS = ("prime", "composite", "even", "odd", "integer", "irrational", "rational", "transcendental", "algebraic",
          "noninteger", "imaginary", "real")  # fmt: skip
_ORDERS = {"zero": sp.Eq, "positive": sp.Gt, "negative": sp.Lt, "nonnegative": sp.Ge, "nonpositive": sp.Le,
           "nonzero": sp.Ne}  # fmt: skip
_OF_ALL = {"commutative", "complex", "finite", "infinite", "hermitian", "antihermitian"}  # numbers that have a value
_WORDS = {"integer": "an integer"}


def promises(letter: sp.Basic, value: sp.Expr) -> tuple[list[Relational], list[str]]:
    """What is assumed of the letter and not known of the value: as relations, and in words where there is none.

    >>> value = sp.Symbol("x", real=True)
    >>> promises(sp.Symbol("p", positive=True), value), promises(sp.Symbol("n", even=True), value)
    (([x > 0], []), ([], ['x is not shown to be even']))
    """
    facts = {**letter.default_assumptions, **letter.assumptions0}
    assumed = {fact: is_so for fact, is_so in facts.items() if is_so is not None}
    orders, kinds, granted = [], [], {}
    for fact in (*_ORDERS, *_KINDS):
        if assumed.get(fact) and not _follow(granted).get(fact):
            granted[fact] = True
            if fact in _ORDERS:
                orders += [] if sign_of(value) <= SIGNS[fact] else [_said(_ORDERS[fact], value)]
            elif not _is(value, fact):
                kinds.append(f"{value} is not shown to be {_WORDS.get(fact, fact)}")
    implied = _follow(granted)
    for fact, is_so in assumed.items():
        if fact == "zero" and not is_so and implied.get("zero") is None:
            orders += [] if not sign_of(value) & ZERO else [_said(sp.Ne, value)]
        elif implied.get(fact) is None and not fact.startswith("extended_") and fact not in _OF_ALL:
            kinds += [] if _is(value, fact, is_so) else [f"{value} is not shown to be {'not ' * (not is_so)}{fact}"]
    return orders, kinds


def _follow(facts: dict[str, bool]) -> dict[str, bool]:
    return sp.Dummy(**facts).assumptions0


def _said(relation: type[Relational], value: sp.Expr) -> Relational:
    """Decided at once for a number only: of anything larger sympy may not decide it."""
    return relation(value, 0) if value.is_Rational else relation(value, 0, evaluate=False)


def _is(value: sp.Expr, fact: str, is_so: bool = True) -> bool:
    return getattr(value, f"is_{fact}") is is_so
