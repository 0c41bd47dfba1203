"""What the engine must be able to show: true statements of the kinds that the chapters need, each with a false twin."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import sympy as sp

from bookkit.derivation import Derivation


class Statement(NamedTuple):
    """A true statement, the derivation that shows it, and a false one that looks like it."""

    name: str
    shown: Callable[[], Derivation]
    twin: Callable[[], Derivation]
    open: bool = False  # true, and not shown so far: it counts against the engine


def line(lhs: sp.Basic, rhs: sp.Basic | int, *given: sp.Basic, sign: str = "=") -> Callable[[], Derivation]:
    """A derivation of one step, made when it is called."""
    return lambda: Derivation(lhs, given=given).step(rhs, because="?", sign=sign)
