"""True statements of the kinds that chapters to come need, by subject: a line, its hypotheses, what it is equal to.

A statement that is not shown so far is marked, and counts against the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import sympy as sp

from bookkit.derivation import Derivation


class Truth(NamedTuple):
    """`lhs` stands in the relation `sign` to `rhs`, where the hypotheses hold."""

    name: str
    lhs: sp.Basic
    sign: str
    rhs: sp.Basic | int
    given: tuple[sp.Basic, ...] = ()
    by: tuple = ()
    open: bool = False  # true, and not shown so far

    def show(self) -> Derivation:
        return Derivation(self.lhs, given=self.given).step(self.rhs, because="?", sign=self.sign, by=self.by)


Write = Callable[[], Derivation]
