"""One name where another should stand: q, k, v, cos, sin and their positions; and beside them what is right."""

from __future__ import annotations

import torch

from tests.corpus.checks.planted.pieces import BF16, angles, both, cat, half, neighbours, partial, repeat, rope, turn


def tables(positions):
    return cat(angles(positions)).cos(), cat(angles(positions)).sin()


def slip(first, second):
    """Both lines of a rotation, written out by `first` and `second` from q, k, c, s."""

    def written(q, k, positions):
        return tuple(line(q, k, *tables(positions)).float() for line in (first, second))

    return written


def right_q(q, k, c, s):
    return q * c + half(q) * s


def right_k(q, k, c, s):
    return k * c + half(k) * s


def cached(q, k, q_positions, k_positions):
    return rope(q, q_positions), rope(k, k_positions)


def counted(x, positions):
    return turn(x, angles(torch.arange(x.shape[-2])))


def counted_on(x, positions):
    return turn(x, angles(positions.flatten()[0] + torch.arange(x.shape[-2])))


def no_offset(q, k, offset=0):
    places = torch.arange(q.shape[-2])
    return rope(q, places + offset), rope(k, places)


def grouped(times=4, k_turn=rope):
    """Keys are repeated for their queries."""

    def inside(q, k, positions):
        b, h, n, d = k.shape
        q = rope(q.view(b, h, times, n, d).flatten(1, 2), positions)
        return q, k_turn(k, positions).repeat_interleave(times, 1)

    return inside


def tiled(q, k, positions):  # repeat where repeat_interleave should stand
    return rope(q.view(len(q), k.shape[1], 4, *q.shape[2:]).flatten(1, 2), positions), rope(k, positions).repeat(
        1, 4, 1, 1
    )


GROUPS = {"groups": 4, "d": 64}
