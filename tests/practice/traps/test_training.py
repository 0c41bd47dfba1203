"""It trains, but worse: each number of the page by another way."""

from __future__ import annotations

import math

import numpy as np

from tests.practice.traps.page import cosine_with_itself, freqs, given, off, says, softmax, turned

Q, K, WORDS = given()["q"][0], given()["k"][0], given()["words"]


def test_values():
    """Without rotated values the same shift changes nothing."""
    weights = softmax(turned(WORDS, range(6)) @ turned(WORDS, range(6)).T / 8)
    near, far = (weights @ turned(WORDS, np.arange(6) + s) for s in (0, 100))
    shifted = softmax(turned(WORDS, range(100, 106)) @ turned(WORDS, range(100, 106)).T / 8)
    assert off(shifted @ WORDS, weights @ WORDS) < 1e-9
    says("values", off(far, near))


def test_one_side():
    says("one-side", *(float(turned(Q, m) @ K) for m in (5, 15)))


def test_cross():
    says("cross", *(cosine_with_itself(K, 25 * second * freqs(128)) for second in (1, 10)))


def test_exponent():
    says("exponent", *(2 * math.pi * 10_000 ** (63 / n) for n in (64, 128)))


def test_collisions():
    generator = np.random.default_rng(0)
    texts = generator.integers(0, 2_048, (20_000, 40))
    drawn = np.mean([len(set(text)) < 40 for text in texts])
    exact = 1 - math.perm(2_048, 40) / 2_048**40
    assert abs(drawn - exact) < 0.015  # four standard errors
    says("collisions", 100 * exact)


def test_ranks():
    """Two shards of four: tokens of one shard agree about their distance, tokens of two do not."""
    pairs = [(m, n) for m in range(8) for n in range(m + 1)]
    errors = [(m - n) - (m % 4 - n % 4) for m, n in pairs]
    says("ranks", max(errors), sum(e != 0 for e in errors), len(pairs))


def test_mask_sense():
    hidden = [[key > query for key in range(4)] for query in range(4)]
    says("mask-sense", sum(hidden[0][1:]))


def test_cut_gradient():
    """Of the key and the frequencies, the latter."""
    says("cut-gradient", 1, 2)
