"""Classes of faults in biases, buckets and windows, which strangers' code showed; right code beside each."""

from __future__ import annotations

import torch

from tests.corpus.checks.planted.pieces import BF16
from tests.corpus.checks.planted.scores import KEY_FIRST, S12, SLOPES, alibi, back, t5, window
from posenc_lib.relative import alibi_slopes, t5_bucket

HEADS = {"heads": 8}
LEARNED = torch.sin(torch.arange(32.0)[:, None] * torch.arange(1, 9))  # of T5, [buckets, heads]


def curve(f, dtype=torch.float64):
    """Slopes times a function of the distance."""
    return lambda n: (-SLOPES[:, None, None] * f(back(n).abs())).to(dtype)


def learned(distances):
    return LEARNED[t5_bucket(distances)].permute(2, 0, 1)


def mixed(n):
    return LEARNED[t5_bucket(-back(n).long())].reshape(8, n, n)


def from_0(n_q, n_k):
    return learned(torch.arange(n_k) - torch.arange(n_q)[:, None])


def from_the_end(n_q, n_k):
    return learned(torch.arange(n_k) - torch.arange(n_k - n_q, n_k)[:, None])


S16 = alibi_slopes(16, dtype=torch.float64)

# --- buckets


def beyond(distances):  # without the last min
    x, ahead = distances.abs(), (distances > 0) * 16
    far = 8 + (torch.log(x / 8) / torch.log(torch.tensor(16.0)) * 8 + 1e-6).long()
    return ahead + torch.where(x < 8, x, far)


def again(distances):  # the logarithm begins at 0
    return torch.where(distances.abs() < 8, t5(distances), t5(distances) - 8)


def both_as_one(ahead):
    return lambda relative_position: t5(-relative_position.abs(), both=False) + ahead * (relative_position > 0)


TOLD = KEY_FIRST | {"bidirectional": True}
PAST = KEY_FIRST | {"bidirectional": False}

# --- windows


def flipped(axis):
    def rows(h, w):
        grid = torch.arange((2 * h - 1) * (2 * w - 1)).view(2 * h - 1, 2 * w - 1)
        return grid.flip(axis).flatten()[window(h, w)]

    return rows


SWIN = {"order": "swin"}
