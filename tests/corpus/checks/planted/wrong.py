"""Rotations that are wrong under every convention."""

from __future__ import annotations

import torch
from torch import nn

from tests.corpus.checks.planted.pieces import (
    BF16,
    FREQS,
    D,
    angles,
    both,
    cat,
    half,
    neighbours,
    partial,
    repeat,
    rope,
    turn,
    with_freqs,
)
from posenc_lib import extension
from posenc_lib.pairs import geometric_freqs


def sign_lost(x, positions):
    a, b = x.chunk(2, -1)
    c, s = angles(positions).cos(), angles(positions).sin()
    return torch.cat((a * c + b * s, a * s + b * c), -1).float()


def view_for_transpose(x, positions):  # x [b, h, n, d] is cut as if it were [b, n, h, d]
    b, h, n, d = x.shape
    return turn(x.reshape(b, n, h, d), angles(positions).unsqueeze(-2)).reshape(b, h, n, d)


def flattened(x, positions):  # heads are joined for a product, and cut apart in the wrong order
    b, h, n, d = x.shape
    return turn(x, angles(positions)).transpose(1, 2).reshape(b, h, n, d)


def no_sine(x, positions):
    return (x * cat(angles(positions)).cos()).float()


def sine_for_cosine(x, positions):
    s = cat(angles(positions)).sin()
    return (x * s + half(x) * s).float()


def last_head_left(x, positions):
    return torch.cat((rope(x[:, :-1], positions), x[:, -1:]), 1) if x.shape[1] > 1 else rope(x, positions)


def right_aligned(x):
    return rope(x, torch.arange(-x.shape[-2], 0))


def over_length(x, positions):
    return turn(x, angles(positions.double() / len(positions)))


def by_sample(x, positions):
    return turn(x, angles(positions + torch.arange(len(x))[:, None]))


def rest_lost(x, positions):
    out = torch.zeros_like(x)
    out[..., :16] = turn(x[..., :16], angles(positions, geometric_freqs(16)))
    return out


def rest_uninitialised(x, positions):
    out = torch.empty_like(x)
    out[..., :16] = turn(x[..., :16], angles(positions, geometric_freqs(16)))
    return out


def rest_scaled(x, positions):  # the attention factor on the passed part only
    return torch.cat((turn(x[..., :16], angles(positions, geometric_freqs(16))), 1.2 * x[..., 16:]), -1)


def ignores_positions(x, positions):
    return turn(x, angles(torch.arange(x.shape[-2])))


def counts_from_first(x, positions):
    return turn(x, angles(positions.flatten()[0] + torch.arange(x.shape[-2])))


def first_sample(x, positions):
    return turn(x, angles(positions[:1]))


def offset_ignored(x, offset=0):
    return turn(x, angles(torch.arange(x.shape[-2])))


def offset_twice(x, offset=0):
    return turn(x, angles(offset + torch.arange(offset, offset + x.shape[-2])))


class OffsetInCache:
    """Angles are kept by length, not by offset."""

    def __init__(self):
        self.kept = {}

    def __call__(self, x, offset=0):
        n = x.shape[-2]
        self.kept.setdefault(n, angles(torch.arange(offset, offset + n)))
        return turn(x, self.kept[n])


def first_head_alone(x, positions):  # one token: heads are taken for rows of one sample
    out = rope(x, positions)
    return out if x.shape[-2] > 1 else torch.cat((out[:, :1], x[:, 1:]), 1)


def values_too(q, k, v, positions):
    return rope(q, positions), rope(k, positions), rope(v, positions)


def clamped(x, positions):
    return turn(x, angles(positions.clamp(max=2_000)))


def modulo(x, positions):
    return turn(x, angles(positions % 1_024))


def positions_as_features(x, positions):  # right in float32, wrong in a model in bfloat16
    return turn(x, angles(positions.to(x.dtype)))


def cos_sin_half(x, positions):
    c, s = (cat(each).to(BF16).float() for each in (angles(positions).cos(), angles(positions).sin()))
    return x * c + half(x) * s


class Stale(nn.Module):
    """The table is made anew for a longer text only."""

    def __init__(self):
        super().__init__()
        self.register_buffer("inv_freq", FREQS.clone())
        self.table = torch.empty(0, D // 2)

    def forward(self, x, positions):
        if len(self.table) <= positions.max():
            self.table = torch.arange(5_000)[:, None] * self.inv_freq
        return turn(x, self.table[positions])


class Remembers(nn.Module):
    """Dynamic NTK that never goes back."""

    def __init__(self):
        super().__init__()
        self.longest = 2_048

    def forward(self, x, positions):
        self.longest = max(self.longest, int(positions.max()) + 1)
        return turn(x, angles(positions, extension.dynamic_ntk(FREQS, 2.0, self.longest, 2_048)))


def nan_at_0(x, positions):
    return x * (turn(x, angles(positions)) / x)


def in_place(x, positions):
    x.copy_(turn(x, angles(positions)))
    return x


def grows(x, positions):
    return turn(x, angles(positions)) * 1.001 ** positions[:, None].float()


def square_root(x, positions):
    return turn(x, angles(positions.double().sqrt()))
