"""The tests pass, and it is wrong: each number of the page by another way."""

from __future__ import annotations

import numpy as np

from tests.practice.traps.page import freqs, given, off, says, turned

Q, K, WORDS = given()["q"][0], given()["k"][0], given()["words"]


def test_distance_zero():
    def score(back):
        return float(turned(Q, back) @ K)

    says("distance-zero", 0, abs(score(2) - score(3)), 0, 0)


def test_position_zero():
    says("position-zero", off(turned(K, 0, layout="half"), turned(K, 0, freqs(128, 500_000.0))))


def test_both_sides():
    x = np.concatenate((WORDS, WORDS), axis=-1)
    kernel = turned(x, range(6), freqs(128, 10.0))
    says("both-sides", 0, off(kernel, turned(x, range(6))))


def test_innocent():
    order = [*range(0, 128, 2), *range(1, 128, 2)]
    halves = turned(Q[order], 9, layout="half") @ turned(K[order], 4, layout="half")
    neighbours = turned(Q, 9) @ turned(K, 4)
    says("innocent", off(turned(Q, 9, layout="half"), turned(Q, 9)), abs(halves / neighbours - 1))


def test_short_prompt():
    angles = [10 * 10_000 ** (-i / 64) for i in range(64)]
    says("short-prompt", len(angles), sum(angle < 0.01 for angle in angles))


def test_better_stride():
    """Window after window, each token of a long text."""
    means = []
    for stride in (1_024, 512):
        begins = range(stride, 40 * stride, stride)
        seen = [t - begin for begin in begins for t in range(begin + 1_024 - stride, begin + 1_024)]
        means.append(sum(seen) / len(seen))
    says("better-stride", *means)


def test_forgotten_windows():
    says("forgotten-windows", 512 - 1, 512, 1 - 1, 1)


def test_same_frequencies():
    """The largest difference of two entries: a sine of 1 radian, at the partner in one layout and 0 in the other."""
    says("same-frequencies", 0, np.sin(1))
