"""Planted faults: a right implementation in a few lines, and what people get wrong in it, one line at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from posenc_lib import extension
from posenc_lib.checks import check_bias, check_bucket, check_rotary, check_table, check_window
from posenc_lib.pairs import geometric_freqs
from posenc_lib.relative import alibi_slopes, t5_bucket

D = 64
FREQS = geometric_freqs(D)
BF16 = torch.bfloat16


@dataclass(frozen=True)
class Planted:
    """A faulty function, what the reader tells of it, and the name that its fault must get."""

    fault: str
    function: Any
    told: dict[str, Any] = field(default_factory=dict)
    about: str = ""

    @property
    def id(self) -> str:
        return f"{self.fault}-{self.about}" if self.about else self.fault


# --- the right pieces


def half(x: Tensor) -> Tensor:
    a, b = x.chunk(2, -1)
    return torch.cat((-b, a), -1)


def neighbours(x: Tensor) -> Tensor:
    return torch.stack((-x[..., 1::2], x[..., 0::2]), -1).flatten(-2)


def cat(angles: Tensor) -> Tensor:
    return torch.cat((angles, angles), -1)


def repeat(angles: Tensor) -> Tensor:
    return angles.repeat_interleave(2, -1)


def turn(x: Tensor, angles: Tensor, partner: Callable = half, double: Callable = cat) -> Tensor:
    """The right rotation, with one line a fault can change."""
    angles = double(angles)
    return (x * angles.cos() + partner(x) * angles.sin()).to(x.dtype)


def angles(positions: Tensor, freqs: Tensor = FREQS) -> Tensor:
    out = positions.double()[..., None] * freqs
    return out if out.ndim == 2 else out[:, None]


def rope(x, positions):
    return turn(x, angles(positions))


def with_freqs(freqs: Tensor) -> Callable:
    return lambda x, positions: turn(x, angles(positions, freqs))


def both(q_turn: Callable, k_turn: Callable) -> Callable:
    return lambda q, k, positions: (q_turn(q, positions), k_turn(k, positions))


def partial(x, positions, r=16, freqs=None):
    freqs = geometric_freqs(r) if freqs is None else freqs
    return torch.cat((turn(x[..., :r], angles(positions, freqs)), x[..., r:]), -1)


# --- rotations that are wrong under every convention


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
    Planted("frequencies-differ", both(rope, with_freqs(FREQS / 2))),
    Planted("amplitudes-differ", both(lambda q, positions: 1.2 * rope(q, positions), rope)),
    Planted("mixed-layout", lambda x, positions: turn(x, angles(positions), half, repeat), about="repeat_interleave"),
    Planted("mixed-layout", lambda x, positions: turn(x, angles(positions), neighbours, cat), about="repeat"),
    Planted("not-a-rotation", sign_lost),
    Planted("not-a-rotation", grows, about="grows"),
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

# --- rotations that are another convention, unless the reader says which one is expected

EXPECTED = {"base": 10_000.0, "layout": "half", "sense": "counterclockwise", "first": 0, "d": D}
PART = {"base": 10_000.0, "layout": "half", "d_rotated": 16, "first": 0, "d": D}
YARN, OTHER = (extension.yarn(FREQS, s, 4_096) for s in (8.0, 4.0))


def swapped(x, positions):
    c, s = cat(angles(positions).sin()), cat(angles(positions).cos())
    return (x * c + half(x) * s).float()


def mirrored(x, positions):
    a, b = x.chunk(2, -1)
    return rope(torch.cat((a, -b), -1), positions)


def end_part(x, positions):
    return torch.cat((x[..., :48], turn(x[..., 48:], angles(positions, geometric_freqs(16)))), -1)


def by_heads(x):  # [b, h, n, d], rotated by the number of the head
    return turn(x, angles(torch.arange(x.shape[1]))[:, None])


def spread(x, positions):
    freqs = torch.cat((geometric_freqs(16), torch.zeros(24)))
    return turn(x, angles(positions, freqs))


TOLD = [
    Planted("layout", lambda x, positions: turn(x, angles(positions), neighbours, repeat), EXPECTED),
    Planted("layout", rope, EXPECTED | {"layout": "interleaved"}, about="half"),
    Planted("sense", lambda x, positions: rope(x, -positions), EXPECTED),
    Planted("positions-from-1", lambda x, positions: rope(x, positions + 1), EXPECTED),
    Planted("positions-from-1", lambda x: rope(x, torch.arange(1, x.shape[-2] + 1)), EXPECTED, about="counted"),
    Planted("cos-sin-swapped", swapped, {"first": 0}),
    Planted("mirrored", mirrored, {"first": 0}),
    Planted("base", with_freqs(geometric_freqs(D, 500_000.0)), EXPECTED),
    Planted("exponent-d-model", with_freqs(10_000 ** (-torch.arange(0, D, 2) / 512)), EXPECTED),
    Planted("exponent-d-model", with_freqs(10_000 ** (-torch.arange(D // 2) / D)), EXPECTED, about="i/d"),
    Planted("exponent-doubled", with_freqs(10_000 ** (-2.0 * torch.arange(0, D, 2) / D)), EXPECTED),
    Planted("reversed", with_freqs(FREQS.flip(0)), EXPECTED),
    Planted("scaled-linear", with_freqs(FREQS / 4), EXPECTED),
    Planted("scaled-ntk", with_freqs(extension.ntk(FREQS, 4.0)), EXPECTED),
    Planted("scaled-yarn", with_freqs(YARN), EXPECTED),
    Planted("scaled-llama3", with_freqs(extension.llama3(FREQS, 8.0, 8_192)), EXPECTED),
    Planted("scaled-per-pair", with_freqs(FREQS / torch.linspace(1, 3, D // 2).square()), EXPECTED),
    Planted("scaling-missing", rope, EXPECTED | {"freqs": YARN}),
    Planted("scaling-missing", with_freqs(OTHER), EXPECTED | {"freqs": YARN}, about="factor"),
    Planted("exponent-whole-head", lambda x, p: partial(x, p, freqs=FREQS[:8]), PART | {"call": "x positions"}),
    Planted("exponent-part", lambda x, positions: partial(x, positions), PART | {"freqs": FREQS[:8]}),
    Planted("partial-count", lambda x, positions: partial(x, positions, 32), PART),
    Planted("partial-end", end_part, PART),
    Planted("partial-spread", spread, PART),
    Planted("factor-missing", rope, {"factor": 1.2}),
    Planted("factor-squared", lambda x, positions: 1.44 * rope(x, positions), {"factor": 1.2}),
    Planted("factor", lambda x, positions: 1.3 * rope(x, positions), {"factor": 1.2}),
    Planted("axes-swapped", by_heads, {"axes": "bhnd", "d": D}),
]  # fmt: skip

ROTARY = WRONG + TOLD


# --- biases

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


WINDOWS = [
    Planted("window-columns", lambda h, w: window(h, w, columns=True)),
    Planted("window-stride", lambda h, w: window(h, w, stride=2 * h - 1)),
    Planted("window-transposed", lambda h, w: window(h, w, swap=True), {"table": "swin"}),
    Planted("window-order", lambda h, w: window(h, w, order=True), {"table": "swin"}),
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

CHECKED = {check_rotary: ROTARY, check_bias: BIASES, check_bucket: BUCKETS, check_window: WINDOWS, check_table: TABLES}
"""The check, and the faults that it has to name."""
