"""Other people's xPos: the same scores, and the same features where the centre is theirs.

torchscale is not in the environment (its import needs fairscale). Its formula stands in `test_code.py` as a loop over
complex numbers, and here once more with the centre that it takes.
"""

from __future__ import annotations

import random
import warnings

import pytest
import torch
from rotary_embedding_torch import RotaryEmbedding as RotaryEmbeddingTorch

from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import XPos, xpos_rates

with warnings.catch_warnings():  # the import scripts a function, which torch has deprecated
    warnings.filterwarnings("ignore", "`torch.jit.script` is deprecated", DeprecationWarning)
    from x_transformers.x_transformers import RotaryEmbedding as XTransformersRotary
    from x_transformers.x_transformers import apply_rotary_pos_emb as x_transformers_rotate

ATOL = 2e-4  # they compute angles and factors in float32; keys are up to 20 in size


def drawn(seed):
    """A head's width, a length, a scale base, and random queries and keys."""
    rng = random.Random(seed)
    d, n, scale_base = 2 * rng.randint(2, 64), rng.randint(2, 400), rng.choice([256.0, 512.0, 1024.0])
    q, k = torch.randn(2, 1, 1, n, d, generator=torch.Generator().manual_seed(seed))
    return d, n, scale_base, q, k


def ours(d, n, scale_base, q, k, centre):
    positions = torch.arange(n)
    transform = XPos(geometric_freqs(d), xpos_rates(d, scale_base=scale_base), centre)
    return transform(q, k, positions, positions)


def by_x_transformers(d, n, scale_base, q, k):
    freqs, scale = XTransformersRotary(d, use_xpos=True, scale_base=scale_base)(torch.arange(n))
    return x_transformers_rotate(q, freqs, scale), x_transformers_rotate(k, freqs, scale**-1)


def by_rotary_embedding_torch(d, n, scale_base, q, k):
    peer = RotaryEmbeddingTorch(d, use_xpos=True, xpos_scale_base=scale_base)
    return peer.rotate_queries_and_keys(q, k)


def by_torchscale(d, n, scale_base, q, k):
    """The formula of torchscale 0.3.0, `component/xpos_relative_position.py`, one token and one pair at a time."""
    lowest = -n // 2
    out = torch.zeros(2, n, d, dtype=torch.float64)
    for which, (x, sign) in enumerate(((q, 1), (k, -1))):
        for row, power in enumerate(range(lowest, n + lowest)):
            for i in range(d // 2):
                scale = ((2 * i + 0.4 * d) / (1.4 * d)) ** (sign * power / scale_base)
                angle = torch.tensor(row * 10_000 ** (-i / (d // 2)), dtype=torch.float64)
                a, b = x[0, 0, row, 2 * i].double(), x[0, 0, row, 2 * i + 1].double()
                out[which, row, 2 * i] = scale * (a * angle.cos() - b * angle.sin())
                out[which, row, 2 * i + 1] = scale * (b * angle.cos() + a * angle.sin())
    return out[0][None, None], out[1][None, None]


def same(theirs, mine, seed, rtol=1e-4, atol=ATOL):
    torch.testing.assert_close(theirs, mine, rtol=rtol, atol=atol, msg=lambda text: f"seed {seed}: {text}")


@pytest.mark.parametrize("peer", [by_x_transformers, by_rotary_embedding_torch])
def test_features_are_theirs_with_their_centre(peer):
    for seed in range(60):
        drawing = drawn(seed)
        for theirs, mine in zip(peer(*drawing), ours(*drawing, centre=float(drawing[1] // 2)), strict=True):
            same(theirs, mine, seed)


def test_features_are_torchscales_with_its_centre():
    for seed in range(100, 104):
        d, n, scale_base, q, k = drawn(seed)
        small = d, min(n, 30), scale_base, q[..., :30, :].double(), k[..., :30, :].double()
        for theirs, mine in zip(by_torchscale(*small), ours(*small, centre=float(-(-small[1] // 2))), strict=True):
            same(theirs, mine, seed, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("peer", [by_x_transformers, by_rotary_embedding_torch])
def test_scores_are_theirs_with_any_centre(peer):
    for seed in range(200, 260):
        drawing, centre = drawn(seed), random.Random(seed - 200).uniform(-50, 300)
        same(*(q @ k.mT for q, k in (peer(*drawing), ours(*drawing, centre=centre))), seed, atol=3e-3)


def test_scaled_around_the_middle_of_the_queries_a_new_token_gets_other_scores():
    """rotary-embedding-torch 0.9.1, `rotate_queries_with_cached_keys`: two centres, and a factor in every pair."""
    d, n = 64, 1_000
    q, k = torch.randn(2, 1, 1, n, d, generator=torch.Generator().manual_seed(0))
    whole_q, whole_k = by_rotary_embedding_torch(d, n, 512, q, k)
    peer = RotaryEmbeddingTorch(d, use_xpos=True)
    last_q, last_k = peer.rotate_queries_with_cached_keys(q[..., -1:, :], k)
    right, wrong = whole_q[0, 0, -1] @ whole_k[0, 0].T, (last_q @ last_k.mT)[0, 0, 0]
    assert (right - wrong).abs().max() > 5
    two_centres = XPos(geometric_freqs(d), xpos_rates(d), 0.0), XPos(geometric_freqs(d), xpos_rates(d), 500.0)
    last, where = torch.tensor([n - 1]), torch.arange(n)
    mine_q = two_centres[0](q[..., -1:, :], k, last, where)[0]
    mine_k = two_centres[1](q[..., -1:, :], k, last, where)[1]
    torch.testing.assert_close((mine_q @ mine_k.mT)[0, 0, 0], wrong, rtol=1e-4, atol=3e-3)
