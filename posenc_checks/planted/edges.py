"""Faults just beyond each number by which a rule decides, and what is just within it and right.

Each is a family with one number e: how far something is off.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from posenc_checks.planted.pieces import FREQS, D, Planted, angles, both, cat, half, partial, rope, turn, with_freqs
from posenc_checks.planted.scores import SLOPES, back
from posenc_checks.planted.settings import EXPECTED, PART
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


FAMILIES: list[tuple[str, Family, float, float, dict[str, Any]]] = [
    ("axes-swapped", heads_start_apart, 1e-3, 3e-4, {"axes": "bhnd"}),
    ("head-not-rotated", last_head_slow, 1e-5, 1e-4, {"axes": "bhnd"}),
    ("history", Remembers, 2e-3, 3e-4, {}),
    ("not-a-rotation", longer, 0.03, 0.01, {}),
    ("angles-wrong", far_off, 3e-3, 1.5e-3, {}),
    ("length-switch", switches, 1.5e-3, 5e-4, {}),
    ("tokens-mixed", leaks, 3e-6, 2e-7, {}),
    ("tensors-crossed", crossed, 1e-6, 1e-7, {}),
    ("not-a-rotation", sheared, 0.04, 1e-4, {}),
    ("negative-positions", below_0, 0.03, 0.01, {}),
    ("features-lost", rest, 2e-3, 5e-4, {}),
    ("features-lost", rest_moves, 2e-3, 5e-4, {}),
    ("values-rotated", values, 2e-4, 5e-5, {}),
    ("base", lambda e: with_freqs(geometric_freqs(D, 10_000 * (1 + e))), 5e-4, 2e-4, EXPECTED),
    ("frequencies-differ", keys(lambda k, m, e: turn(k, angles(m) * (1 + e))), 5e-4, 1e-4, {}),
    ("keys-shifted", keys(lambda k, m, e: turned_by(k, m, e)), 1.5e-3, 5e-4, {}),
    ("amplitudes-differ", keys(lambda k, m, e: rope(k, m) * (1 + e)), 3e-3, 1e-3, {}),
    ("amplitudes-differ", keys(lambda k, m, e: rope(k, m) * 64**-0.5 * (1 + e)), 2e-4, 5e-5, {}),
    ("amplitudes-differ", keys(lambda k, m, e: rope(k, m) * e**-0.5), 7, 8, {}),
    ("amplitudes-differ", keys(lambda k, m, e: rope(k, m) * e**-0.5), 513, 512, {}),
    ("factor", lambda e: lambda x, positions: 1.2 * (1 + e) * rope(x, positions), 3e-3, 1e-3, {"factor": 1.2}),
    ("not-still-at-0", lambda e: lambda x, m: turned_by(x, m, e), 2e-4, 5e-5, {"first": 0}),
    ("identity", lambda e: lambda x, m: turn(x, e * m[..., None] * torch.ones(D // 2)), 1e-7, 1e-6, {}),
]  # fmt: skip
"""The fault, what is off, by how much it is one, by how much it is none, and what is told."""

EDGES = [Planted(name, family(e), told, about=f"edge-{i}") for i, (name, family, e, _, told) in enumerate(FAMILIES)]
WITHIN = [Planted("", family(e), told, about=f"edge-{i}") for i, (_, family, _, e, told) in enumerate(FAMILIES)]

NAMES = [
    Planted("angles-wrong", sheared(0.01), about="sheared"),
    Planted("exponent-doubled", divided_by(0.5, 0.008), EXPECTED, about="near"),
    Planted("base", divided_by(0.5, 0.012), EXPECTED, about="half"),
    Planted("exponent-d-model", divided_by(4, 0.003), EXPECTED, about="near"),
    Planted("base", divided_by(4, 0.008), EXPECTED, about="four"),
    Planted("factor-missing", lambda x, positions: 1.001 * rope(x, positions), {"factor": 1.2}, about="near"),
    Planted("factor", lambda x, positions: 1.003 * rope(x, positions), {"factor": 1.2}, about="near-1"),
    Planted("factor-squared", lambda x, m: 1.441 * rope(x, m), {"factor": 1.2}, about="near"),
    Planted("factor", lambda x, m: 1.445 * rope(x, m), {"factor": 1.2}, about="near-2"),
    Planted("cos-sin-swapped", lambda x, m: turned_by(x, m, torch.pi / 2 + 5e-4), {"first": 0},
            about="near"),
    Planted("not-still-at-0", lambda x, m: turned_by(x, m, torch.pi / 2 + 2e-3), {"first": 0},
            about="quarter"),
    Planted("exponent-whole-head", lambda x, m: partial(x, m, freqs=FREQS[:8] ** 1.003), PART,
            about="near"),
    Planted("base", lambda x, m: partial(x, m, freqs=FREQS[:8] ** 1.01), PART, about="whole"),
]  # fmt: skip
"""Faults on both sides of what tells two names apart."""


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


BIASES = [
    Planted("alibi-slopes", slopes_off(2e-4), {"heads": 8}, about="edge"),
    Planted("bias-not-relative", bent(3e-4), {"heads": 8}, about="edge"),
]
RIGHT_BIASES = [
    Planted("", slopes_off(5e-5), {"heads": 8}, about="edge of slopes"),
    Planted("", bent(3e-5), {"heads": 8}, about="edge of distances"),
]
