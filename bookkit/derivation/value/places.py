"""Where a part of a formula stands, and what it needs to have a value there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import sympy as sp

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
