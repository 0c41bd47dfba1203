"""As public code has it: its names of arguments, its tables, and what it assumes of shapes."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import nn

from tests.corpus.checks.planted.pieces import angles, half, rope, turn


def counted(x, first=0):
    return rope(x, torch.arange(x.shape[-2]) + first)


def llama_table(dim, end, theta=10_000.0):
    at = torch.outer(torch.arange(end).float(), theta ** (-torch.arange(0, dim, 2) / dim))
    return torch.polar(torch.ones_like(at), at)


def llama(xq, xk, freqs_cis):
    q, k = (torch.view_as_complex(x.float().unflatten(-1, (-1, 2))) * freqs_cis[:, None] for x in (xq, xk))
    return torch.view_as_real(q).flatten(3), torch.view_as_real(k).flatten(3)


def axes_table(max_seq_len, head_dim):
    at = angles(torch.arange(max_seq_len))[None, :, None].repeat(1, 1, 1, 2)
    return at.cos(), at.sin()


def with_axes(x, cos, sin):  # [b, n, h, d]
    return x * cos + half(x) * sin


def queries(where):
    return lambda q, k: (rope(q, where(q.shape[-2], k.shape[-2])), rope(k, torch.arange(k.shape[-2])))


def one_sequence(n_heads, seq_len):
    slopes, i = 2.0 ** (-8 * torch.arange(1, n_heads + 1) / n_heads), torch.arange(seq_len)
    return -slopes[:, None, None] * (i[:, None] - i).abs()


def no_min(relative_position):
    r = relative_position.abs()
    far = 8 + (torch.log(r.float() / 8) / math.log(16) * 8).long()
    return (relative_position > 0).long() * 16 + torch.where(r < 8, r, far)


def float16_table(n, d):
    at = (torch.arange(n).half()[:, None] * (torch.arange(0, d, 2).half() * (-math.log(1e4) / d)).exp()).float()
    return torch.stack((at.sin(), at.cos()), -1).flatten(1)


def tutorial_table(position, d_model):
    at = np.arange(position)[:, None] / np.power(10_000, 2 * (np.arange(d_model)[None] // 2) / d_model)
    return np.concatenate((np.sin(at[:, 0::2]), np.cos(at[:, 1::2])), -1)[None]


class Held(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.register_buffer("inv_freq", 10_000.0 ** (-torch.arange(0, d, 2) / d))

    def forward(self, x, positions):
        return turn(x, angles(positions, self.inv_freq))


class Adds(nn.Module):
    """A module as wide as its table, with dropout."""

    def __init__(self, d_model=48):
        super().__init__()
        self.register_buffer("pe", torch.from_numpy(tutorial_table(5_000, d_model)).float())

    def forward(self, x):
        return nn.functional.dropout(x + self.pe[:, : x.size(1)], 0.1, self.training)
