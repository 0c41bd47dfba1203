"""A reader's rotary function behind one signature: features [b, h, n, d] and positions in, rotated features out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from posenc_checks.calling.convention import Convention, give, row_of, rows_of, take
from posenc_checks.calling.names import FEATURES, TABLES, CallError, may_be_left_out
from posenc_checks.calling.results import numbers


@dataclass(frozen=True)
class Rotation:
    """The reader's function behind one signature. `table` is the reader's maker of cosines, if there is one.

    `only` is the role of the one tensor that is not all zeros. `k_positions` are those of the keys, where these have
    their own. `groups` queries share a key. `few` is how many queries there are, at the end, if not as many as keys.
    """

    function: Callable[..., Any]
    convention: Convention
    d: int
    table: Callable[[Tensor, Tensor], Any] | None = None
    groups: int = 1
    only: str | None = None
    k_positions: Tensor | None = None
    few: int | None = None

    @property
    def features(self) -> list[str]:
        """The roles of the tensors that go in."""
        return [role for role in self.convention.roles if role in FEATURES]

    @property
    def takes_positions(self) -> bool:
        """Whether positions are the caller's choice; else rows are counted."""
        return self.takes("positions", "q_positions", *TABLES)

    @property
    def own_angles(self) -> bool:
        """Whether the angles are the reader's, and not made here."""
        return self.table is not None or not self.takes(*TABLES)

    @property
    def by_offset(self) -> Rotation:
        """Without positions that may be left out: where both are given, an offset need not count."""
        c, optional = self.convention, may_be_left_out(self.function)
        kept = [(r, name) for r, name in c.named if r not in ("positions", "q_positions") or name not in optional]
        roles, keywords = zip(*kept, strict=True)
        return replace(self, convention=replace(c, roles=roles, keywords=keywords))

    def takes(self, *roles: str) -> bool:
        """Whether one of these is an argument of the function."""
        return bool({*roles} & {*self.convention.roles})

    def __call__(self, x: Tensor, positions: Tensor, offset: int = 0) -> list[Tensor]:
        """Rotates x [b, h, n, d] as each of the tensors that the function takes: the results, [b, h, n, d] each."""
        axes = self.convention.axes
        if "b" not in axes and len(x) > 1:
            rows = [self(row[None], row_of(positions, i), offset) for i, row in enumerate(x)]
            return [torch.cat(each) for each in zip(*rows, strict=True)]
        if "h" not in axes and x.shape[1] > 1:
            heads = [self(x[:, i : i + 1], positions, offset) for i in range(x.shape[1])]
            return [torch.cat(each, 1) for each in zip(*heads, strict=True)]
        out = self._call(self._arguments(x, positions, offset))
        outs = list(out) if isinstance(out, (tuple, list)) else [out]
        if not outs:
            raise CallError(f"no features came back: the {type(out).__name__} is empty")
        return [self._take(_tensor(each), self._of(role, x)) for role, each in zip(self.features, outs, strict=False)]

    def _of(self, role: str, x: Tensor) -> Tensor:
        """The tokens of one tensor."""
        return x[:, :, -self.few :] if role == "q" and self.few else x

    def _take(self, out: Tensor, x: Tensor) -> Tensor:
        """One head of each group: the one that is least like the first, so that no wrong one hides behind it."""
        axes = self.convention.axes
        if self.groups == 1 or out.ndim != len(axes) or out.shape[axes.index("h")] == x.shape[1]:
            return take(out, axes, x)
        grouped = take(out, axes, self._grouped(x)).unflatten(1, (-1, self.groups))
        least = (grouped - grouped[:, :, :1]).abs().amax((0, 1, 3, 4)).argmax()
        return grouped[:, :, int(least)]

    def _grouped(self, x: Tensor) -> Tensor:
        return x.repeat_interleave(self.groups, 1)

    def _features(self, role: str, x: Tensor) -> Tensor:
        x = self._of(role, x if self.only in (None, role) else torch.zeros_like(x))
        return give(self._grouped(x) if role == "q" else x, self.convention.axes)

    def _call(self, given: dict[str, Any]) -> Any:
        c = self.convention
        if c.array:
            given = {role: each.numpy() if isinstance(each, Tensor) else each for role, each in given.items()}
        args = [given[role] for role, name in c.named if name is None]
        return self.function(*args, **{name: given[role] for role, name in c.named if name})

    def _arguments(self, x: Tensor, positions: Tensor, offset: int) -> dict[str, Any]:
        given: dict[str, Any] = {role: self._features(role, x) for role in self.features}
        count = self.convention.counts
        given |= {"offset": count(offset), "length": count(x.shape[2]), "d": self.d}
        given |= dict.fromkeys(("positions", "q_positions"), self._places(positions, x))
        given["k_positions"] = self._places(positions if self.k_positions is None else self.k_positions, x)
        return given | (self._tables(x, positions) if self.takes(*TABLES) else {})

    def _places(self, positions: Tensor, x: Tensor) -> Tensor:
        shape = self.convention.positions
        places = (positions if shape == "n" else rows_of(positions, x)).clone()
        return places[:, None] if shape == "b1n" else places

    def _tables(self, x: Tensor, positions: Tensor) -> dict[str, Any]:
        if self.table is None:
            indexed = self.takes("positions")  # a whole table, of which the function takes rows
            return self.convention.tables(x, torch.arange(int(positions.max()) + 1) if indexed else positions, self.d)
        made = self.table(x, positions if self.convention.positions == "n" else rows_of(positions, x))
        made = list(made) if isinstance(made, (tuple, list)) else [made]
        names = [role for role in self.convention.roles if role in TABLES]
        if names[:2] == ["sin", "cos"] and len(made) == 2:
            names = ["cos", "sin"]  # a maker of tables gives the cosine first, whatever the function takes first
        return dict(zip(names, made, strict=False))


def with_positions(rotation: Rotation, positions: str) -> Rotation:
    return replace(rotation, convention=replace(rotation.convention, positions=positions))


def _tensor(out: Any) -> Tensor:
    if not isinstance(out, (Tensor, np.ndarray)):
        raise CallError(f"features came back as {type(out).__name__}, not as a tensor or an array")
    out = numbers(out)
    if not out.is_floating_point():
        raise CallError(f"features came back in {out.dtype}, not as floats")
    return out
