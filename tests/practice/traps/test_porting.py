"""A port talks nonsense: each number of the page by another way."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn
from transformers import SmolLM3Config

from posenc_lib.rotary import Rotary
from tests.practice.traps.page import features, freqs, given, off, pairs, says, softmax, turned

Q, K = given()["q"][0], given()["k"][0]


def score(q, k):
    return float((q * k).sum())


def table(d, exponents):
    """Sines, then cosines, of 512 positions."""
    angles = np.arange(512)[:, None] * 10_000.0**-exponents
    return np.concatenate((np.sin(angles), np.cos(angles)), axis=-1)


def ramp(d, base, length, truncate):
    """YaRN's frequencies by a loop over the pairs, for 32 times the length."""
    ends = [d * np.log(length / (2 * np.pi * turns)) / (2 * np.log(base)) for turns in (32, 1)]
    low, high = (np.floor(ends[0]), np.ceil(ends[1])) if truncate else ends
    shares = [min(1, max(0, (i - low) / (high - low))) for i in range(d // 2)]
    return np.array([f * (share / 32 + 1 - share) for f, share in zip(freqs(d, base), shares, strict=True)])


def test_layout():
    says("layout", 0, off(K, K), 5, off(turned(K, 5, layout="half"), turned(K, 5)))


def test_mixed_layout():
    def mixed(x, m):
        angle, partner = [m * freqs(128)[j // 2] for j in range(128)], np.roll(x, 64) * np.sign(np.arange(128) - 63.5)
        return np.array([x[j] * np.cos(angle[j]) + partner[j] * np.sin(angle[j]) for j in range(128)])

    says("mixed-layout", *(score(mixed(Q, 5 + s), mixed(K, s)) for s in (0, 100)))


def test_key_heads():
    def sorted_rows(h):
        heads = [list(range(i, i + 16 // h)) for i in range(0, 16, 16 // h)]
        return [row for head in heads for row in head[0::2] + head[1::2]]

    says("key-heads", sum(a != b for a, b in zip(sorted_rows(2), sorted_rows(4), strict=True)), 16)


def test_bias_rows():
    says("bias-rows", off(K, np.stack((K[:64], K[64:]), axis=-1).reshape(-1)))


def test_sense():
    back, squares = np.arange(-9, 10), np.abs(pairs(K)) ** 2
    right, wrong = (np.cos(np.outer(sense * back - 3, freqs(128))) @ squares for sense in (1, -1))
    says("sense", back[right.argmax()], back[wrong.argmax()])


def test_keys_shifted():
    says("keys-shifted", score(Q, K), score(Q, turned(K, 1)))


def test_conv_same():
    """By numpy, which turns the steps round."""
    rows = given()["rows"]
    every = np.convolve(rows[:40, 0], rows[0, :4][::-1])  # from the window that holds the first frame alone
    says("conv-same", off(every[2:42], every[1:41]))


def test_base():
    says("base", 10_000, off(turned(K, 100), turned(K, 100, freqs(128, 1e6))))


def test_table_dialect():
    halves, dialect = (table(64, np.arange(32) / n) for n in (32, 31))
    says("table-dialect", off(halves, features(halves[:, :32] + 1j * halves[:, 32:])), off(dialect, halves))


def test_xl_sign():
    says("xl-sign", 2 * np.linalg.norm(np.sin(3 * freqs(64))) / 32**0.5)


def test_first_row():
    rows = given()["rows"]
    says("first-row", off(rows[:-2], rows[2:]))


def test_t5_scale():
    scores = np.array([8.0, 4.0, 0.0])
    says("t5-scale", softmax(scores)[0], softmax(scores / 8)[0])


def test_bias_scale():
    says("bias-scale", 1 / 2, 1 / 2 / 8)


def test_count_table():
    says("count-table", np.sqrt(64))


def test_yarn_square():
    says("yarn-square", 1 + np.log(40) / 10, (1 + np.log(40) / 10) ** 2)


def test_absorbed_scale():
    """Of a head of 128 + 64 features, decoded with 512 + 64."""
    says("absorbed-scale", np.sqrt((512 + 64) / (128 + 64)))


def test_one_mscale():
    says("one-mscale", 1 + np.log(40) / 20, 1 + np.log(40) / 10)


def test_nested_truncate():
    asked, got = (ramp(128, 150_000.0, 4_096, truncate) for truncate in (False, True))
    says("nested-truncate", 100 * (got / asked - 1).max())


def test_norm_order():
    weights = np.tile([1.0, 2.0], 64)

    def normed(x):
        return weights * x / np.sqrt((x**2).mean())

    says("norm-order", *(score(normed(turned(Q, 5 + s)), normed(turned(K, s))) for s in (0, 100)))


def test_conjugate():
    says("conjugate", np.cos(0.5 * (0 + 2)), np.cos(0.5 * (1 + 3)), np.cos(0.5 * (1 - 3)))


def test_rope_flag():
    flags = SmolLM3Config().no_rope_layers
    says("rope-flag", flags.count(0), flags.count(1))


def test_partial_pairs():
    part = np.concatenate((turned(K[:32], 5, layout="half"), K[32:]))
    slow = np.where(np.arange(64) < 16, freqs(128), 0)
    says("partial-pairs", off(part, turned(K, 5, slow, layout="half")))


def test_meta_device():
    """What is not saved cannot be loaded; the library's frequencies come back all the same."""
    theta = torch.from_numpy(freqs(8))
    with torch.device("meta"):
        naive = nn.Module()
        naive.register_buffer("freqs", torch.ones(4), persistent=False)
    kept, missing = Rotary(theta).to("meta").to_empty(device="cpu"), naive.state_dict()
    assert kept.freqs.equal(theta)
    says("meta-device", len(missing))


def test_factor_order():
    """By the entries: (I - 2kkᵀ) at the top right, with the second column or the first row decayed."""
    corner = -2 * 0.6 * 0.8
    says("factor-order", 0.5 * corner, 1 * corner)
