"""Faults that were planted after the checker had been written, and after which it was not changed.

The name of each was chosen before the checker saw it, among the names that it knows. So these tell how often it names a
fault that nobody had in mind. Two were written down as not-a-rotation, and named so: cos-sin-amplitudes and
half-rotated are names that came later, with those in `classes`.
"""

from __future__ import annotations

import torch

from tests.corpus.checks.planted.pieces import (
    FREQS,
    D,
    angles,
    both,
    cat,
    half,
    neighbours,
    repeat,
    rope,
    turn,
    with_freqs,
)
from tests.corpus.checks.planted.settings import EXPECTED
from posenc_lib.pairs import geometric_freqs


def sine_by_repeat(x, positions):
    return (x * cat(angles(positions)).cos() + half(x) * repeat(angles(positions)).sin()).float()


def every_other_backwards(x, positions):
    return turn(x, angles(positions) * torch.tensor([1.0, -1.0]).repeat(D // 4))


def values_for_keys(q, k, v, positions):
    return rope(q, positions), k * 1, rope(v, positions)


def rest_first(x, positions):
    return torch.cat((x[..., 16:], turn(x[..., :16], angles(positions, geometric_freqs(16)))), -1)


def counted_from_the_end(x):
    return rope(x, torch.arange(x.shape[-2] - 1, -1, -1))


def offset_taken_off(x, offset=0):
    return rope(x, torch.arange(x.shape[-2]) - offset)


def factor_on_the_cosine(x, positions):
    return (1.2 * x * cat(angles(positions)).cos() + half(x) * cat(angles(positions)).sin()).float()


def factor_far_out(x, positions):
    return rope(x, positions) * torch.where(positions < 2_048, 1.0, 1.2)[..., None]


def one_pair_short(x, positions):  # the last pair keeps its place
    return torch.cat((rope(x, positions)[..., :-1], x[..., -1:]), -1)


def by_minutes(x, positions):
    return turn(x, angles(positions // 60 * 60))


def in_eight_bits(x, positions):
    return turn(x, angles(positions % 256))


class Counter:
    """Each call goes on where the last one ended."""

    def __init__(self):
        self.seen = 0

    def __call__(self, x):
        self.seen += x.shape[-2]
        return rope(x, torch.arange(self.seen - x.shape[-2], self.seen))
