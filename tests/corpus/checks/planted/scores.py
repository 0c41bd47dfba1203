"""Biases, buckets, windows and tables with a fault each."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from tests.corpus.checks.planted.pieces import BF16
from posenc_lib.relative import alibi_slopes, t5_bucket

H = 8
HEADS = torch.arange(1, H + 1)


def alibi(slopes: Tensor):
    return lambda n: -slopes[:, None, None] * back(n).abs()


def back(n: int) -> Tensor:
    return (torch.arange(n)[:, None] - torch.arange(n)).double()


def key_numbers(n):  # a number for each key, in half precision
    return (alibi_slopes(H)[:, None, None] * torch.arange(2_000, 2_000 + n)).to(BF16)


def squares_of_positions(n):
    m = torch.arange(n).double()
    return -(m[:, None] ** 2 - m**2).abs()[None]


SLOPES = alibi_slopes(H, dtype=torch.float64)

S12 = alibi_slopes(12, dtype=torch.float64)


def causal(n, hidden=-torch.inf, reach=10**6):
    """0 for keys that are seen, of which there may be so many."""
    return torch.where((back(n) >= 0) & (back(n) < reach), 0.0, hidden)


# --- buckets and windows


def t5(relative_position, at=8, buckets=32, reach=128, both=True, small=torch.lt):
    """T5's rule with key minus query, and a place for each error."""
    n, ret = (buckets // 2, (relative_position > 0) * (buckets // 2)) if both else (buckets, 0)
    x = relative_position.abs() if both else (-relative_position).clamp(min=0)
    exact = n // 2
    far = exact + (torch.log(x / exact) / math.log(reach / exact) * (n - exact) + 1e-6).long()
    return ret + torch.where(small(x, exact), x, far.clamp(max=n - 1))


def edge(relative_position):
    return t5(relative_position - (relative_position < -20).long())


KEY_FIRST = {"distance": "key - query"}


def window(h, w, *, columns=False, stride=None, swap=False, order=False):
    cells = torch.cartesian_prod(torch.arange(h), torch.arange(w))
    cells = cells.view(h, w, 2).transpose(0, 1).reshape(-1, 2) if columns else cells
    y, x = (cells[:, None] - cells).unbind(-1) if not swap else (cells - cells[:, None]).unbind(-1)
    if order:
        return (x + w - 1) * (2 * h - 1) + y + h - 1
    return (y + h - 1) * (2 * w - 1 if stride is None else stride) + x + w - 1


class Windowed(nn.Module):
    """As a module, with the window in one argument or in two, and others that may be left out."""

    def __init__(self, index):
        super().__init__()
        self.index = index

    def forward(self, window, indexing="ij"):
        return self.index(*window)


class Sides(Windowed):
    def forward(self, h, w):
        return self.index(h, w)


class Distances(nn.Module):
    def __init__(self, bucket):
        super().__init__()
        self.bucket = bucket

    def forward(self, relative_position, bidirectional=True):
        return self.bucket(relative_position)


def shifted(by_h, by_w):
    """Swin's rows, in which the offsets are shifted by other numbers before they become a row."""

    def rows(h, w):
        down, right = by_h(h, w) - (h - 1), by_w(h, w) - (w - 1)
        return window(h, w) + down * (2 * w - 1) + right

    return rows


EXCHANGED = shifted(lambda h, w: w - 1, lambda h, w: h - 1)

# --- tables


def sines(n, d, *, base=10_000.0, power=lambda i, d: 2 * i / d, own=None, first=0, cosine=torch.cos, half=False):
    i = torch.arange(d // 2)
    angle = torch.arange(first, first + n)[:, None] * base ** -power(i, d)
    other = angle if own is None else torch.arange(n)[:, None] * base ** -own(i, d)
    angle, other = (each.to(BF16).float() if half else each for each in (angle, other))
    return torch.stack((angle.sin(), cosine(other)), -1).flatten(1)


PAPER = {"base": 10_000.0, "first": 0, "layout": "interleaved"}
