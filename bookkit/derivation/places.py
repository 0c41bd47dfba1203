"""Where a part of a formula stands, what it needs to have a value there, and whether it is real where it has one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions.matexpr import MatrixElement

CONTINUOUS, SMOOTH = 1, 2


class Need(NamedTuple):
    """`quantity` must lie so (≠, >, ≥) to 0, or `part` lacks something; with an `order` of None it does anyway."""

    part: sp.Basic
    order: str | None
    quantity: sp.Basic = sp.S.Zero
    under: tuple[sp.Basic, ...] = ()  # what is known of the letters that are bound around the part
    lacks: str = "has no value"


class Place(NamedTuple):
    """Where a part stands: what its letters are asked for, and what is known of the bound ones."""

    asked: Mapping[sp.Basic, int] = {}
    under: tuple[sp.Basic, ...] = ()

    def role(self, *parts: sp.Basic) -> int:
        """0: a value will do. Else what the parts must be in the letters that stand in them."""
        return max((self.asked.get(s, 0) for part in parts for s in part.free_symbols), default=0)

    def within(self, *known: sp.Basic) -> Place:
        return self._replace(under=(*self.under, *(k for k in known if k != sp.true)))

    def asking(self, letter: sp.Basic, role: int) -> Place:
        return self._replace(asked={**self.asked, letter: role})

    def need(self, part: sp.Basic, order: str | None, quantity: sp.Basic = sp.S.Zero, lacks: str = "") -> Need:
        words = {0: "has no value", CONTINUOUS: "is not shown to be continuous", SMOOTH: "has no derivative"}
        return Need(part, order, quantity, self.under, lacks or words[self.role(part)])


def is_real(expr: sp.Basic) -> bool:
    """Whether `expr`, where it has a value, is a real number: it is made of real letters."""
    if expr.is_extended_real or isinstance(
        expr, (sp.Abs, sp.re, sp.im, sp.arg, MatrixElement, sp.Trace, sp.Determinant)
    ):
        return True
    if isinstance(expr, (sp.Symbol, sp.Indexed, AppliedUndef)) or expr.is_extended_real is False:
        return False
    if isinstance(expr, sp.Piecewise):
        return all(is_real(value) for value, _ in expr.args)
    if isinstance(expr, (sp.Sum, sp.Product, sp.Integral)):
        return is_real(expr.function.xreplace({x: sp.Dummy(real=True) for x in expr.variables}))
    if isinstance(expr, sp.Limit):
        return is_real(expr.args[0].xreplace({expr.args[1]: sp.Dummy(real=True)}))
    if isinstance(expr, sp.Subs):
        return is_real(expr.expr.xreplace({x: sp.Dummy(real=True) for x in expr.variables}))
    if isinstance(expr, sp.Derivative):
        return is_real(expr.expr)
    return bool(expr.args) and all(map(is_real, expr.args))
