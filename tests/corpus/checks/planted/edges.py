"""Faults just beyond each number by which a rule decides, and what is just within it and right.

Each is a family with one number e: how far something is off.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from tests.corpus.checks.planted.pieces import FREQS, D, angles, both, cat, half, partial, rope, turn, with_freqs
from tests.corpus.checks.planted.scores import SLOPES, back
from tests.corpus.checks.planted.settings import EXPECTED, PART
from posenc_lib.pairs import geometric_freqs
from posenc_lib.relative import t5_bucket

Family = Callable[[float], Callable[..., Any]]


def keys(turned):
    return lambda e: both(rope, lambda k, m: turned(k, m, e))


def turned_by(x, positions, more):
    return turn(x, angles(positions) + more)


def heads_start_apart(e):
    return lambda x, m: turned_by(x, m, e * torch.arange(x.shape[1])[:, None, None])


def last_head_slow(e):
    return lambda x, m: (
        torch.cat((rope(x[:, :-1], m), turn(x[:, -1:], e * angles(m))), 1) if len(x[0]) > 1 else rope(x, m)
    )


class Remembers:
    """Turns further once a call has been long."""

    def __init__(self, e):
        self.e, self.longest = e, 0

    def __call__(self, x, positions):
        self.longest = max(self.longest, int(positions.max()))
        return turned_by(x, positions, self.e * (self.longest > 4_000))


def longer(e):
    return lambda x, m: rope(x, m) * (1 + e * m / 4_099).float()[..., None]


def far_off(e):
    return lambda x, m: turned_by(x, m, e * (m > 2_000)[..., None])


def switches(e):
    return lambda x, m: turned_by(x, m, e * ((m == 1) & (m.max() > 2_000))[..., None])


def leaks(e):
    return lambda x, m: rope(x, m) + e * x.roll(1, -2)


def crossed(e):
    return lambda q, k, positions: (rope(q, positions), rope(k, positions) + e * q)


def sheared(e):
    return lambda x, m: (
        x * cat(angles(m)).cos()
        + half(x) * cat(angles(m)).sin() * torch.ones(D).index_fill(0, torch.arange(D // 2), 1 + e)
    ).float()


def below_0(e):
    return lambda x, m: turned_by(x, m, e * (m < 0)[..., None])


def rest(e):
    return lambda x, positions: torch.cat((partial(x, positions)[..., :16], (1 + e) * x[..., 16:]), -1)


def rest_moves(e):  # from position 5 on
    return lambda x, m: torch.cat((partial(x, m)[..., :16], (1 + e * (m > 4).float())[..., None] * x[..., 16:]), -1)


def values(e):
    return lambda q, k, v, positions: (rope(q, positions), rope(k, positions), (1 + e) * v)


def divided_by(times, e, d=D):
    return with_freqs(10_000 ** (-torch.arange(0, d, 2) / (d * times * (1 + e))))


def slopes_off(e):
    return lambda n: -(SLOPES * torch.ones(8).index_fill(0, torch.tensor(3), 1 + e))[:, None, None] * back(n)


def bent(e):
    """The first query favours a distance, by a part of the largest number."""
    return lambda n: (
        -SLOPES[:, None, None] * back(n) - e * SLOPES[:, None, None] * 23 * (back(n) == torch.arange(n) % 5)
    )


def buckets_off(count):
    """So many distances have a bucket of the other direction."""
    return lambda distances: t5_bucket(distances.where((distances <= 0) | (distances > count), -distances))
