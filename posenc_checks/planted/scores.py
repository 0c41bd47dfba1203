"""Biases, buckets, windows and tables with a fault each."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

from posenc_checks.planted.pieces import BF16, Planted
from posenc_lib.relative import alibi_slopes, t5_bucket

H = 8
HEADS = torch.arange(1, H + 1)


def alibi(slopes: Tensor, h: int = H, **told: Any) -> dict[str, Any]:
    return {"function": lambda n: -slopes[:, None, None] * back(n).abs(), "told": {"heads": h} | told}


def back(n: int) -> Tensor:
    return (torch.arange(n)[:, None] - torch.arange(n)).double()


def key_numbers(n):  # a number for each key, in half precision
    return (alibi_slopes(H)[:, None, None] * torch.arange(2_000, 2_000 + n)).to(BF16)


def squares_of_positions(n):
    m = torch.arange(n).double()
    return -(m[:, None] ** 2 - m**2).abs()[None]


SLOPES = alibi_slopes(H, dtype=torch.float64)
BIASES = [
    Planted("alibi-sign", **alibi(-SLOPES)),
    Planted("alibi-head-count", **alibi(alibi_slopes(16)[:8]), about="16"),
    Planted("alibi-head-count", **alibi(alibi_slopes(4).repeat(2)[:4], h=8), about="4"),
    Planted("alibi-power-of-two", **alibi(2.0 ** (-8 * torch.arange(1, 13) / 12), h=12)),
    Planted("alibi-scaled", **alibi(SLOPES / 8), about="root"),
    Planted("alibi-half", **alibi(alibi_slopes(12).to(BF16).double(), h=12)),
    Planted("alibi-order", **alibi(SLOPES.flip(0))),
    Planted("alibi-starts-at-1", **alibi(2.0 ** (-8 * (HEADS - 1) / H))),
    Planted("alibi-bias-half", key_numbers),
    Planted("bias-not-relative", squares_of_positions),
    Planted("bucket-sign", lambda n: t5_bucket(-back(n).long(), bidirectional=False)[None].double(), about="bias"),
]


def alibi_12(slopes):
    return alibi(slopes, h=12)


S12 = alibi_slopes(12, dtype=torch.float64)
BIASES += [
    Planted("alibi-slopes", **alibi(SLOPES**2), about="exponent-16"),
    Planted("alibi-slopes", **alibi(SLOPES**1.5), about="exponent-12"),
    Planted("alibi-extra-heads", **alibi_12(torch.cat((S12[:8], alibi_slopes(16)[:4]))), about="last-four"),
    Planted("alibi-extra-heads", **alibi_12(torch.cat((S12[:8], S12[8:].flip(0) / 2))), about="last-four-halved"),
    Planted("alibi-slopes", **alibi(torch.linspace(0.5, 0.004, H)), about="linear"),
    Planted("alibi-slopes", **alibi(SLOPES * torch.where(HEADS == 5, 2.0, 1.0)), about="one-head"),
    Planted("alibi-slopes", **alibi(SLOPES[:4].repeat(2)), about="repeated"),
    Planted("alibi-scaled", **alibi(SLOPES * 1.5), about="times"),
]


def causal(n, hidden=-torch.inf, reach=10**6):
    """0 for keys that are seen, of which there may be so many."""
    return torch.where((back(n) >= 0) & (back(n) < reach), 0.0, hidden)


NO_BIAS = [
    Planted("", lambda attention_mask: attention_mask.cumsum(-1) - 1, about="positions"),
    Planted("", lambda attention_mask: (attention_mask.cumsum(-1) - 1).float(), about="positions in float"),
    Planted("", lambda n: back(n).long().clamp(-8, 8) + 8, about="index of Shaw"),
    Planted("", lambda n: back(n).long().clamp(-8, 8), about="index of Shaw, not moved up"),
    Planted("", back, about="distances in float"),
    Planted("", lambda n: back(n) >= 0, about="mask in bool"),
    Planted("", causal, about="causal mask"),
    Planted("", lambda n: causal(n, -1e9), about="causal mask, -1e9"),
    Planted("", lambda n: causal(n, torch.finfo(torch.float16).min, 12)[None, None], about="window mask"),
    Planted("", lambda n: t5_bucket(back(n).long())[None], about="buckets"),
]
"""What has the shape of a bias and is none."""
RIGHT_BIASES = [
    Planted("", lambda n: causal(n) - back(n) / 256, {"slopes": SLOPES[-1:]}, about="bias with a mask"),
    Planted("", lambda n: causal(n, -1e9, 12) - back(n) / 256, {"slopes": SLOPES[-1:]}, about="bias with a window"),
    Planted("", lambda n: -back(n), {"slopes": torch.ones(1)}, about="slope 1, told"),
    Planted("", **alibi_12(S12.float()), about="12 heads"),
    Planted("", lambda n: torch.zeros(2, n, n), about="nothing learned yet"),
]

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
BUCKETS = [
    Planted("bucket-sign", lambda relative: t5(-relative), KEY_FIRST),
    Planted("bucket-sign", lambda relative: t5(-relative, both=False), KEY_FIRST, about="causal"),
    Planted("bucket-direction", lambda relative: t5(relative), KEY_FIRST | {"bidirectional": False}, about="both"),
    Planted("bucket-direction", lambda relative: t5(relative, both=False), KEY_FIRST | {"bidirectional": True}),
    Planted("bucket-edge", edge),
    Planted("bucket-edge", lambda relative: t5((relative.abs() + 1) * relative.sign()).clamp(max=31), about="all"),
    Planted("bucket-sizes", lambda relative: t5(relative, buckets=64)),
    Planted("bucket-sizes", lambda relative: t5(relative, reach=256), about="reach"),
]  # fmt: skip


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


BUCKETS += [
    Planted("bucket-sign", Distances(lambda d: t5(-d)), about="module"),
    Planted("bucket-edge", Distances(edge), about="module"),
    Planted("bucket-sizes", Distances(lambda d: t5(d, buckets=64)), about="module"),
]


def shifted(by_h, by_w):
    """Swin's rows, in which the offsets are shifted by other numbers before they become a row."""

    def rows(h, w):
        down, right = by_h(h, w) - (h - 1), by_w(h, w) - (w - 1)
        return window(h, w) + down * (2 * w - 1) + right

    return rows


EXCHANGED = shifted(lambda h, w: w - 1, lambda h, w: h - 1)
WINDOWS = [
    Planted("window-columns", lambda h, w: window(h, w, columns=True)),
    Planted("window-stride", lambda h, w: window(h, w, stride=2 * h - 1)),
    Planted("window-transposed", lambda h, w: window(h, w, swap=True), {"order": "swin"}),
    Planted("window-order", lambda h, w: window(h, w, order=True), {"order": "swin"}),
    Planted("window-range", EXCHANGED, about="exchanged"),
    Planted("window-range", EXCHANGED, {"window": (2, 7)}, about="wide"),
    Planted("window-range", EXCHANGED, {"window": (5, 3), "order": "swin"}, about="tall"),
    Planted("window-range", shifted(lambda h, w: h, lambda h, w: w), about="1-too-far"),
    Planted("window-range", lambda h, w: window(h, w, stride=2 * w), about="stride"),
    Planted("window-transposed", Windowed(lambda h, w: window(h, w, swap=True)), {"order": "swin"}, about="module"),
    Planted("window-columns", Sides(lambda h, w: window(h, w, columns=True)), about="module"),
]
RIGHT_BUCKETS = [
    Planted("", Distances(t5), about="module"),
    Planted("", Distances(lambda d: t5(d, both=False)), {"bidirectional": False}, about="module-causal"),
]
RIGHT_WINDOWS = [
    Planted("", Windowed(window), {"order": "swin"}, about="module"),
    Planted("", Sides(window), {"order": "swin"}, about="module-sides"),
    Planted("", lambda window_size, indexing="ij": window(*window_size), {"order": "swin"}, about="may-be-left-out"),
    Planted("", lambda h=3, w=5: window(h, w), {"order": "swin"}, about="both-may"),
    Planted("", lambda *size: window(*size), {"order": "swin"}, about="any number"),
    Planted("", lambda h, w: window(h, w) - (2 * h - 1) * (2 * w - 1), {"order": "swin"}, about="from the end"),
    Planted("", EXCHANGED, {"window": (4, 4), "order": "swin"}, about="square"),
    Planted("", EXCHANGED, {"window": (5, 3)}, about="in the table all the same"),
    Planted("", lambda h, w: window(h, w, stride=2 * w), {"rows": 60}, about="a larger table"),
]

# --- tables


def sines(n, d, *, base=10_000.0, power=lambda i, d: 2 * i / d, own=None, first=0, cosine=torch.cos, half=False):
    i = torch.arange(d // 2)
    angle = torch.arange(first, first + n)[:, None] * base ** -power(i, d)
    other = angle if own is None else torch.arange(n)[:, None] * base ** -own(i, d)
    angle, other = (each.to(BF16).float() if half else each for each in (angle, other))
    return torch.stack((angle.sin(), cosine(other)), -1).flatten(1)


PAPER = {"base": 10_000.0, "first": 0, "layout": "interleaved"}
TABLES = [
    Planted("table-transposed", lambda n, d: sines(n, d).T),
    Planted("table-all-sines", lambda n, d: sines(n, d, cosine=torch.sin)),
    Planted("table-cos-exponent", lambda n, d: sines(n, d, own=lambda i, d: (2 * i + 1) / d)),
    Planted("table-exponent-doubled", lambda n, d: sines(n, d, power=lambda i, d: 4 * i / d), PAPER),
    Planted("table-exponent-halved", lambda n, d: sines(n, d, power=lambda i, d: i / d), PAPER),
    Planted("table-dialect", lambda n, d: sines(n, d, power=lambda i, d: i / (d / 2 - 1)), PAPER),
    Planted("table-reversed", lambda n, d: sines(n, d, power=lambda i, d: (d - 2 - 2 * i) / d), PAPER),
    Planted("table-base", lambda n, d: sines(n, d, base=1_000.0), PAPER),
    Planted("table-from-1", lambda n, d: sines(n, d, first=1), PAPER),
    Planted("table-layout", lambda n, d: torch.cat((sines(n, d)[:, 0::2], sines(n, d)[:, 1::2]), 1), PAPER),
    Planted("table-half", lambda n, d: sines(n, d, half=True)),
]
