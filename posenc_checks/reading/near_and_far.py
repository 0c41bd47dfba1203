"""At which positions a function is read: a few near ones as matrices, and as far as it goes as blocks."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import torch
from torch import Tensor

from posenc_checks.calling.rotation import Rotation
from posenc_checks.reading.probe import Turn, read_blocks, read_matrices, take_apart

NEAR = [*range(9), 13, 101, 509]
FAR = [*range(17), 31, 32, 33, 63, 64, 65, 127, 128, 129, *range(255, 261), *range(511, 515), 767, 1000, 1023, 1024]
FAR += [1025, 1026, 1500, 1777, *range(2047, 2053), 3000, 3333, 4093, 4094, 4095, 4096, 4097, 4098, 4099]
LASTS = (4_100, 2_100, 1_030, 520, 260, 130, 66, 34, 17)

SAME = 1e-3


def read_near(rotation: Rotation, counted: bool) -> list[Tensor]:
    """The matrices at a few positions, the first nine of them in a row, in a call that turns them as a short one."""
    for last in (510, 102, 14, 9):
        positions = torch.tensor([p for p in NEAR if p < (min(last, 14) if counted else last)])
        with suppress(Exception):  # a table that is shorter
            rows = torch.arange(positions[-1] + 1) if counted else positions
            near = [each[positions] if counted else each for each in read_matrices(rotation, rows)]
            short = read_matrices(rotation, torch.arange(9))
            if same(unit(near[0][:9]), unit(short[0])):
                return near
    return read_matrices(rotation, torch.arange(5))


def read_far(rotation: Rotation, q: Turn, k: Turn, counted: bool, end: int = LASTS[0]) -> tuple[Tensor, list[Tensor]]:
    """Blocks of q and of k, at positions as far as the function goes, or up to some end."""
    for last in (each for each in LASTS if each <= end):
        far = torch.tensor([p for p in FAR if p < last])
        with suppress(Exception):  # a table that is shorter
            return far, read_at(rotation, (q, k), far, counted)
    far = torch.arange(5)
    return far, read_at(rotation, (q, k), far, counted)


def read_at(rotation: Rotation, turns: tuple[Turn, ...], far: Tensor, counted: bool) -> list[Tensor]:
    """Where rows are counted, all rows up to the last are read, and these kept."""
    at = torch.arange(int(far[-1]) + 1) if counted else far
    read = [read_blocks(rotation, at, turn.pairs or [], turn.start) for turn in turns]
    kept = [outs[min(i, len(outs) - 1)] for i, outs in enumerate(read)]
    return [each[far] if counted else each for each in kept]


def in_bfloat16(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as a model in bfloat16 calls it: features, and tables if it takes any, are cast."""

    def cast(*args: Any, **named: Any) -> Any:
        halves = [a.bfloat16() if isinstance(a, Tensor) and a.is_floating_point() else a for a in args]
        out = function(*halves, **named)
        return [each.float() for each in (out if isinstance(out, (tuple, list)) else [out])]

    return cast


def turns_alike(rotation: Rotation) -> bool:
    """Whether this way to call it makes a rotation of it: the tokens differ, the heads do not, and lengths stay."""
    x = torch.randn(2, 1, 1, rotation.d, generator=torch.Generator().manual_seed(0)).repeat(1, 3, 5, 1)
    positions = torch.arange(5)
    outs = rotation(x, positions)
    if not all(out.isfinite().all() and alike(out[:, :1].expand_as(out), out) for out in outs):
        return False
    read = read_matrices(rotation, positions)[:2]
    if not all(matrices.isfinite().all() for matrices in read):
        return False
    turns = [take_apart(matrices) for matrices in read]
    return all(bool(turn.pairs) and turn.defect.max() < 1e-2 for turn in turns)  # as `rules.structure` wants it


def alike(a: Tensor, b: Tensor) -> bool:
    """Equal, up to the rounding of a few products."""
    return bool((a - b).abs().max() < 1e-4)


def same(a: Tensor, b: Tensor) -> bool:
    """Equal, up to the rounding of what a reader's function does."""
    return a.shape == b.shape and bool((a - b).abs().max() < SAME)


def unit(matrices: Tensor) -> Tensor:
    """With columns of length 1; a column of zeros, where a feature is lost, stays one."""
    return matrices / matrices.norm(dim=-2, keepdim=True).clamp(min=1e-12)
