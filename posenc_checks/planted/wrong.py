"""Rotations that are wrong under every convention."""

from __future__ import annotations

import torch
from torch import nn

from posenc_checks.planted.pieces import (
    BF16,
    FREQS,
    D,
    Planted,
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


WRONG = [
    Planted("identity", lambda q, k, positions: (q * 1, k * 1)),
    Planted("only-one-rotated", both(rope, lambda k, positions: k * 1), about="q"),
    Planted("only-one-rotated", both(lambda q, positions: q * 1, rope), about="k"),
    Planted("senses-differ", both(rope, lambda k, positions: rope(k, -positions))),
    Planted("keys-shifted", both(rope, lambda k, positions: rope(k, positions + 1))),
    Planted("frequencies-differ", both(rope, with_freqs(FREQS / 3))),
    Planted("amplitudes-differ", both(lambda q, positions: 1.2 * rope(q, positions), rope)),
    Planted("mixed-layout", lambda x, positions: turn(x, angles(positions), half, repeat), about="repeat_interleave"),
    Planted("mixed-layout", lambda x, positions: turn(x, angles(positions), neighbours, cat), about="repeat"),
    Planted("not-a-rotation", sign_lost),
    Planted("not-a-rotation", grows, about="grows"),
    Planted("pairings-differ", both(rope, lambda k, positions: partial(k, positions, 32))),
    Planted("not-a-rotation", no_sine, about="no-sine"),
    Planted("not-a-rotation", sine_for_cosine, about="sine-for-cosine"),
    Planted("not-a-rotation", lambda x, positions: x + rope(x, positions), about="added"),
    Planted("head-not-rotated", last_head_left),
    Planted("length-dependent", right_aligned),
    Planted("axes-swapped", by_sample, {"axes": "bhnd"}, about="sample"),
    Planted("angles-wrong", over_length, about="over-length"),
    Planted("tokens-mixed", flattened, {"axes": "bhnd"}),
    Planted("axes-swapped", view_for_transpose, {"axes": "bhnd"}, about="view"),
    Planted("features-lost", rest_lost),
    Planted("features-lost", rest_scaled, about="scaled"),
    Planted("uninitialised", rest_uninitialised),
    Planted("positions-unused", ignores_positions),
    Planted("positions-first-only", counts_from_first),
    Planted("positions-of-first-sample", first_sample, {"call": "x positions"}),
    Planted("offset-ignored", offset_ignored),
    Planted("offset-ignored", OffsetInCache(), about="cache"),
    Planted("offset-twice", offset_twice),
    Planted("single-token", first_head_alone),
    Planted("values-rotated", values_too),
    Planted("table-ends", clamped, about="clamp"),
    Planted("table-ends", modulo, about="modulo"),
    Planted("positions-half", lambda x, positions: turn(x, angles(positions.to(BF16))), about="bfloat16"),
    Planted("positions-half", lambda x, positions: turn(x, angles(positions.half())), about="float16"),
    Planted("positions-half", positions_as_features, about="features"),
    Planted("angles-half", lambda x, positions: turn(x, angles(positions).to(BF16).double()), about="bfloat16"),
    Planted("angles-half", lambda x, positions: turn(x, angles(positions).half().double()), about="float16"),
    Planted("freqs-half", with_freqs(FREQS.to(BF16).double())),
    Planted("cos-sin-half", cos_sin_half),
    Planted("angles-wrong", square_root),
    Planted("stale-cache", Stale()),
    Planted("history", Remembers()),
    Planted("nan", nan_at_0, about="0/0"),
    Planted("in-place", in_place),
]
