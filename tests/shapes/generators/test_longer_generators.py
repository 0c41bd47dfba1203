"""Longer videos and larger images: frequencies by another route, and what is refused."""

from __future__ import annotations

import math

import pytest
import torch

from posenc_lib.pairs import geometric_freqs
from posenc_lib.shapes import dype_freqs, riflex_freqs


@pytest.mark.parametrize("share", [1.0, 0.9, 0.25])
@pytest.mark.parametrize("pair", [0, 3, 7])
@pytest.mark.parametrize("n", [1, 45, 46, 50, 51, 66, 1_000])
def test_riflex_lowers_one_frequency_and_raises_none(share, pair, n):
    freqs = geometric_freqs(16, 256.0)
    by_loop = [min(f, 2 * math.pi * share / n) if i == pair else f for i, f in enumerate(freqs.tolist())]
    assert riflex_freqs(freqs, pair, n, share=share).tolist() == pytest.approx(by_loop, abs=0, rel=1e-15)


def test_riflexs_default_is_one_turn():
    freqs = geometric_freqs(16, 256.0)
    assert riflex_freqs(freqs, 3, 66)[3] * 66 == pytest.approx(2 * math.pi)
    assert freqs.tolist() == geometric_freqs(16, 256.0).tolist()  # left as they were


@pytest.mark.parametrize(("strength", "power"), [(2.0, 2.0), (1.0, 2.0), (2.0, 1.0), (0.0, 2.0)])
@pytest.mark.parametrize("noise", [0.0, 0.1, 0.5, 1.0])
def test_dype_is_a_base_that_moves(strength, power, noise):
    d, base, s = 56, 10_000.0, 2.5
    moved = base * s ** (strength * noise**power * d / (d - 2))
    made = dype_freqs(geometric_freqs(d, base), s, noise, strength=strength, power=power)
    torch.testing.assert_close(made, geometric_freqs(d, moved), rtol=1e-12, atol=0)


def test_dypes_defaults():
    freqs = geometric_freqs(56)
    assert torch.equal(dype_freqs(freqs, 2.0, 0.3), dype_freqs(freqs, 2.0, 0.3, strength=2.0, power=2.0))
