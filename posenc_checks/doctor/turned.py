"""What a rotation does, from what went into it and what came out: slice, pairs, and the base."""

from __future__ import annotations

import torch
from torch import Tensor

N = 11
"""Tokens in the text of a tiny model: no number of heads or features."""


def turned(call: list[tuple[Tensor, Tensor]]) -> tuple[int | None, str | None, float | None]:
    """How many features are rotated, which of them make a pair, and the base, by the ratio of two frequencies."""
    if not call or call[0][0].shape[-1] != call[0][1].shape[-1]:
        return None, None, None
    moving = torch.stack([(x != y).flatten(0, -2).any(0) for x, y in call]).any(0)
    x, y = (_by_position(each)[:, 0, moving].double() for each in call[0])
    r = x.shape[-1]
    for layout, before, after in (
        ("half", _halves, _halves),
        *(("interleaved", _neighbours, f) for f in (_neighbours, _halves)),
    ):
        turn = _complex(y[:, after(r)]) / _complex(x[:, before(r)]) if r % 2 == 0 else torch.rand(N, 1)
        if torch.allclose(turn.abs(), turn.abs()[:1].expand_as(turn), rtol=1e-3):
            freqs = (turn[1] / turn[0]).angle().abs()
            return r, layout, float((freqs[0] / freqs[1]) ** (r / 2)) if r > 2 else None
    return r, None, None


def _complex(pairs: Tensor) -> Tensor:
    return torch.view_as_complex(pairs.contiguous())


def _by_position(x: Tensor) -> Tensor:
    """[N, heads, features]"""
    x = x.reshape(-1, *x.shape[-3:])[0] if x.ndim > 3 else x
    return x if x.shape[1] != N else x.transpose(0, 1)


def _halves(r: int) -> Tensor:
    return torch.stack((torch.arange(r // 2), torch.arange(r // 2) + r // 2), -1)


def _neighbours(r: int) -> Tensor:
    return torch.arange(r).reshape(-1, 2)
