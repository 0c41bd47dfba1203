"""What a value must be to stand in the place of a letter: everything that is assumed of the letter."""

from __future__ import annotations

import sympy as sp
from sympy.core.relational import Relational

from bookkit.derivation.language.admitted import kind_of
from bookkit.derivation.language.sign import SIGNS, is_known, sign_of

_KINDS = {"even": "even", "integer": "an integer", "real": "real"}  # the first that is assumed implies the others
_ORDERS = {"positive": sp.Gt, "negative": sp.Lt, "nonnegative": sp.Ge, "nonpositive": sp.Le, "nonzero": sp.Ne}


def promises(letter: sp.Basic, value: sp.Expr) -> tuple[list[Relational], list[str]]:
    """What is assumed of the letter and not known of the value: as relations, and in words where there is none.

    >>> value = sp.Symbol("x", real=True)
    >>> promises(sp.Symbol("p", positive=True), value), promises(sp.Symbol("n", integer=True), value)
    (([x > 0], []), ([], ['x is not shown to be an integer']))
    """
    if kind_of(letter) is None:
        return [], [f"what is assumed of {letter} is outside the language"]
    assumed = {**letter.default_assumptions, **letter.assumptions0}
    order = next((fact for fact in _ORDERS if assumed.get(fact)), None)
    kind = next((fact for fact in _KINDS if assumed.get(fact)), None)
    is_shown = order is None or sign_of(value) <= SIGNS[order]
    orders = [] if is_shown else [_said(_ORDERS[order], value)]
    if kind is None or is_known(value, kind, True) or (kind == "real" and orders):
        return orders, []
    return orders, [f"{value} is not shown to be {_KINDS[kind]}"]


def _said(relation: type[Relational], value: sp.Expr) -> Relational:
    """Decided at once for a number only: of anything larger sympy may not decide it."""
    return relation(value, 0) if value.is_Rational else relation(value, 0, evaluate=False)
