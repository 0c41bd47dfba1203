"""Both parts of the scores, and rotated values: by complex numbers, in attention."""

from __future__ import annotations

import pytest
import torch

from posenc_lib import Slots, attention, attention_weights
from posenc_lib.pairs import geometric_freqs, join_pairs, split_pairs
from posenc_lib.rotary import Rotary, RotatedValues, both_parts
from tests.support.weights import normal

LAYOUTS = pytest.mark.parametrize("layout", ["interleaved", "half"])


def as_complex(x, layout):
    return torch.complex(*split_pairs(x, layout))


def waves(positions, d):
    return torch.exp(1j * positions[:, None] * geometric_freqs(d))


@LAYOUTS
def test_the_heads_are_the_real_and_the_imaginary_part(layout):
    h, n, d = 3, 7, 8
    q, k, at = *normal(2, 2, h, n, d), torch.arange(n) * 11
    complex_scores = (as_complex(q, layout) * waves(at, d)) @ (as_complex(k, layout) * waves(at, d)).mH
    turned_q, turned_k = Rotary(geometric_freqs(d), layout)(
        both_parts(q, layout=layout), k.repeat_interleave(2, dim=-3), at, at
    )
    scores = turned_q @ turned_k.mT
    torch.testing.assert_close(scores[:, 0::2], complex_scores.real, rtol=0, atol=1e-12)
    torch.testing.assert_close(scores[:, 1::2], complex_scores.imag, rtol=0, atol=1e-12)


def test_a_quarter_turn_by_hand():
    q = torch.tensor([[[1.0, 2.0, 3.0, 4.0]], [[5.0, 6.0, 7.0, 8.0]]])
    assert both_parts(q)[:, 0].tolist() == [[1, 2, 3, 4], [2, -1, 4, -3], [5, 6, 7, 8], [6, -5, 8, -7]]
    assert both_parts(q, layout="half")[1, 0].tolist() == [3, 4, -1, -2]


@LAYOUTS
def test_rotated_values_by_complex_numbers(layout):
    n_q, n_k, d = 4, 9, 6
    weights, v = normal(2, 3, n_q, n_k).softmax(-1), normal(2, 3, n_k, d, seed=1)
    m, n = torch.arange(n_q) + 20, torch.arange(n_k) * 3
    out = RotatedValues(geometric_freqs(d), layout)(weights, v, m, n)
    turned = torch.zeros(2, 3, n_q, d // 2, dtype=torch.complex128)
    for i in range(n_q):
        for j in range(n_k):
            back = waves((n[j] - m[i])[None], d)[0]
            turned[..., i, :] += weights[..., i, j, None] * as_complex(v[..., j, :], layout) * back
    torch.testing.assert_close(out, join_pairs(turned.real, turned.imag, layout), rtol=0, atol=1e-12)


def test_attention_takes_the_average_of_its_slots():
    q, k, v, m, n = *normal(3, 2, 5, 8), torch.arange(5) + 10, torch.arange(5)
    turn, rotary = RotatedValues(geometric_freqs(8)), Rotary(geometric_freqs(8))
    where = {"q_positions": m, "k_positions": n}
    weights = attention_weights(q, k, Slots(transform=rotary), **where)
    out = attention(q, k, v, Slots(transform=rotary, average=turn), **where)
    assert out.equal(turn(weights, v, m, n))
    added = attention(q, k, v, Slots(transform=rotary, average=turn, value_bias=lambda w, m, n: v), **where)
    torch.testing.assert_close(added, out + v, rtol=0, atol=0)
    assert (out - weights @ v).abs().max() > 0.1


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_half_precision_comes_back_as_it_was_given(dtype):
    weights, v, at = normal(4, 4).softmax(-1), normal(4, 6, seed=1).to(dtype), torch.arange(4) + 10_000
    turn = RotatedValues(geometric_freqs(6))
    out = turn(weights.to(dtype), v, at, at)
    assert out.dtype == dtype
    torch.testing.assert_close(
        out.double(), turn(weights, v.double(), at, at), rtol=0, atol=10 * torch.finfo(dtype).eps
    )
    assert turn.half().freqs.dtype == torch.float64
