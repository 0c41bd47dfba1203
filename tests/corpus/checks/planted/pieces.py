"""The right pieces of a rotation, of which each fault changes one line."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from posenc_lib.pairs import geometric_freqs

D = 64
FREQS = geometric_freqs(D)
BF16 = torch.bfloat16


def half(x: Tensor) -> Tensor:
    a, b = x.chunk(2, -1)
    return torch.cat((-b, a), -1)


def neighbours(x: Tensor) -> Tensor:
    return torch.stack((-x[..., 1::2], x[..., 0::2]), -1).flatten(-2)


def cat(angles: Tensor) -> Tensor:
    return torch.cat((angles, angles), -1)


def repeat(angles: Tensor) -> Tensor:
    return angles.repeat_interleave(2, -1)


def turn(x: Tensor, angles: Tensor, partner: Callable = half, double: Callable = cat) -> Tensor:
    """The right rotation, with one line a fault can change."""
    angles = double(angles)
    return (x * angles.cos() + partner(x) * angles.sin()).to(x.dtype)


def angles(positions: Tensor, freqs: Tensor = FREQS) -> Tensor:
    out = positions.double()[..., None] * freqs
    return out if out.ndim == 2 else out[:, None]


def rope(x, positions):
    return turn(x, angles(positions))


def with_freqs(freqs: Tensor) -> Callable:
    return lambda x, positions: turn(x, angles(positions, freqs))


def both(q_turn: Callable, k_turn: Callable) -> Callable:
    return lambda q, k, positions: (q_turn(q, positions), k_turn(k, positions))


def partial(x, positions, r=16, freqs=None):
    freqs = geometric_freqs(r) if freqs is None else freqs
    return torch.cat((turn(x[..., :r], angles(positions, freqs)), x[..., r:]), -1)
