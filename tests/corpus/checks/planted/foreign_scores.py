"""Biases, buckets, windows and tables with a fault each, in the styles of other programs."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import nn


def get_slopes(n, start=None):
    start = 2 ** (-(2 ** -(math.log2(n) - 3))) if start is None else start
    return [start * start**i for i in range(n)]


class AlibiMask(nn.Module):
    """A mask that is made once and cut to the text."""

    def __init__(self, slopes, sign=1, scale=1.0, future=0.0):
        super().__init__()
        places = torch.arange(700)
        lag = (places[None, :] - places[:, None]).clamp(max=0) * sign * scale
        mask = torch.tensor(slopes, dtype=torch.float64)[:, None, None] * lag
        self.register_buffer("mask", mask + torch.triu(torch.full((700, 700), future), 1), persistent=False)

    def forward(self, seq_len):
        return self.mask[None, :, :seq_len, :seq_len]


def keys_in_bfloat16(attention_mask, num_heads, dtype):
    """A number for each key, from the mask of the padding."""
    slopes = torch.tensor(get_slopes(num_heads), dtype=torch.bfloat16)
    order = (attention_mask.cumsum(dim=-1) - 1)[:, None, :]
    return (slopes[..., None] * order.to(torch.bfloat16)).reshape(-1, 1, order.shape[-1]).to(dtype)


ROUNDED = torch.tensor(get_slopes(8, 0.6), dtype=torch.float64)


def bucket_of(d, bidirectional=True, num_buckets=32, max_distance=128, sign=1, off=0, both_halves=True):
    """One distance, key minus query, with a loop over the edges."""
    d = sign * d
    half = num_buckets // 2 if bidirectional else num_buckets
    base = half if bidirectional and d > 0 else 0
    d = abs(d) if bidirectional else max(-d, 0)
    exact = half // 2
    if d < exact + off:
        return base + d
    large = exact + int(math.log(d / exact) / math.log(max_distance / exact) * (half - exact) + 1e-9)
    return base + min(large, half - 1)


def listed(**settings):
    def buckets(relative_position):
        return np.array([bucket_of(int(d), **settings) for d in relative_position])

    return buckets


def swin(window_size, indexing="ij", stride=None):
    wh, ww = window_size
    coords = torch.stack(torch.meshgrid(torch.arange(wh), torch.arange(ww), indexing=indexing))
    flat = coords.flatten(1)
    relative = (flat[:, :, None] - flat[:, None, :]).permute(1, 2, 0).contiguous()
    relative[:, :, 0] += wh - 1
    relative[:, :, 1] += ww - 1
    relative[:, :, 0] *= 2 * ww - 1 if stride is None else stride
    return relative.sum(-1)


def looped(max_len, d_model, own=False, cosine=math.cos, base=10_000.0):
    pe = torch.zeros(max_len, d_model)
    for pos in range(max_len):
        for i in range(0, d_model, 2):
            pe[pos, i] = math.sin(pos / base ** (i / d_model))
            pe[pos, i + 1] = cosine(pos / base ** ((i + 1 if own else i) / d_model))
    return pe


class PositionalEncoding(nn.Module):
    def __init__(self, d_model=32, max_len=60, batch_first=False):
        super().__init__()
        self.register_buffer("pe", looped(max_len, d_model).T[None])
