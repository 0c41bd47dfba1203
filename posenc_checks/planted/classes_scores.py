"""Classes of faults in biases, buckets and windows, which strangers' code showed; right code beside each."""

from __future__ import annotations

import torch

from posenc_checks.planted.pieces import BF16, Planted
from posenc_checks.planted.scores import KEY_FIRST, S12, SLOPES, alibi, alibi_12, back, t5, window
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
BIASES = [
    Planted("alibi-bias-half", curve(lambda r: r, BF16), HEADS, about="distances"),
    Planted("alibi-bias-half", lambda n: (-S12[:, None, None] * back(n).abs()).to(BF16), {"heads": 12}, about="12"),
    Planted("alibi-bent", curve(lambda r: r**2 / 8), HEADS, about="square"),
    Planted("alibi-bent", curve(lambda r: r**0.5), HEADS, about="root"),
    Planted("alibi-bent", curve(lambda r: r + r**2 / 9_000), HEADS, about="edge"),
    Planted("bias-not-relative", lambda n: learned(torch.arange(n).expand(n, n)), HEADS, about="keys"),
    Planted("bias-not-relative", lambda n: learned(torch.arange(n)[:, None] + torch.arange(n)), HEADS, about="sum"),
    Planted("bias-not-relative", lambda n: -S12[:, None, None] * (
        torch.arange(n)[:, None] // 2 - torch.arange(n) // 2), {"heads": 12}, about="halved"),
    Planted("bias-axes-mixed", mixed, HEADS),
    Planted("queries-from-0", from_0, HEADS),
    Planted("alibi-starts-at-1", **alibi_12(torch.cat((2.0 * SLOPES, S12[8:]))), about="first-eight"),
    Planted("alibi-skips-first", **alibi(SLOPES / 2)),
    Planted("alibi-scaled", **alibi(SLOPES / 2.01), about="near"),
    Planted("alibi-extra-heads", **alibi_12(torch.cat((S16[::2], S16[1::2]))[:12].flip(0).roll(3)), about="order"),
    Planted("alibi-slopes", **alibi_12(torch.cat((SLOPES ** (8 / 7), S12[8:]))), about="first-eight"),
]  # fmt: skip
RIGHT_BIASES = [
    Planted("", lambda n: learned(-back(n).long()), HEADS, about="learned"),
    Planted("", lambda n: learned(-back(n).long()).to(BF16), HEADS, about="learned, in half precision"),
    Planted("", curve(lambda r: r + r**2 / 1e6), HEADS, about="edge of a straight line"),
    Planted("", lambda n: -torch.log1p(back(n).abs() * SLOPES[:, None, None]), HEADS, about="a curve for each head"),
    Planted("", lambda n: curve(torch.sqrt, BF16)(n)[:1], about="a curve in half precision"),
    Planted("", from_the_end, HEADS, about="queries counted from the end"),
    Planted("", lambda n: learned(-back(n).long()) + 9.0 * (torch.arange(n) == 0), HEADS, about="a first token apart"),
    Planted("", **alibi_12(S12), about="12 heads in double"),
]

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
BUCKETS = [
    Planted("bucket-shared", both_as_one(16), TOLD, about="not-halved"),
    Planted("bucket-shared", both_as_one(0), PAST, about="absolute"),
    Planted("bucket-range", beyond, TOLD, about="no-min"),
    Planted("bucket-range", lambda relative: t5(relative) - 1, TOLD, about="from-minus-1"),
    Planted("bucket-falls", again, TOLD),
    Planted("bucket-sizes", lambda relative: t5(relative, reach=55), TOLD, about="reach-55"),
    Planted("bucket-sizes", lambda relative: t5(relative, reach=213), TOLD, about="reach-213"),
    Planted("bucket-edge", lambda relative: t5(relative).clamp(max=25) // 2 * 2, TOLD, about="told"),
]
RIGHT_BUCKETS = [
    Planted("", lambda relative: t5(relative), TOLD, about="told both"),
    Planted("", lambda relative: t5(relative, both=False), PAST, about="told the past"),
    Planted("", lambda relative: t5(relative, reach=213), TOLD | {"max_distance": 213}, about="reach told"),
]

# --- windows


def flipped(axis):
    def rows(h, w):
        grid = torch.arange((2 * h - 1) * (2 * w - 1)).view(2 * h - 1, 2 * w - 1)
        return grid.flip(axis).flatten()[window(h, w)]

    return rows


SWIN = {"order": "swin"}
WINDOWS = [
    Planted("window-flipped", flipped(0), SWIN, about="rows"),
    Planted("window-flipped", flipped(1), SWIN, about="columns"),
    Planted("window-range", lambda h, w: window(h, w) - (w - 1), SWIN, about="columns-below-0"),
    Planted("window-range", lambda h, w: window(h, w) - (h - 1) * (2 * w - 2), SWIN, about="shifted-late"),
]
RIGHT_WINDOWS = [
    Planted("", flipped(1), about="flipped, which nobody minds"),
    Planted("", lambda h, w: window(h, w) - (w - 1), about="below 0, which nobody minds"),
]
