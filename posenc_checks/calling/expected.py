"""What a reader says of a rotation before it is read. What nobody expects is a fact, and no fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from torch import Tensor

from posenc_checks.calling.convention import AXES
from posenc_lib.border import Rule, base, freqs, one_of, positive, whole
from posenc_lib.pairs import Layout, geometric_freqs

SENSES = ("counterclockwise", "clockwise")
RULES = {
    "layout": one_of(Layout),
    "sense": one_of(Literal[SENSES]),
    "base": base,
    "freqs": freqs,
    "factor": positive,
    "d_rotated": whole(),
    "first": whole(),
}
CALL_RULES = {"axes": one_of(Literal[AXES]), "d": whole(2)}


@dataclass(frozen=True)
class Expected:
    """What the reader expects; None: whatever it is, the report says what it is."""

    layout: Layout | None = None
    sense: str | None = None
    base: float | None = None
    freqs: Tensor | None = None
    d_rotated: int | None = None
    first: int | None = None
    factor: float | None = None

    def __post_init__(self) -> None:
        require(RULES, vars(self))

    def freqs_of(self, pairs: int) -> Tensor | None:
        """The expected frequencies of so many pairs."""
        if self.freqs is not None:
            return self.freqs.double()
        return None if self.base is None or not pairs else geometric_freqs(2 * pairs, self.base)


def require_call(axes: str | None, d: int | None) -> None:
    """The axes are known ones, and a head has two features at least."""
    require(CALL_RULES, {"axes": axes, "d": d})


def require(rules: dict[str, Rule], given: dict[str, Any]) -> None:
    """What is said keeps its rule; None says nothing."""
    for name, x in given.items():
        if x is not None:
            rules[name](name, x)
