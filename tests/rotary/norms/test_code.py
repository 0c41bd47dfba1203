"""A norm of queries and keys before the rotation: by a loop, in each dtype."""

from __future__ import annotations

import cmath
import math

import pytest
import torch
from torch import nn

from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import QueryKeyNorm, Rotary, convert_layout, rotate
from tests.support.weights import normal

PLACES = torch.arange(5)


def weighted(d, layout="interleaved", **kwargs):
    module = QueryKeyNorm(d, Rotary(geometric_freqs(d), layout), **kwargs)
    module.q_weight.data, module.k_weight.data = normal(d, seed=8).exp(), normal(d, seed=9).exp()
    return module


@pytest.mark.parametrize("eps", [1e-6, 0.5])
def test_it_is_what_a_loop_gives(eps):
    d, x = 8, normal(5, 8)
    module = weighted(d, eps=eps)
    q, k = module(x, 2 * x, PLACES, PLACES + 3)
    for rotated, scale, first, weight in ((q, 1, 0, module.q_weight), (k, 2, 3, module.k_weight)):
        for n, row in enumerate(x.tolist()):
            row = [scale * feature for feature in row]
            size = math.sqrt(sum(feature**2 for feature in row) / d + eps)
            normed = [feature / size * w for feature, w in zip(row, weight.tolist(), strict=True)]
            for i in range(d // 2):
                turn = cmath.exp(1j * (n + first) * 10_000 ** (-2 * i / d))
                pair = complex(normed[2 * i], normed[2 * i + 1]) * turn
                expected = torch.tensor([pair.real, pair.imag], dtype=torch.float64)
                torch.testing.assert_close(rotated[n, 2 * i : 2 * i + 2].detach(), expected, rtol=0, atol=1e-12)


def test_it_starts_without_weights_and_learns_those_of_queries_apart_from_those_of_keys():
    module = QueryKeyNorm(8, Rotary(geometric_freqs(8)))
    q, k = module(normal(5, 8), normal(5, 8, seed=1), PLACES, PLACES)
    torch.testing.assert_close(q.square().mean(-1), torch.ones(5, dtype=torch.float64), rtol=0, atol=1e-5)
    (q[:, 0] @ k[:, 1]).backward()
    assert {name for name, p in module.named_parameters() if p.grad.any()} == {"q_weight", "k_weight"}
    assert not torch.equal(module.q_weight.grad, module.k_weight.grad)


@pytest.mark.parametrize("sorts", [True, False])
def test_its_weights_are_sorted_for_the_other_layout(sorts):
    """As one head: they multiply features, which a port moves."""
    d, q, k = 16, normal(5, 16), normal(5, 16, seed=1)
    before, after = weighted(d), weighted(d, "half")
    both = {"source": "interleaved", "target": "half"}
    if sorts:
        for name in ("q_weight", "k_weight"):
            getattr(after, name).data = convert_layout(getattr(before, name).data, 1, **both)
    sorted_ = (convert_layout(x.T, 1, **both).T for x in (q, k))
    scores = [a @ b.T for a, b in (before(q, k, PLACES, PLACES), after(*sorted_, PLACES, PLACES))]
    off = (scores[0] - scores[1]).abs().max().item()
    assert off < 1e-12 if sorts else off > 0.5


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_the_arithmetic_is_done_in_float32_at_least(dtype):
    """The square of 1,000 is beyond float16."""
    module, x = QueryKeyNorm(8, Rotary(geometric_freqs(8))).to(dtype), (1_000 * normal(5, 8)).to(dtype)
    q, _ = module(x, x, PLACES, PLACES)
    exact = rotate(nn.functional.rms_norm(x.double(), (8,)), position_angles(PLACES, geometric_freqs(8)))
    assert q.dtype == dtype
    torch.testing.assert_close(q.double(), exact, rtol=0, atol=4 * torch.finfo(dtype).eps)
