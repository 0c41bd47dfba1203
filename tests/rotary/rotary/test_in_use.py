"""What positions as arguments are good for: caches, packed sequences, a position for every sample."""

from __future__ import annotations

import pytest
import torch

from posenc_lib import Slots, attention, causal_mask
from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import Rotary

LAYOUTS = pytest.mark.parametrize("layout", ["interleaved", "half"])
H, D = 2, 8


def qkv(*batch_and_n):
    generator = torch.Generator().manual_seed(0)
    *batch, n = batch_and_n
    return torch.randn(3, *batch, H, n, D, dtype=torch.float64, generator=generator).unbind()


def causal(q, k, v, layout, q_positions, k_positions, mask=True):
    mask = causal_mask(q_positions, k_positions) & mask
    transform = Rotary(geometric_freqs(D), layout)
    return attention(q, k, v, Slots(transform=transform), q_positions=q_positions, k_positions=k_positions, mask=mask)


def assert_close(a, b):
    torch.testing.assert_close(a, b, rtol=0, atol=1e-12)


@LAYOUTS
def test_a_cache_of_rotated_keys(layout):
    """Keys are rotated once, when they enter the cache; the last query comes with its offset."""
    q, k, v = qkv(12)
    positions, transform = torch.arange(12), Rotary(geometric_freqs(D), layout)
    full = causal(q, k, v, layout, positions, positions)

    _, cache = transform(q[:, :9], k[:, :9], positions[:9], positions[:9])
    for m in range(9, 12):
        new_q, new_k = transform(q[:, [m]], k[:, [m]], positions[[m]], positions[[m]])
        cache = torch.cat((cache, new_k), dim=1)
        assert_close(attention(new_q, cache, v[:, : m + 1]), full[:, [m]])
        if m == 11:  # without its offset the query would be at position 0
            stale_q, _ = transform(q[:, [m]], k[:, [m]], torch.tensor([0]), positions[[m]])
            assert (attention(stale_q, cache, v) - full[:, [m]]).abs().max() > 0.01


@LAYOUTS
def test_packed_sequences(layout):
    """Two sequences in one row: positions restart, and the mask keeps them apart."""
    lengths = (5, 7)
    q, k, v = qkv(sum(lengths))
    positions = torch.cat([torch.arange(n) for n in lengths])
    owner = torch.tensor([0] * lengths[0] + [1] * lengths[1])
    packed = causal(q, k, v, layout, positions, positions, mask=owner[:, None] == owner)

    alone = [
        causal(*parts, layout, torch.arange(n), torch.arange(n))
        for *parts, n in zip(*(x.split(lengths, dim=1) for x in (q, k, v)), lengths, strict=True)
    ]
    assert_close(packed, torch.cat(alone, dim=1))


@LAYOUTS
def test_positions_of_each_sample(layout):
    """The gaps differ between the samples, or the shift alone would not show."""
    q, k, v = qkv(3, 4)
    positions = torch.tensor([[0, 1, 2, 3], [5, 6, 20, 30], [0, 10, 11, 40]])
    together = causal(q, k, v, layout, positions[:, None], positions[:, None])  # [b, 1, n]
    for i, own in enumerate(positions):
        assert_close(together[i], causal(q[i], k[i], v[i], layout, own, own))
    assert (together[1] - causal(q[1], k[1], v[1], layout, positions[0], positions[0])).abs().max() > 0.01
