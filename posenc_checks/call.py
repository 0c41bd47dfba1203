"""A reader's rotary function behind one signature: features [b, h, n, d] and positions in, rotated features out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from posenc_checks.names import FEATURES, TABLES, CallError, numbers
from posenc_lib.pairs import geometric_freqs

AXES = ("bhnd", "bnhd", "nbhd", "hnd", "nhd", "bnd", "nd")


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

    def says(self) -> str:
        shape = ", ".join(self.axes)
        own = [WIDTHS[self.width]] if self.width in WIDTHS else []
        return "; ".join([f"called with ({', '.join(self.roles)}), features [{shape}]", *own])


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
        return bool({"positions", "q_positions", *TABLES} & {*self.convention.roles})

    @property
    def own_angles(self) -> bool:
        """Whether the angles are the reader's, and not made here."""
        return self.table is not None or not {*TABLES} & {*self.convention.roles}

    def __call__(self, x: Tensor, positions: Tensor, offset: int = 0) -> list[Tensor]:
        """Rotates x [b, h, n, d] as each of the tensors that the function takes: the results, [b, h, n, d] each."""
        c = self.convention
        if "b" not in c.axes and len(x) > 1:
            rows = [self(row[None], _of_sample(positions, i), offset) for i, row in enumerate(x)]
            return [torch.cat(each) for each in zip(*rows, strict=True)]
        if "h" not in c.axes and x.shape[1] > 1:
            heads = [self(x[:, i : i + 1], positions, offset) for i in range(x.shape[1])]
            return [torch.cat(each, 1) for each in zip(*heads, strict=True)]
        given = self._arguments(x, positions, offset)
        named = [*c.keywords, *[None] * (len(c.roles) - len(c.keywords))]
        args = [self._as_given(given[role]) for role, name in zip(c.roles, named, strict=True) if name is None]
        kwargs = {name: self._as_given(given[role]) for role, name in zip(c.roles, named, strict=True) if name}
        out = self.function(*args, **kwargs)
        outs = [out] if not isinstance(out, (tuple, list)) else list(out)
        outs = [_tensor(each) for each in outs[: sum(role in FEATURES for role in c.roles)]]
        return [_arrange(each, c.axes, x) for each in outs]

    def _arguments(self, x: Tensor, positions: Tensor, offset: int) -> dict[str, Any]:
        c = self.convention
        features = _give(x, c.axes)
        given: dict[str, Any] = dict.fromkeys(FEATURES, features) | {"offset": offset, "length": x.shape[2]}
        if "q" in c.roles and "k" in c.roles:
            given["k"] = features.clone()
        places = (positions if c.positions == "n" else rows_of(positions, x)).clone()
        if c.positions == "b1n":
            places = places[:, None]
        given |= dict.fromkeys(("positions", "q_positions", "k_positions"), places) | {"d": self.d}
        if {*TABLES} & {*c.roles}:
            indexed = "positions" in c.roles and self.table is None
            at = torch.arange(int(positions.max()) + 1) if indexed else positions
            given |= self._tables(x, at)
        return given

    def _tables(self, x: Tensor, positions: Tensor) -> dict[str, Any]:
        c = self.convention
        if self.table is not None:
            made = self.table(x, positions if c.positions == "n" else rows_of(positions, x))
            made = list(made) if isinstance(made, (tuple, list)) else [made]
            names = [role for role in c.roles if role in TABLES]
            if names[:2] == ["sin", "cos"] and len(made) == 2:
                names = ["cos", "sin"]  # a maker of tables gives the cosine first, whatever the function takes first
            return dict(zip(names, made, strict=False))
        angles = positions.double()[..., None] * geometric_freqs(self.d)
        if c.table != "n":
            angles = angles.expand(len(x), -1, -1) if angles.ndim == 2 else angles
            angles = angles if c.table == "bn" else _aligned(angles, c.axes)
        wide = {"half": angles, "cat": torch.cat((angles, angles), -1), "repeat": angles.repeat_interleave(2, -1)}
        cis = torch.polar(torch.ones_like(angles), angles).to(torch.complex64)
        cis = torch.view_as_real(cis) if c.width == "stack" else cis
        angles = wide.get(c.width, angles)
        tables = {"cos": angles.cos(), "sin": angles.sin(), "angles": angles}
        return {name: each.to(x.dtype) for name, each in tables.items()} | {"cis": cis}

    def _as_given(self, value: Any) -> Any:
        return value.numpy() if self.convention.array and isinstance(value, Tensor) else value


def with_positions(rotation: Rotation, positions: str) -> Rotation:
    return replace(rotation, convention=replace(rotation.convention, positions=positions))


def _of_sample(positions: Tensor, i: int) -> Tensor:
    return positions[i] if positions.ndim == 2 else positions


def rows_of(positions: Tensor, x: Tensor) -> Tensor:
    return positions.expand(len(x), -1) if positions.ndim == 1 else positions


def _give(x: Tensor, axes: str) -> Tensor:
    """[b, h, n, d] with other axes; the missing ones have length 1."""
    missing = [i for i, axis in enumerate("bhnd") if axis not in axes]
    order = ["bhnd".index(axis) for axis in axes]
    return x.permute(*order, *missing)[(..., *[0] * len(missing))].contiguous().clone()


def _arrange(out: Tensor, axes: str, x: Tensor) -> Tensor:
    """The inverse of `_give`."""
    wanted = [dict(zip("bhnd", x.shape, strict=True))[axis] for axis in axes]
    if list(out.shape) != wanted:
        raise CallError(f"features {wanted} went in, and {list(out.shape)} came out")
    missing = [axis for axis in "bhnd" if axis not in axes]
    names = "".join(missing) + axes
    return out[(None,) * len(missing)].permute(*(names.index(axis) for axis in "bhnd"))


def _aligned(angles: Tensor, axes: str) -> Tensor:
    """[b, n, w] with an axis for each of the features'."""
    kept = [axis for axis in axes if axis != "d"]
    full = angles[:, None]  # [b, 1, n, w]
    if "b" not in kept:
        full = full[:1]
    names = "bhn"
    full = full.permute(*(names.index(axis) for axis in kept), *(names.index(a) for a in names if a not in kept), 3)
    return full.reshape(*full.shape[: len(kept)], full.shape[-1])


def _tensor(out: Any) -> Tensor:
    if not isinstance(out, (Tensor, np.ndarray)):
        raise CallError(f"features came back as {type(out).__name__}, not as a tensor or an array")
    out = numbers(out)
    if not out.is_floating_point():
        raise CallError(f"features came back in {out.dtype}, not as floats")
    return out
