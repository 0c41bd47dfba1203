"""Rotations that are another convention, or have other settings, than the reader says."""

from __future__ import annotations

import torch

from tests.corpus.checks.planted.pieces import (
    FREQS,
    D,
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
