"""Word order hardly matters; some heads, buckets or windows are odd: each number of the page by another way."""

from __future__ import annotations

import math

import numpy as np
import torch
from transformers.models.t5.modeling_t5 import T5Attention

from tests.practice.traps.page import RATE, alibi_slopes, freqs, given, off, says, softmax, turned

WORDS = given()["words"]


def buckets(key_minus_query, *, reach=128, bidirectional=False):
    """Those of transformers."""
    given = torch.as_tensor(key_minus_query)
    return T5Attention._relative_position_bucket(given, bidirectional, 32, reach).numpy()


def attended(x, bias):
    return softmax(x @ x.T / x.shape[-1] ** 0.5 + bias) @ x


def test_heads_axis():
    """Rotated along the heads, all places of a word look alike."""
    says("heads-axis", 0, off(turned(WORDS[:4], [5] * 4), WORDS[:4]))


def test_bucket_sign():
    back = np.arange(128)
    says("bucket-sign", len(set(buckets(-back))), len(set(buckets(back))))


def test_batch_first():
    says("batch-first", 0, np.sqrt((2 - 2 * np.cos(freqs(64))).sum() / 32))


def test_zero_rows():
    table = [[0.0] * 32] * 257 + [list(m * freqs(64)) for m in range(1, 257)]
    assert sum(any(row) for row in table[257:]) == 256
    says("zero-rows", sum(any(row) for row in table[:256]))


def test_mirror():
    """And with other slopes for the future it can tell them apart."""
    n = np.arange(6)
    distance = n[:, None] - n
    blind, seeing = -0.5 * np.abs(distance), np.where(distance > 0, -0.5 * distance, 2.0 * distance)
    changes = [off(attended(WORDS[::-1], bias), attended(WORDS, bias)[::-1]) for bias in (blind, seeing)]
    assert changes[1] > 0.001
    says("mirror", changes[0])


def test_future_reward():
    n = np.arange(6)
    says("future-reward", math.exp(2.5) / np.exp(n / 2).sum(), math.exp(-1.5) / np.exp(-np.abs(n - 2) / 2).sum())


def test_embedding_root():
    length = np.linalg.norm(given()["rows"][:8])
    says("embedding-root", length / 512**0.5, length, 256**0.5)


def test_twelve_heads():
    says("twelve-heads", alibi_slopes(12)[8], 2**-6)


def test_device_heads():
    says("device-heads", alibi_slopes(8)[4], alibi_slopes(4)[0])


def test_first_slope():
    says("first-slope", alibi_slopes(8)[0], 2**0)


def test_whole_width():
    theta = freqs(1_024)
    says("whole-width", max(theta[:32]), max(theta[12 * 32 : 13 * 32]))


def test_shaw_order():
    """Rows by key minus query, or by query minus key."""
    says("shaw-order", min(4, max(-4, -1)) + 4, min(4, max(-4, 1)) + 4)


def test_chain_gap():
    """A pair of a radian, and numbers of a table by comparison."""
    back = range(-208, -200)
    scores = [math.cos(x) for x in back]
    says("chain-gap", len({min(32, max(-32, x)) for x in back}), min(scores), max(scores))


def test_deberta_row():
    def delta(d, k=4):
        return 0 if d <= -k else 2 * k - 1 if d >= k else d + k

    says("deberta-row", delta(4 - 1), delta(1 - 4))


def test_deberta_scale():
    says("deberta-scale", math.sqrt(3))


def test_deberta_clamp():
    before = {max(-256, min(256, d)) + 256 for d in range(-600, 601)}
    after = {max(0, min(511, d + 256)) for d in range(-600, 601)}
    says("deberta-clamp", len(before), len(after))


def test_bucket_ceil():
    octaves = 23 / 8
    rounded_up = 8 + math.ceil(math.log(octaves) / math.log(16) * 8)
    whole = 8 + math.floor(math.log(23 // 8) / math.log(16) * 8)
    says("bucket-ceil", buckets(-23, bidirectional=True).item(), rounded_up, whole)


def test_window_sides():
    """Rows for a window of 3 × 5, with the sides as they are and exchanged, over all pairs of cells."""
    cells = [(y, x) for y in range(3) for x in range(5)]
    offsets = [(a - c, b - d) for a, b in cells for c, d in cells]
    rows = [((y + 2) * 9 + x + 4, (x + 4) * 5 + y + 2) for y, x in offsets]
    says("window-sides", sum(a != b for a, b in rows), len(rows))


def test_stride():
    offsets = [(y, x) for y in range(-2, 3) for x in range(-4, 5)]
    says("stride", len({y * 5 + x for y, x in offsets}), len(offsets))


def test_shift():
    """Rows -3 … 0 for each of four queries, shifted as under a causal mask, against key by key."""
    line = [number for _ in range(4) for number in (0, -3, -2, -1, 0)]
    shifted = [line[4 + 4 * i : 8 + 4 * i] for i in range(4)]
    assert all(shifted[m][n] == n - m for m in range(4) for n in range(m + 1))  # for the past it is right
    says("shift", sum(number != -key for key, number in enumerate(shifted[0])), 4)


def test_xpos_sign():
    says("xpos-sign", math.exp(10 * RATE), math.exp(1_000 * RATE))


def test_xpos_literal():
    says("xpos-literal", 0.4 / 1.4, (0.4 / 1.4) ** (1 / 512))


def test_sandwich_line():
    """The line by the geometric sum; the cosines as the squared distance of two unit hands, halved."""
    ratio = 10_000 ** (-1 / 64)
    apart = np.abs(1 - np.exp(100j * freqs(128)[1:])) ** 2 / 2
    says("sandwich-line", 100 * (ratio - 1e-4) / (1 - ratio), apart.sum())
