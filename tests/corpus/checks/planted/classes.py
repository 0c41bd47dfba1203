"""Classes of faults that strangers' code showed to be missing, in code of our own, and the right code beside each."""

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
    partial,
    repeat,
    rope,
    turn,
    with_freqs,
)
from tests.corpus.checks.planted.ramps import LLAMA, OWN, YARN, S, expecting, llama3, yarn
from tests.corpus.checks.planted.settings import EXPECTED
from posenc_lib import extension
from posenc_lib.pairs import geometric_freqs

FIRST = {"first": 0, "d": D}


# --- blocks that are no rotation


def ellipse(times, freqs=FREQS):
    """Sines that are so many times as large, and may have frequencies of their own."""
    return lambda x, m: (x * cat(angles(m)).cos() + times * half(x) * cat(angles(m, freqs)).sin()).float()


def chained(x, positions):  # the partners of neighbours, put together as halves
    partner = torch.cat((-x[..., 1::2], x[..., 0::2]), -1)
    return (x * repeat(angles(positions)).cos() + partner * repeat(angles(positions)).sin()).float()


def in_halves(write):
    """Both results of a pair, written out by `write`."""

    def rotated(x, positions):
        a, b = x.chunk(2, -1)
        return torch.cat(write(a, b, angles(positions).cos(), angles(positions).sin()), -1).to(x.dtype)

    return rotated


def overwritten(a, b, c, s):
    a = a * c - b * s
    return a, a * s + b * c


def in_order(a, b, c, s):
    return a * c - b * s, a * s + b * c


# --- the order of what comes out


def sorted_out(x, positions):  # pairs of neighbours, written as halves
    out = turn(x, angles(positions), neighbours, repeat)
    return torch.cat((out[..., 0::2], out[..., 1::2]), -1)


def unsorted(x, positions):
    return turn(x, angles(positions), neighbours, repeat)


def rest_first(x, positions):
    return torch.cat((x[..., 16:], partial(x, positions)[..., :16]), -1)


# --- positions


def rolled(step):
    return lambda k, positions: turn(k, angles(positions).roll(step, -2))


def one_row(k, positions):
    return turn(k, angles(positions)[..., :1, :])


def either(x, start_index=0, positions=None):
    """Where positions are given, the start need not count, as in Keras."""
    places = torch.arange(x.shape[-2]) + start_index if positions is None else positions
    return rope(x, places)


def either_ignored(x, start_index=0, positions=None):
    return rope(x, torch.arange(x.shape[-2]) if positions is None else positions)


def counts(axis):
    """Positions may be given in a shape of their own, which is no usual one; else the places along an axis count."""

    def rotated(x, positions=None):
        steps = torch.arange(x.shape[axis]) if positions is None else positions.text
        return turn(x, angles(steps).unsqueeze(-2 if axis == 1 else 0))

    return rotated


def rest_zero(x, offset=0):
    return torch.cat((partial(x, torch.arange(x.shape[-2]) + offset)[..., :16], 0 * x[..., 16:]), -1)


# --- frequencies

LAST = 10_000 ** (-torch.arange(D // 2) / (D // 2 - 1))
ZEROS = torch.cat((FREQS[:8], torch.zeros(24)))
BOTH_ENDS = torch.linspace(1, 3, D // 2).square()
WAVES = FREQS * (1 + torch.arange(D // 2).sin() / 4)
