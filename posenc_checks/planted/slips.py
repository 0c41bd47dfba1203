"""One name where another should stand: q, k, v, cos, sin and their positions; and beside them what is right."""

from __future__ import annotations

import torch

from posenc_checks.planted.pieces import BF16, Planted, angles, both, cat, half, neighbours, partial, repeat, rope, turn


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
SLIPS = [
    Planted("tensors-crossed", slip(right_q, lambda q, k, c, s: k * c + half(q) * s), about="partner"),
    Planted("tensors-crossed", slip(lambda q, k, c, s: q * c + half(k) * s, right_k), about="partner-of-q"),
    Planted("tensors-crossed", slip(right_q, lambda q, k, c, s: q * c + half(k) * s), about="cosine"),
    Planted("tensors-crossed", slip(right_q, right_q), about="q-twice"),
    Planted("tensors-crossed", slip(right_k, right_k), about="k-twice"),
    Planted("tensors-crossed", slip(right_k, right_q), about="exchanged"),
    Planted("tensors-crossed", lambda q, k, v, positions: (rope(q, positions), rope(k, positions), q), about="v"),
    Planted("tensors-crossed", lambda q, k, v, positions: (rope(q, positions), rope(v, positions), v), about="v-for-k"),
    Planted("tensors-crossed", lambda q, k, cos, sin: (q * cos + half(q) * sin, k * cos + half(q) * sin), about="fed"),
    Planted("cos-sin-swapped", slip(right_q, lambda q, k, c, s: k * s + half(k) * c), about="keys"),
    Planted("cos-sin-swapped", slip(lambda q, k, c, s: q * s + half(q) * c, right_k), about="queries"),
    Planted("not-a-rotation", slip(right_q, lambda q, k, c, s: k * c + half(k) * c), about="keys-no-sine"),
    Planted("not-a-rotation", slip(right_q, lambda q, k, c, s: k * s + half(k) * s), about="keys-no-cosine"),
    Planted("not-a-rotation", slip(lambda q, k, c, s: q * c + q * s, right_k), about="no-partner"),
    Planted("positions-crossed", lambda q, k, q_positions, k_positions: cached(q, k, q_positions, q_positions)),
    Planted("positions-crossed", lambda q, k, q_pos, k_pos: cached(q, k, k_pos, q_pos), about="exchanged"),
    Planted("positions-unused", both(rope, counted), about="keys"),
    Planted("positions-unused", both(counted, rope), about="queries"),
    Planted("positions-first-only", both(rope, counted_on), about="keys"),
    Planted(
        "positions-of-first-sample",
        both(rope, lambda k, p: turn(k, angles(p[:1] if p.ndim == 2 else p))),
        {"call": "q k positions"},
        about="keys",
    ),
    Planted("offset-ignored", no_offset, about="keys"),
    Planted("positions-half", both(rope, lambda k, positions: rope(k, positions.to(BF16))), about="keys"),
    Planted("angles-half", both(rope, lambda k, positions: turn(k, angles(positions).half().double())), about="keys"),
    Planted("cos-sin-half", slip(right_q, lambda q, k, c, s: right_k(q, k, c.to(BF16), s.to(BF16))), about="keys"),
    Planted("amplitudes-differ", both(lambda q, p: rope(q, p) * 0.9, rope), about="0.9"),
    Planted("amplitudes-differ", both(lambda q, p: rope(q, p) * 6**-0.5, rope), about="root-of-6"),
    Planted("amplitudes-differ", both(lambda q, p: rope(q, p) / 64, lambda k, p: rope(k, p) / 11), about="no-root"),
    Planted(
        "factor-missing", both(lambda q, p: rope(q, p) * 64**-0.5, rope), {"factor": 1.2}, about="beside-the-scale"
    ),
    Planted("senses-differ", grouped(4, lambda k, positions: rope(k, -positions)), GROUPS, about="groups"),
    Planted("tokens-mixed", tiled, GROUPS, about="groups"),
]

RIGHT = [
    Planted("", both(lambda q, p: rope(q, p) * 64**-0.5, rope), about="scale in q"),
    Planted("", both(rope, lambda k, p: rope(k, p) * 64**-0.5), about="scale in k"),
    Planted("", both(lambda q, p: rope(q, p) * 64**-0.5 * 1.4426950408889634, rope), about="scale for powers of 2"),
    Planted("", both(lambda q, p: rope(q * 192**-0.5, p), rope), about="scale of a larger head"),
    Planted("", both(lambda q, p: partial(q, p) * 8**-0.5, partial), {"d": 64}, about="scale with a part"),
    Planted(
        "",
        both(lambda q, p: 1.2 * rope(q, p) * 64**-0.5, lambda k, p: 1.2 * rope(k, p)),
        {"factor": 1.2},
        about="scale and factor",
    ),
    Planted("", slip(right_q, right_k), about="written out"),
    Planted("", lambda k, q, positions: (rope(k, positions), rope(q, positions)), about="keys first"),
    Planted("", lambda k, q, positions: (rope(q, positions), rope(k, positions)), about="keys first, queries back"),
    Planted("", lambda q, k, v, positions: (rope(q, positions), rope(k, positions), v), about="values pass"),
    Planted("", lambda q, k, v, positions: (rope(q, positions), rope(k, positions)), about="values stay inside"),
    Planted("", cached, about="positions of their own"),
    Planted(
        "",
        both(*[lambda x, p: turn(x, angles(p), neighbours, repeat)] * 2),
        about="neighbours",
    ),
    Planted(
        "",
        lambda q, k, offset=0: tuple(rope(x, torch.arange(x.shape[-2]) + offset) for x in (q, k)),
        about="offset",
    ),
    Planted("", grouped(), GROUPS, about="keys repeated"),
    Planted("", lambda q, k, positions: (rope(q, positions), rope(k, positions)), GROUPS, about="keys as they are"),
    Planted("", grouped(1), about="a key for each query"),
]
"""What no check may accuse, and in which it finds nothing."""
