"""Only in half precision, or very far out: each number of the page by another way."""

from __future__ import annotations

import math

import numpy as np
import torch

from tests.practice.traps.page import RATE, alibi_slopes, bfloat16, freqs, given, says


def test_the_rounding_of_these_tests_is_that_of_torch():
    x = np.concatenate((np.arange(5_000), freqs(128), [1 / 3, 257, 259]))
    assert (bfloat16(x) == torch.from_numpy(x).bfloat16().double().numpy()).all()


def test_half_positions():
    """All up to 256, then 128 for each doubling."""
    says("half-positions", 257 + 4 * 128)


def test_half_freqs():
    theta = freqs(128)
    says("half-freqs", np.abs(4_000 * (bfloat16(theta) - theta)).max())


def test_half_bias():
    n = range(2_040, 2_048)
    says("half-bias", len({*bfloat16([0.5 * k for k in n])}), len({*bfloat16([-0.5 * (2_047 - k) for k in n])}))


def test_half_slopes():
    exact = np.array(alibi_slopes(71))
    says("half-slopes", 100 * np.abs(bfloat16(exact) / exact - 1).max())


def test_counter():
    says("counter", float(bfloat16(256 + 1)))


def test_clock():
    assert bfloat16(1 / 190) == bfloat16(1 / 191)
    says("clock", len({*bfloat16(1 / np.arange(1.0, 1_001))}))


def test_far_angles():
    theta = freqs(128)
    worst = []
    for m in (1_000_000, 1_000):
        near = np.arange(m - 500, m + 1)[:, None]
        rounded = near.astype(np.float32) * theta.astype(np.float32)
        worst.append(np.abs(np.cos(rounded.astype(float)) - np.cos(near * theta)).max())
    says("far-angles", *worst)


def test_growing():
    last = math.floor(math.log(65_504) / RATE)
    assert np.isfinite(np.float16(math.exp(last * RATE)))
    with np.errstate(over="ignore"):
        assert np.isinf(np.float16(math.exp((last + 2) * RATE)))
    says("growing", last)


def test_complex_cast():
    """The length of each pair shrinks by the cosine of its angle."""
    pairs = np.linalg.norm(given()["k"][0].reshape(64, 2), axis=-1)
    says("complex-cast", np.linalg.norm(pairs * np.cos(40 * freqs(128))) / np.linalg.norm(pairs))
