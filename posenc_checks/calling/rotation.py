"""A reader's rotary function behind one signature: features [b, h, n, d] and positions in, rotated features out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from posenc_checks.calling.convention import Convention, give, row_of, rows_of, take
from posenc_checks.calling.names import FEATURES, TABLES, CallError
from posenc_checks.calling.results import numbers


@dataclass(frozen=True)
class Rotation:
    """The reader's function behind one signature. `table` is the reader's maker of cosines, if there is one."""

    function: Callable[..., Any]
    convention: Convention
    d: int
    table: Callable[[Tensor, Tensor], Any] | None = None

    @property
    def takes_positions(self) -> bool:
        """Whether positions are the caller's choice; else rows are counted."""
        return self.takes("positions", "q_positions", *TABLES)

    @property
    def own_angles(self) -> bool:
        """Whether the angles are the reader's, and not made here."""
        return self.table is not None or not self.takes(*TABLES)

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
        outs = [_tensor(each) for each in outs[: sum(role in FEATURES for role in self.convention.roles)]]
        return [take(each, axes, x) for each in outs]

    def _call(self, given: dict[str, Any]) -> Any:
        c = self.convention
        if c.array:
            given = {role: each.numpy() if isinstance(each, Tensor) else each for role, each in given.items()}
        named = [*c.keywords, *[None] * (len(c.roles) - len(c.keywords))]
        args = [given[role] for role, name in zip(c.roles, named, strict=True) if name is None]
        return self.function(*args, **{name: given[role] for role, name in zip(c.roles, named, strict=True) if name})

    def _arguments(self, x: Tensor, positions: Tensor, offset: int) -> dict[str, Any]:
        c = self.convention
        features = give(x, c.axes)
        given: dict[str, Any] = dict.fromkeys(FEATURES, features) | {"offset": offset, "length": x.shape[2]}
        if "q" in c.roles and "k" in c.roles:
            given["k"] = features.clone()
        places = (positions if c.positions == "n" else rows_of(positions, x)).clone()
        if c.positions == "b1n":
            places = places[:, None]
        given |= dict.fromkeys(("positions", "q_positions", "k_positions"), places) | {"d": self.d}
        return given | (self._tables(x, positions) if self.takes(*TABLES) else {})

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
