"""PoPE by another route, by hand, and beside rotary."""

from __future__ import annotations

import cmath
import itertools
import math

import pytest
import torch

from posenc_lib import attention_weights
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import PoPE, Rotary, polar
from tests.support.weights import filled, normal


def by_loop(q, k, m, n, freqs, phases):
    """The score of one query with one key in complex numbers, one feature at a time."""
    total = 0
    for a, b, theta, delta in zip(q.tolist(), k.tolist(), freqs.tolist(), phases.tolist(), strict=True):
        query = math.log(1 + math.exp(a)) * cmath.exp(1j * m * theta)
        key = math.log(1 + math.exp(b)) * cmath.exp(1j * (n * theta + delta))
        total += (query * key.conjugate()).real
    return total


def test_scores_are_what_complex_numbers_give():
    d, h, n = 5, 2, 7
    for seed in range(10):
        pope, q, k = filled(PoPE(geometric_freqs(2 * d), h), seed=seed), *normal(2, h, n, d, seed=seed)
        at = torch.randint(-50, 5_000, (n,), generator=torch.Generator().manual_seed(seed))
        turned_q, turned_k = pope(q, k, at, at)
        scores = turned_q @ turned_k.mT
        for head, i, j in itertools.product(range(h), range(n), range(n)):
            by_hand = by_loop(q[head, i], k[head, j], at[i].item(), at[j].item(), pope.freqs, pope.phases[head])
            assert scores[head, i, j].item() == pytest.approx(by_hand, abs=1e-9), f"seed {seed}"


def test_a_feature_by_hand():
    """ln(1 + e^0) = ln 2, a quarter turn; a large feature is its own length."""
    made = polar(
        torch.tensor([[0.0, 50.0]], dtype=torch.float64), torch.tensor([[torch.pi / 2, 0.0]], dtype=torch.float64)
    )
    expected = torch.tensor([[0.0, 50.0, math.log(2), 0.0]], dtype=torch.float64)
    torch.testing.assert_close(made, expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("x", [-700.0, -30.0, -1e-9, 0.0, 19.0, 21.0, 36.0, 41.0, 800.0])
def test_the_length_is_exact_for_small_and_large_features(x):
    """Torch's own softplus leaves out e^-x from 20 on, which is 2e-9 there."""
    length = polar(torch.tensor([x], dtype=torch.float64), torch.zeros(1, dtype=torch.float64))[0].item()
    exact = x + math.log1p(math.exp(-x)) if x > 0 else math.log1p(math.exp(x))
    assert length == pytest.approx(exact, rel=1e-15, abs=0)


def test_it_is_rotary_on_pairs_that_point_along_the_first_axis():
    x, at, freqs = normal(9, 6), torch.arange(9), geometric_freqs(12)
    pairs = torch.cat((torch.nn.functional.softplus(x), torch.zeros_like(x)), -1)
    rotated, _ = Rotary(freqs, "half")(pairs, pairs, at, at)
    torch.testing.assert_close(polar(x, position_angles(at, freqs)), rotated, rtol=0, atol=1e-12)


def test_the_scale_is_that_of_d_features_and_not_of_2d():
    pope, x = PoPE(geometric_freqs(8), 1).double(), normal(1, 3, 4)
    turned_q, turned_k = pope(x, x, torch.arange(3), torch.arange(3))
    expected = (turned_q @ turned_k.mT / 2).softmax(-1)
    torch.testing.assert_close(attention_weights(x, x, pope.slots()), expected, rtol=0, atol=1e-12)
