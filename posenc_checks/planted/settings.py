"""Rotations that are another convention, or have other settings, than the reader says."""

from __future__ import annotations

import torch

from posenc_checks.planted.pieces import (
    FREQS,
    D,
    Planted,
    angles,
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

EXPECTED = {"base": 10_000.0, "layout": "half", "sense": "counterclockwise", "first": 0, "d": D}
PART = {"base": 10_000.0, "layout": "half", "d_rotated": 16, "first": 0, "d": D}
YARN = extension.yarn(FREQS, 8.0, 4_096)


def rows_from_1(x, positions):  # as for an image, whose rows are counted from 1 and columns from 0
    return turn(x, angles(positions) + FREQS * (torch.arange(D // 2) >= 20))


def rows_from_1_for_all(x, positions):
    return turn(x, angles(positions) + FREQS * torch.where(torch.arange(D // 2) >= 20, 2, 1))


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


SETTINGS = [
    Planted("layout", lambda x, positions: turn(x, angles(positions), neighbours, repeat), EXPECTED),
    Planted("layout", rope, EXPECTED | {"layout": "interleaved"}, about="half"),
    Planted("sense", lambda x, positions: rope(x, -positions), EXPECTED),
    Planted("positions-from-1", lambda x, positions: rope(x, positions + 1), EXPECTED),
    Planted("positions-from-1", lambda x: rope(x, torch.arange(1, x.shape[-2] + 1)), EXPECTED, about="counted"),
    Planted("not-still-at-0", rows_from_1, {"first": 0}, about="rows"),
    Planted("not-still-at-0", rows_from_1_for_all, {"first": 0}, about="rows-and-columns"),
    Planted("cos-sin-swapped", swapped, {"first": 0}),
    Planted("mirrored", mirrored, {"first": 0}),
    Planted("base", with_freqs(geometric_freqs(D, 500_000.0)), EXPECTED),
    Planted("exponent-d-model", with_freqs(10_000 ** (-torch.arange(0, D, 2) / 512)), EXPECTED),
    Planted("exponent-d-model", with_freqs(10_000 ** (-torch.arange(D // 2) / D)), EXPECTED, about="i/d"),
    Planted("exponent-doubled", with_freqs(10_000 ** (-2.0 * torch.arange(0, D, 2) / D)), EXPECTED),
    Planted("reversed", with_freqs(FREQS.flip(0)), EXPECTED),
    Planted("exponent-from-1", with_freqs(10_000 ** (-torch.arange(1, D // 2 + 1) / (D // 2))), EXPECTED),
    Planted("frequencies-equal", with_freqs(10_000.0 ** -(torch.arange(0, D, 2) // D).double()), EXPECTED),
    Planted("rotated-twice", lambda x, positions: rope(rope(x, positions), positions), EXPECTED),
    Planted("angles-unit", lambda x, positions: turn(x, angles(positions).rad2deg()), EXPECTED),
    Planted("scaled-linear", with_freqs(FREQS / 4), EXPECTED),
    Planted("scaled-ntk", with_freqs(extension.ntk(FREQS, 4.0)), EXPECTED),
    Planted("scaled-yarn", with_freqs(YARN), EXPECTED),
    Planted("scaled-llama3", with_freqs(extension.llama3(FREQS, 8.0, 8_192)), EXPECTED),
    Planted("scaled-per-pair", with_freqs(FREQS / torch.linspace(1, 3, D // 2).square()), EXPECTED),
    Planted("scaling-missing", rope, EXPECTED | {"freqs": YARN}),
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
