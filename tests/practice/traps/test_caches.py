"""Wrong as soon as there is a cache: each number of the page by another way."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.practice.traps.page import RATE, cosine_with_itself, freqs, given, off, says, turned
from tests.practice.traps.test_shapes import buckets

Q, K = given()["q"][0], given()["k"][0]


def dynamic(n, d, s=2.0, length=2_048):
    """The frequencies of a text of n tokens, by the changed base."""
    return freqs(d, 10_000 * (s * n / length - (s - 1)) ** (d / (d - 2)))


def test_restart():
    """A query at 0 scores the key at 9 as a query at 9 scores one at 18: nine ahead."""
    assert turned(Q, 0) @ turned(K, 9) == pytest.approx(turned(Q, 9) @ turned(K, 18))
    says("restart", 18 - 9)


def test_growing_number():
    """The place of the 7, from the other end."""
    says("growing-number", *(len(number) - number.index("7") for number in ("70", "702")))


def test_count_twice():
    says("count-twice", *(off(turned(Q, 6 + ahead), turned(Q, 6)) for ahead in (6, 1)))


def test_t5_cache():
    says("t5-cache", buckets(2 - 9).item(), buckets(2 - 0).item())


def test_rotate_twice():
    says("rotate-twice", cosine_with_itself(K, 100 * freqs(128)), 50 + 50 + 50)


def test_stale_keys():
    says("stale-keys", cosine_with_itself(K, 2_000 * (freqs(128) - dynamic(4_096, 128))))


def test_longest_text():
    """The last pair is slowed by 2n/L - 1."""
    says("longest-text", (2 * 6_000 / 2_048 - 1) / (2 * 8_192 / 2_048 - 1))
    assert dynamic(8_192, 64)[-1] / dynamic(6_000, 64)[-1] == pytest.approx((2 * 6_000 / 2_048 - 1) / 7)


def test_centre():
    query, key = (lambda m, c: math.exp(-RATE * (m - c))), (lambda n, c: math.exp(RATE * (n - c)))
    right = query(999, 250) * key(998, 250)
    says("centre", query(999, 0) * key(998, 500) / right)


def test_text_length():
    says("text-length", max(1, math.log(101) / math.log(4_096)), math.log(2**15) / math.log(2**12))


def test_evicted():
    kept = [n for n in range(300) if n < 4 or n >= 300 - 124]
    says("evicted", len(kept), max(kept))


def test_moved_chunk():
    right = turned(K, 43)
    says("moved-chunk", off(turned(K, 3), right), off(turned(turned(K, 3), 40), right))


def test_top_left():
    """Query 0 sees keys 0 … 0; with the cache it is query 9."""
    says("top-left", sum(key <= 0 for key in range(10)), sum(key <= 9 for key in range(10)))


def test_bias_of_one():
    weights = [math.exp(-n / 2) for n in range(10)]
    says("bias-of-one", 1 / 10, weights[0] / sum(weights))


def test_constant_window():
    says("constant-window", math.sqrt(2 - 2 * cosine_with_itself(K, 3 * freqs(128))))


def test_tree_places():
    """The last one's chain of parents has three tokens."""
    chain, parents = [5], [-1, -1, 0, 0, 1, 4]
    while parents[chain[-1]] >= 0:
        chain.append(parents[chain[-1]])
    says("tree-places", 5 + 5, 5 + len(chain) - 1)


def test_slot_position():
    says("slot-position", 3 + 2 * 3, 3 + max(2, 3))


def test_shift_factor():
    says("shift-factor", 1 + math.log(4) / 10, (1 + math.log(4) / 10) ** 5)


def test_floor():
    groups, window = 3_000 // 16 - 0 // 16, 1_000
    says("floor", groups + window - 62, groups + window - 62.5)
    assert np.floor(1_000 / 16) == 62
