"""Classes of faults that strangers' code showed to be missing, in code of our own, and the right code beside each."""

from __future__ import annotations

import torch

from posenc_checks.planted.pieces import (
    FREQS,
    D,
    Planted,
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
from posenc_checks.planted.ramps import LLAMA, OWN, YARN, S, expecting, llama3, yarn
from posenc_checks.planted.settings import EXPECTED
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

FAULTY = [
    Planted("cos-sin-amplitudes", ellipse(0.5), about="sine-halved"),
    Planted("cos-sin-amplitudes", both(ellipse(1 / 1.2), rope), about="queries"),
    Planted("cos-sin-amplitudes", ellipse(1.03), about="edge"),
    Planted("cos-sin-frequencies", ellipse(1, FREQS * 10_000 ** (-1 / D)), about="own-exponent"),
    Planted("cos-sin-frequencies", ellipse(1, FREQS.flip(0)), about="reversed"),
    Planted("partners-differ", chained, about="cat"),
    Planted("partners-differ", both(rope, chained), about="keys"),
    Planted("half-rotated", in_halves(lambda a, b, c, s: (a * c - b * s, b)), about="first"),
    Planted("half-rotated", in_halves(lambda a, b, c, s: (a, a * s + b * c)), about="second"),
    Planted("overwritten", in_halves(overwritten)),
    Planted("starts-differ", both(unsorted, sorted_out), about="stack"),
    Planted("starts-differ", both(rest_first, partial), about="cat"),
    Planted("keys-shifted", both(rope, lambda k, m: rope(k, m - 4)), about="back"),
    Planted("pairs-exchanged", in_halves(lambda *each: in_order(*each)[::-1]), FIRST),
    Planted("rows-shifted", both(rope, rolled(1)), about="keys"),
    Planted("rows-shifted", lambda x, positions: rolled(-1)(x, positions), about="all"),
    Planted("positions-first-only", both(rope, one_row), about="one-row"),
    Planted("offset-ignored", either_ignored, about="beside-positions"),
    Planted("features-lost", rest_zero, about="counted"),
    Planted("axes-swapped", counts(1), {"axes": "bhnd"}, about="positions-left-out"),
    Planted("table-ends", lambda x, m: rope(x, m % 64), EXPECTED, about="modulo-64"),
    Planted("table-ends", lambda x, m: rope(x, m % 128), EXPECTED, about="modulo-128"),
    Planted("table-ends", lambda x, m: rope(x, m.clamp(max=99)), EXPECTED, about="clamp-99"),
    Planted("rotated-twice", both(lambda q, m: rope(rope(q, m), m), rope), about="queries"),
    Planted("frequencies-differ", both(lambda q, m: turn(q, angles(m) * 2.01), rope), about="near-twice"),
    Planted("not-inverted", with_freqs(1 / FREQS), EXPECTED),
    Planted("not-inverted", lambda x, m: turn(x, (m.float()[..., None] * (1 / FREQS).float())), EXPECTED,
            about="single"),
    Planted("exponent-last", with_freqs(LAST), EXPECTED),
    Planted("exponent-last", with_freqs(LAST**1.0005), EXPECTED, about="near"),
    Planted("base", with_freqs(LAST**1.002), EXPECTED, about="last"),
    Planted("exponent-from-minus-1", with_freqs(FREQS * 10_000 ** (2 / D)), EXPECTED),
    Planted("exponent-from-minus-1", with_freqs(geometric_freqs(8) * 10), EXPECTED | {"d": 8},
            about="beyond-half-a-turn"),
    Planted("scaling-inverse", with_freqs(FREQS * 10_000 ** (2.1 / D)), EXPECTED, about="near"),
    Planted("pairs-still", with_freqs(torch.cat((FREQS[:-1], torch.zeros(1)))), {"base": 10_000.0, "d": D},
            about="last"),
    Planted("pairs-still", with_freqs(ZEROS), {"base": 10_000.0, "d": D}, about="three-quarters"),
    Planted("frequencies-equal", with_freqs(10_000.0 ** (-2 * torch.arange(D // 2) // D).double()), EXPECTED,
            about="two"),
    Planted("partial-end", with_freqs(torch.cat((torch.zeros(24), FREQS[:8]))), expecting(ZEROS, d=D), about="zeros"),
    Planted("partial-spread", with_freqs(ZEROS.roll(4)), expecting(ZEROS, d=D), about="zeros"),
    Planted("scaling-other", with_freqs(llama3(geometric_freqs(D, 500_000.0))), LLAMA, about="base-before"),
    Planted("scaling-other", with_freqs(FREQS / torch.linspace(1, 4, D // 2).square()), OWN, about="own"),
    Planted("scaling-inverse", with_freqs(FREQS * BOTH_ENDS), OWN, about="own"),
    Planted("scaling-upside-down", with_freqs(FREQS / BOTH_ENDS.flip(0)), OWN, about="own"),
    Planted("scaling-ramp", with_freqs(yarn(ends=(0, 20))), YARN, about="begins"),
    Planted("scaling-ramp", with_freqs(yarn(clamped=False)), YARN | {"sense": None}, about="not-clamped"),
    Planted("scaling-ramp", with_freqs(llama3(high=8.0)), LLAMA, about="turns"),
    Planted("scaling-unknown", with_freqs(WAVES), OWN, about="waves"),
]  # fmt: skip

RIGHT = [
    Planted("", ellipse(1.0001), about="cosine and sine as large, nearly"),
    Planted("", both(sorted_out, sorted_out), about="queries and keys sorted alike"),
    Planted("", both(rest_first, rest_first), about="the rest first, of both"),
    Planted("", in_halves(in_order), about="results of a pair, in order"),
    Planted("", in_halves(lambda *each: in_order(*each)[::-1]), about="pairs exchanged, which nobody minds"),
    Planted("", either, about="a start or positions"),
    Planted("", counts(-2), {"axes": "bhnd"}, about="positions left out"),
    Planted("", lambda x, positions=None, offset=0: either(x, offset, positions), about="positions or an offset"),
    Planted("", lambda q, k, positions: (rope(q, positions), rope(k, positions)), EXPECTED,
            about="the rows themselves"),
    Planted("", with_freqs(LAST), expecting(LAST), about="tensor2tensor's frequencies, told"),
    Planted("", with_freqs(ZEROS), expecting(ZEROS, d=D), about="p-RoPE, told"),
    Planted("", partial, {"base": 10_000.0, "d_rotated": 16, "d": D}, about="a part, told"),
    Planted("", with_freqs(extension.yarn(FREQS, S, 4_096)), YARN, about="the ramp itself"),
]  # fmt: skip
"""Each stands beside a fault: the same line, and right."""
