"""Classes of faults in tables of sines and cosines, which strangers' code showed; right code beside each."""

from __future__ import annotations

import torch
from torch import nn

from tests.corpus.checks.planted.pieces import BF16
from tests.corpus.checks.planted.scores import PAPER, sines


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
