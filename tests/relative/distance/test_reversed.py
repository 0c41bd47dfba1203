"""The bias with its queries in reverse: the same numbers, in a view of one for each distance, as SDPA takes them."""

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from posenc_lib.relative import Alibi, alibi_slopes, reversed_bias, toeplitz_bias
from tests.support.weights import normal

SLOPES = alibi_slopes(2, dtype=torch.float64)


def causal_line(distances):
    return Alibi(SLOPES).bias_at(distances).masked_fill(distances < 0, float("-inf"))


@pytest.mark.parametrize(
    ("q_start", "n_q", "k_start", "n_k"), [(0, 5, 0, 5), (7, 3, 2, 9), (0, 4, 6, 1), (-3, 1, 0, 4)]
)
def test_it_is_the_toeplitz_bias_with_the_last_query_first(q_start, n_q, k_start, n_k):
    q, k = torch.arange(q_start, q_start + n_q), torch.arange(k_start, k_start + n_k)
    wanted = toeplitz_bias(Alibi(SLOPES).bias_at, q, k).flip(-2)
    assert torch.equal(reversed_bias(Alibi(SLOPES).bias_at, q, k), wanted)


def test_it_holds_one_number_for_each_distance_and_head():
    bias = reversed_bias(Alibi(SLOPES).bias_at, torch.arange(300), torch.arange(200))
    assert bias.untyped_storage().nbytes() == 2 * (300 + 200 - 1) * 8


@pytest.mark.parametrize("scale", [None, 1.0])
def test_fused_attention_with_it_equals_the_one_with_the_bias_in_full(scale):
    at, (q, k, v) = torch.arange(64), normal(3, 2, 2, 64, 8)
    full = scaled_dot_product_attention(q, k, v, attn_mask=toeplitz_bias(causal_line, at, at), scale=scale)
    view = reversed_bias(causal_line, at, at)[None]
    out = scaled_dot_product_attention(q.flip(-2), k, v, attn_mask=view, scale=scale).flip(-2)
    torch.testing.assert_close(out, full, rtol=0, atol=1e-12)
