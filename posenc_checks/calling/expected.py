"""What a reader says of a rotation before it is read. What nobody expects is a fact, and no fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from torch import Tensor

from posenc_checks.calling.convention import AXES
from posenc_lib.border import Rule, base, content, flag, freqs, one_of, positive, sides, whole
from posenc_lib.pairs import Layout, geometric_freqs


def text(name: str, x: Any) -> str:
    """Words with spaces between."""
    if not isinstance(x, str):
        raise TypeError(f"{name} must be text, as in {name}='q k cos sin'; got {type(x).__name__}")
    return x


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
CALL_RULES = {
    "call": text,
    "axes": one_of(Literal[AXES]),
    "d": whole(2, 1_024, beyond="each feature is a row and a column of each matrix"),
    "groups": whole(1, 1_024),
}
SCORE_RULES = {
    "call": text,
    "heads": whole(1, 4_096),
    "slopes": content(1),
    "bidirectional": flag,
    "distance": one_of(Literal["key - query", "query - key"]),
    "window": sides,
    "order": one_of(Literal["swin"]),
    "rows": whole(1),
    "d": whole(2, 65_536),
    "budget": whole(2, 128, beyond="it chooses among four times as many keys"),
}


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
            return self.freqs[self.freqs != 0].double()  # pairs of the frequency 0 stand still
        return None if self.base is None or not pairs else geometric_freqs(2 * pairs, self.base)


def require_call(**given: Any) -> None:
    """The axes are known ones, and a head has two features at least."""
    if unknown := [name for name in given if name not in CALL_RULES and name != "table"]:
        raise ValueError(f"told may hold {', '.join(CALL_RULES)} and table; got {', '.join(map(str, unknown))}")
    require(CALL_RULES, {name: x for name, x in given.items() if name != "table"})


def require_scores(**given: Any) -> None:
    """The same of biases, buckets, windows and tables."""
    require(SCORE_RULES, given)


def require(rules: dict[str, Rule], given: dict[str, Any]) -> None:
    """What is said keeps its rule; None says nothing."""
    for name, x in given.items():
        if x is not None:
            rules[name](name, x)
