"""One of the usual ways to call a rotary function: axes of the features, roles, and the cosines that it takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import torch
from torch import Tensor

from posenc_checks.calling.names import CallError
from posenc_lib.pairs import geometric_freqs

AXES = ("bhnd", "bnhd", "nbhd", "hnd", "nhd", "bnd", "nd")


def give(x: Tensor, axes: str) -> Tensor:
    """[b, h, n, d] with other axes; the missing ones have length 1."""
    missing = [i for i, axis in enumerate("bhnd") if axis not in axes]
    order = ["bhnd".index(axis) for axis in axes]
    return x.permute(*order, *missing)[(..., *[0] * len(missing))].contiguous().clone()


def take(out: Tensor, axes: str, x: Tensor) -> Tensor:
    """The inverse of `give`, for what became of x."""
    wanted = [dict(zip("bhnd", x.shape, strict=True))[axis] for axis in axes]
    if list(out.shape) != wanted:
        raise CallError(f"features {wanted} went in, and {list(out.shape)} came out")
    missing = [axis for axis in "bhnd" if axis not in axes]
    names = "".join(missing) + axes
    return out[(None,) * len(missing)].permute(*(names.index(axis) for axis in "bhnd"))


def align(angles: Tensor, axes: str) -> Tensor:
    """[b, n, w] with an axis for each of the features'."""
    kept = [axis for axis in axes if axis != "d"]
    full = angles[:, None]  # [b, 1, n, w]
    if "b" not in kept:
        full = full[:1]
    names = "bhn"
    full = full.permute(*(names.index(axis) for axis in kept), *(names.index(a) for a in names if a not in kept), 3)
    return full.reshape(*full.shape[: len(kept)], full.shape[-1])


def rows_of(positions: Tensor, x: Tensor) -> Tensor:
    """A row of positions for each sample of x."""
    return positions.expand(len(x), -1) if positions.ndim == 1 else positions


def row_of(positions: Tensor, sample: int) -> Tensor:
    """The positions of one sample."""
    return positions[sample] if positions.ndim == 2 else positions


def rows_at(table: Any, positions: Tensor) -> Any:
    """The rows of a table [n, w] at these positions; it may have axes of samples and heads, [1, n, 1, w]."""
    rows = torch.as_tensor(table)
    tokens = next((i for i, size in enumerate(rows.shape[:-1]) if size > 1), 0)
    if tokens == 0 or positions.ndim == 1:
        rows = rows[positions] if tokens == 0 else rows.index_select(tokens, positions)
    else:
        rows = rows.movedim(tokens, 0)[:, 0][positions].movedim(1, tokens)  # samples have an axis already
    return rows if isinstance(table, Tensor) else rows.numpy()


WIDTHS = {
    "cat": "cosines doubled by cat",
    "repeat": "cosines doubled by repeat_interleave",
    "stack": "cosine and sine stacked",
}


@dataclass(frozen=True)
class Convention:
    """Roles of the arguments in their order, axes of the features, and the shape of what else goes in."""

    roles: tuple[str, ...]
    keywords: tuple[str | None, ...] = ()  # of each argument, where it must be named
    axes: str = "bhnd"
    table: str = "n"  # the axes of cosines: n, bn, or as the features have them
    width: str = "half"  # of a table of our own: one column a pair, or two, "cat" or "repeat"
    positions: str = "n"
    array: bool = False
    counts: Callable[[int], Any] = int  # of an offset and a length: int, or a tensor of one number

    @property
    def named(self) -> list[tuple[str, str | None]]:
        """Each role, and its name where it has one."""
        return list(zip_longest(self.roles, self.keywords))

    def describe(self) -> str:
        shape = ", ".join(self.axes)
        own = [WIDTHS[self.width]] if self.width in WIDTHS else []
        return "; ".join([f"called with ({', '.join(self.roles)}), features [{shape}]", *own])

    def tables(self, x: Tensor, positions: Tensor, d: int) -> dict[str, Tensor]:
        """Cosines, sines, angles and complex numbers of our own, for d features."""
        angles = self._shaped(positions.double()[..., None] * geometric_freqs(d), len(x))
        cis = torch.polar(torch.ones_like(angles), angles).to(torch.complex64)
        cis = torch.view_as_real(cis) if self.width == "stack" else cis
        wide = {"cat": torch.cat((angles, angles), -1), "repeat": angles.repeat_interleave(2, -1)}
        angles = wide.get(self.width, angles)
        tables = {"cos": angles.cos(), "sin": angles.sin(), "angles": angles}
        return {name: each.to(x.dtype) for name, each in tables.items()} | {"cis": cis}

    def _shaped(self, angles: Tensor, samples: int) -> Tensor:
        if self.table == "n":
            return angles
        angles = angles.expand(samples, -1, -1) if angles.ndim == 2 else angles
        return angles if self.table == "bn" else align(angles, self.axes)
