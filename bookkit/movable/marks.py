"""What a movable picture is drawn with: lines, dots, arrows, boxes and words, each placed by formulas.

A formula may hold the sliders' symbols, the names of the picture, its tables, and the symbols that the mark itself runs
over. A coordinate that is NaN leaves its piece out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import sympy as sp

LOOKS = ("a", "b", "c", "quiet", "stays", "plain", "faint")
"""Told apart by dash and lightness as well as by colour. A line that stays is filled; plain and faint ones are thin.

Plain words are small, and left out where the drawing is narrow.
"""


@dataclass(frozen=True)
class Each:
    """A symbol that a mark runs over: from first to last in equal steps, in whole ones unless a count is given."""

    symbol: sp.Symbol
    first: float
    last: float
    count: int | None = None

    @property
    def values(self) -> list[float]:
        count = self.count or int(self.last - self.first) + 1
        steps = max(count - 1, 1)
        spread = [self.first + (self.last - self.first) * k / steps for k in range(count)]
        return [int(value) for value in spread] if self.count is None else spread

    def record(self) -> list:
        return [self.symbol.name, self.first, self.last, len(self.values)]


@dataclass(frozen=True)
class Mark:
    """One kind of shape, drawn once for all values of what it runs over; a line runs along the last of them."""

    kind: str
    formulas: Mapping[str, sp.Expr]
    over: Sequence[Each] = ()
    look: str = "a"
    words: Sequence[str] = ()
    anchor: str = "middle"
    drag: Sequence[sp.Symbol] = ()

    def __post_init__(self) -> None:
        if self.look not in LOOKS:
            raise ValueError(f"a look is one of {', '.join(LOOKS)}; got {self.look!r}")

    def points(self) -> list[dict[sp.Symbol, float]]:
        """All values of what the mark runs over, the last one fastest."""
        return [
            dict(zip([each.symbol for each in self.over], values, strict=True))
            for values in product(*(each.values for each in self.over))
        ]


def _mark(kind: str, over: Each | Sequence[Each], look: str, formulas: Mapping[str, object], **more: object) -> Mark:
    over = (over,) if isinstance(over, Each) else tuple(over)
    return Mark(kind, {name: sp.sympify(formula) for name, formula in formulas.items()}, over, look, **more)


def line(x: object, y: object, over: Each | Sequence[Each], look: str = "a") -> Mark:
    return _mark("line", over, look, {"x": x, "y": y})


def dots(x: object, y: object, over: Each | Sequence[Each] = (), look: str = "a") -> Mark:
    return _mark("dots", over, look, {"x": x, "y": y})


def arrow(
    x: object, y: object, start: tuple[object, object] = (0, 0), over: Each | Sequence[Each] = (), look: str = "a"
) -> Mark:
    """From the start to its tip at x, y."""
    return _mark("arrow", over, look, {"x": x, "y": y, "from_x": start[0], "from_y": start[1]})


def box(
    x: object,
    y: object,
    size: tuple[object, object] = (1, 1),
    shade: object = 1,
    over: Each | Sequence[Each] = (),
    look: str = "a",
) -> Mark:
    """A rectangle around x, y; a shade of 0 is the paper's colour, and 1 the full one."""
    return _mark("box", over, look, {"x": x, "y": y, "width": size[0], "height": size[1], "shade": shade})


def text(
    x: object,
    y: object,
    words: str | Sequence[str],
    over: Each | Sequence[Each] = (),
    look: str = "quiet",
    anchor: str = "middle",
) -> Mark:
    """Words at x, y: the same ones everywhere, or one for each point that the mark runs over."""
    words = (words,) if isinstance(words, str) else tuple(words)
    return _mark("text", over, look, {"x": x, "y": y}, words=words, anchor=anchor)


def named_arrow(x: float, y: float, name: str, look: str, length: float) -> tuple[Mark, Mark]:
    """A sample of an arrow with its name: at the tips of two that meet, names would lie on each other."""
    return arrow(x, y, (x - length, y), look=look), text(x + length / 5, y, name, look=look, anchor="start")


def only(condition: sp.Basic, value: object) -> sp.Expr:
    """The coordinate where the condition holds; elsewhere the piece is left out."""
    return sp.Piecewise((value, condition), (sp.nan, True))


def draggable(mark: Mark, *symbols: sp.Symbol) -> Mark:
    """The same mark; when a hand drags one of its shapes, these sliders follow."""
    return replace(mark, drag=symbols)
