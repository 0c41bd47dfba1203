"""The traps for which no code that could have the fault is run: their numbers by another road than the cell's."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.practice.traps.page import given, traps

FREQS = 10_000.0 ** -(np.arange(0, 128, 2) / 128)


def says(name: str, *values: float) -> None:
    """The cell of this entry prints these numbers, each to the digits that it shows."""
    printed = [text.replace(",", "") for text in traps()[name].printed]
    units = [10.0 ** -len(text.partition(".")[2]) for text in printed]
    assert len(printed) == len(values), printed
    for text, unit, value in zip(printed, units, values, strict=True):
        assert float(text) == pytest.approx(value, rel=0, abs=0.500001 * unit), name


def off_when_turned(x: np.ndarray, angles: np.ndarray) -> float:
    """How far vectors move when their pairs of neighbours are rotated, as a fraction of their length."""
    squares = x[..., 0::2] ** 2 + x[..., 1::2] ** 2
    return math.sqrt((squares * (2 - 2 * np.cos(angles))).sum() / squares.sum())


def test_heads_axis():
    """Rotated along the heads, all places of a word look alike."""
    words = given()["words"][:4]
    says("heads-axis", 0, off_when_turned(words, 5 * 10_000.0 ** -(np.arange(0, 64, 2) / 64)))


def test_constant_window():
    says("constant-window", off_when_turned(given()["k"][0], 3 * FREQS))


def test_rnn_padding():
    states = [0.0]
    for _ in range(7):
        states.append(math.tanh(0.9 * states[-1] + 0.5))
    says("rnn-padding", (states[5] - states[2]) / states[2])


def test_shift_factor():
    says("shift-factor", 1 + math.log(4) / 10, (1 + math.log(4) / 10) ** 5)


def test_clock():
    """Numbers of 8 significant bits, ties to even."""
    mantissas, exponents = np.frexp(1 / np.arange(1.0, 1_001))
    says("clock", len({*np.ldexp(np.round(mantissas * 256) / 256, exponents)}))


def test_tf32():
    """To the left of the last of 11 bits."""
    says("tf32", 2_049 >> 1 << 1, 4_097 >> 2 << 2)


def test_blind_slopes():
    """Up to half of the smallest number, which is rounded up to it; the nearest key has less than all."""
    nearest = math.log(1 - math.exp(-1 / 2))
    says("blind-slopes", *(int(2 * ((bits + 1) * math.log(2) + nearest)) + 1 for bits in (149, 24)))


def test_whole_width():
    says("whole-width", 1.0, 10_000.0 ** -(2 * 12 * 32 / 1_024))


def test_ranks():
    """Two shards of four: tokens of one shard agree about their distance, tokens of two do not."""
    pairs = [(m, n) for m in range(8) for n in range(m + 1)]
    errors = [(m - n) - (m % 4 - n % 4) for m, n in pairs]
    says("ranks", max(errors), sum(e != 0 for e in errors), len(pairs))


def test_short_prompt():
    says("short-prompt", len(FREQS), sum(10 * FREQS < 0.01))
