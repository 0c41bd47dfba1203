"""The row of the table that a reader's function gives each pair of cells of a window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from posenc_checks.calling.names import CallError, first_line_of, in_their_places
from posenc_checks.calling.results import numbers_of
from posenc_lib.relative import window_index


@dataclass(frozen=True)
class Window:
    """What came out, [hw, hw], beside Swin's rows; `order` says whether the table is Swin's, `rows` how many it has."""

    size: tuple[int, int]
    right: Tensor
    out: Tensor
    order: str | None
    rows: int

    @cached_property
    def inside(self) -> bool:
        """Whether the table has all of these rows; below 0 it is read from its end."""
        return bool(((self.out >= -self.rows) & (self.out < self.rows)).all())

    @cached_property
    def got(self) -> Tensor:
        return self.out.long() % self.rows if self.inside else self.out.long()

    @cached_property
    def pairs(self) -> set[tuple[int, int]]:
        """Swin's row, and the one that was given, of each query and key."""
        return {(int(a), int(b)) for a, b in zip(self.right.flatten(), self.got.flatten(), strict=True)}

    @property
    def by_offset(self) -> bool:
        """Whether equal offsets share a row."""
        return len(self.pairs) == len({offset for offset, _ in self.pairs})

    @property
    def by_columns(self) -> bool:
        """Whether they would, if cells were numbered by columns."""
        order = torch.arange(len(self.right)).view(self.size).T.flatten()
        cells = order.argsort()
        right, turned = self.right, window_index((self.size[1], self.size[0]))
        others = (right[cells][:, cells], right[order][:, order], turned)
        return any(self.combinations(each) == len(each.unique()) for each in others)

    def combinations(self, rows: Tensor) -> int:
        """Of these rows with those that were given."""
        return len(torch.stack((rows.flatten(), self.got.flatten())).unique(dim=1)[0])


def read_window(
    function: Callable[..., Any], size: tuple[int, int], order: str | None, rows: int | None = None
) -> Window:
    right = window_index(size)
    try:
        out = numbers_of(lambda: function(size) if _alone(function) else function(*size))
        own = int(right.max()) + 1 if rows is None else rows
        return Window(size, right, out.reshape(len(right), len(right)), order, own)
    except CallError:
        raise
    except Exception as error:
        raise CallError(f"called with the window {size} it ends in {first_line_of(error)}") from None


def _alone(function: Callable[..., Any]) -> bool:
    """Whether the window is one argument: one that has no default, or the first of them all by its name."""
    given = in_their_places(function)
    needed = [p for p in given if p.default is p.empty]
    return len(needed) == 1 or (not needed and (len(given) == 1 or any("window" in p.name for p in given[:1])))
