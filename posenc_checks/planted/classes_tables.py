"""Classes of faults in tables of sines and cosines, which strangers' code showed; right code beside each."""

from __future__ import annotations

import torch
from torch import nn

from posenc_checks.planted.pieces import BF16, Planted
from posenc_checks.planted.scores import PAPER, sines


def table(n, d, **settings):
    return sines(n, d, **settings)


def put(n, d, features, values):
    out = table(n, d)
    out[:, features] = values(out[:, features])
    return out


class Adds(nn.Module):
    def __init__(self, first=0):
        super().__init__()
        self.register_buffer("pe", table(2_200, 32)[first:])

    def forward(self, hidden_states):
        return 2 * hidden_states + self.pe[: hidden_states.shape[1]]


def by_times(timesteps, first=0):
    angles = (timesteps[:, None] + first) * 10_000 ** (-torch.arange(16) / 16)
    return torch.cat((angles.cos(), angles.sin()), 1)


def far(n, d, cut=1_000):
    return table(n, d)[torch.arange(n).clamp(max=cut - 1)]


def rounded(n, d, dtype):
    return table(4_100, d)[torch.arange(n).to(dtype).long()]


TABLES = [
    Planted("table-half", lambda n, d: rounded(n, d, BF16), PAPER, about="positions"),
    Planted("table-half", lambda n, d: rounded(n, d, torch.half), PAPER, about="positions-float16"),
    Planted("table-ends", far, PAPER, about="table"),
    Planted("table-rising", lambda n, d: sines(n, d, power=lambda i, d: -2 * i / d), PAPER),
    Planted("table-all-cosines", lambda n, d: torch.stack((table(n, d)[:, 1::2],) * 2, -1).flatten(1), PAPER),
    Planted("table-overwritten", lambda n, d: put(n, d, slice(1, None, 2), lambda _: table(n, d)[:, 0::2].cos())),
    Planted("table-cos-exponent", lambda n, d: sines(n, d, power=lambda i, d: i / d, own=lambda i, d: (i + 0.5) / d),
            about="halved"),
    Planted("table-amplitudes", lambda n, d: put(n, d, slice(1, None, 2), lambda x: x / d**0.5), PAPER),
    Planted("table-amplitudes", lambda n, d: put(n, d, slice(0, None, 2), lambda x: 1.02 * x), PAPER, about="edge"),
    Planted("table-unpaired", lambda n, d: sines(n, d, cosine=lambda x: (x + 1).cos()), PAPER),
    Planted("table-zeros", lambda n, d: put(n, d, slice(-2, None), lambda x: 0 * x), PAPER),
    Planted("table-mixed", lambda n, d: torch.cat((table(n, d)[:, 0::2], table(n, d)[:, 1::2])).view(n, d), PAPER),
    Planted("table-mixed", lambda n, d: table(n, d).T.reshape(n, d), about="reshape"),
    Planted("table-base", lambda n, d: sines(n, d, base=55.0), PAPER, about="any"),
    Planted("table-from-1", Adds(1), PAPER, about="module"),
    Planted("table-from-1", lambda timesteps: by_times(timesteps, 1), {"first": 0, "d": 32}, about="times"),
]  # fmt: skip
RIGHT_TABLES = [
    Planted("", lambda n, d: table(n, d), PAPER, about="the paper's"),
    Planted("", lambda n, d: table(n, d).half(), PAPER, about="in float16 itself"),
    Planted("", lambda n, d: put(n, d, slice(0, None, 2), lambda x: 1.001 * x), PAPER, about="amplitudes, nearly"),
    Planted("", Adds(), PAPER, about="a module that adds"),
    Planted("", by_times, {"d": 32}, about="times"),
    Planted("", lambda n, d: table(n, d)[:40], PAPER, about="a short table"),
]
