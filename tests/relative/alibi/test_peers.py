"""The same slopes, biases and attention from transformers and x-transformers."""

from __future__ import annotations

import math
import warnings

import pytest
import torch
from transformers.models.bloom.configuration_bloom import BloomConfig
from transformers.models.bloom.modeling_bloom import BloomAttention
from transformers.models.bloom.modeling_bloom import build_alibi_tensor as bloom
from transformers.models.falcon.configuration_falcon import FalconConfig
from transformers.models.falcon.modeling_falcon import FalconAttention
from transformers.models.falcon.modeling_falcon import build_alibi_tensor as falcon
from transformers.models.mpt.configuration_mpt import MptConfig
from transformers.models.mpt.modeling_mpt import MptAttention
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor as mpt

from posenc_lib import Slots, attention, attention_weights, causal_mask
from posenc_lib.relative import Alibi, alibi_slopes

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", "`torch.jit.script` is deprecated")
    from x_transformers.x_transformers import AlibiPositionalBias

HEADS = [1, 2, 3, 6, 8, 12, 16, 20, 40, 71, 112]
N = 10
POSITIONS = torch.arange(N)
MASK = causal_mask(POSITIONS, POSITIONS)
U = 2.0**-24  # unit roundoff of float32


def powers_in_float32(h):
    """base^k of a base rounded to float32: k ≤ h times its error, and one unit in the last place of the power."""
    return {"rtol": (h + 3) * U, "atol": 0}


@pytest.mark.parametrize("h", HEADS)
def test_bloom_slopes(h):
    """Bloom keeps s·n, the same for all queries."""
    slopes = bloom(torch.ones(1, 2, dtype=torch.long), h, torch.float32)[:, 0, 1]
    torch.testing.assert_close(slopes, alibi_slopes(h), **powers_in_float32(h))


@pytest.mark.parametrize("h", HEADS)
def test_bloom_weights_under_a_causal_mask(h):
    q, k = torch.randn(2, h, N, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    theirs = bloom(torch.ones(1, N, dtype=torch.long), h, torch.float32).double()
    scores = (q @ k.mT / 2 + theirs).masked_fill(~MASK, -torch.inf)
    ours = attention_weights(q, k, Slots(bias=Alibi(alibi_slopes(h))), mask=MASK)
    torch.testing.assert_close(scores.softmax(-1), ours, rtol=0, atol=1e-5)


@pytest.mark.parametrize("h", HEADS)
@pytest.mark.parametrize("exponent", [8, 16])
def test_mpt_slopes_and_bias(h, exponent):
    """MPT keeps s·(n - (N - 1)): the bias of the last query. Its slopes come in the same order by another rule."""
    theirs = mpt(h, N, alibi_bias_max=exponent)
    ours = Alibi(alibi_slopes(h, float(exponent)))(POSITIONS[-1:], POSITIONS)
    torch.testing.assert_close(theirs, ours, rtol=4 * U, atol=0)


@pytest.mark.parametrize("h", HEADS)
def test_x_transformers(h):
    theirs = AlibiPositionalBias(heads=h)
    ours = Alibi(alibi_slopes(h))
    torch.testing.assert_close(theirs(N, N), ours(POSITIONS, POSITIONS), rtol=U, atol=0)
    torch.testing.assert_close(theirs(3, N), ours(POSITIONS[-3:], POSITIONS), rtol=U, atol=0)
    each = torch.tensor([[0, 1, 2, 7], [5, 3, 900, -4]])
    torch.testing.assert_close(theirs.forward_custom_pos(each), ours(each[:, None], each[:, None]), rtol=U, atol=0)


def test_x_transformers_leaves_the_last_heads_without_positions():
    theirs = AlibiPositionalBias(heads=4, total_heads=6)(N, N)
    ours = Alibi(torch.cat((alibi_slopes(4), torch.zeros(2))))(POSITIONS, POSITIONS)
    torch.testing.assert_close(theirs, ours, rtol=U, atol=0)


@pytest.mark.parametrize("h", HEADS)
def test_falcon_rounds_its_slopes_to_bfloat16(h):
    theirs = falcon(torch.ones(1, 2, dtype=torch.long), h, torch.float32)[:, 0, 1]
    assert theirs.equal(alibi_slopes(h).bfloat16().float())


def test_the_worst_slope_of_71_heads_in_falcon():
    theirs = falcon(torch.ones(1, 2, dtype=torch.long), 71, torch.float32)[:, 0, 1]
    assert (theirs - alibi_slopes(71)).abs().max().item() == pytest.approx(1.6e-3, abs=5e-5)


# --- whole attention layers, with their weights


def test_falcon_multiplies_in_bfloat16_whatever_the_dtype_of_the_model():
    """So slopes that are powers of two do not survive in it, and do in Bloom."""
    seen = torch.ones(1, 2_048, dtype=torch.long)
    exact = alibi_slopes(8, dtype=torch.float64)[:, None] * torch.arange(2_048)
    for build, different, worst in ((falcon, 2, 2.0), (bloom, 8, 0.0)):
        theirs = build(seen, 8, torch.float32).view(8, 2_048)
        assert theirs.dtype == torch.float32
        assert [len(row.unique()) for row in theirs[:, -8:]] == [different] * 8
        assert (theirs - exact).abs().max() == worst
    from_distances = Alibi(alibi_slopes(8))(torch.tensor([2_047]), torch.arange(2_040, 2_048))
    assert [len(row.unique()) for row in from_distances[:, 0].bfloat16()] == [8] * 8
    assert not FalconConfig().alibi  # and so the slopes of its 71 heads are in no use


def test_the_layer_of_bloom():
    h, d = 6, 4
    torch.manual_seed(0)
    theirs = BloomAttention(BloomConfig(hidden_size=h * d, n_head=h), layer_idx=0).eval()
    x = torch.randn(2, N, h * d)
    hidden = torch.zeros(N, N).masked_fill(~MASK, torch.finfo(torch.float32).min)[None, None]
    positions = bloom(torch.ones(2, N, dtype=torch.long), h, torch.float32)
    with torch.no_grad():
        expected, _ = theirs(x, torch.zeros_like(x), positions, hidden)
        q, k, v = theirs.query_key_value(x).unflatten(-1, (h, 3, d)).permute(3, 0, 2, 1, 4)
        out = attention(q, k, v, Slots(bias=Alibi(alibi_slopes(h))), mask=MASK)
        torch.testing.assert_close(theirs.dense(out.transpose(1, 2).flatten(2)), expected, rtol=0, atol=2e-6)


@pytest.mark.parametrize("exponent", [8, 16])
def test_the_layer_of_mpt(exponent):
    h, d = 6, 4
    torch.manual_seed(0)
    theirs = MptAttention(MptConfig(d_model=h * d, n_heads=h, max_seq_len=32), layer_idx=0).eval()
    x = torch.randn(2, N, h * d)
    with torch.no_grad():
        expected, _ = theirs(x, mpt(h, 32, alibi_bias_max=exponent), attention_mask=~MASK[None, None])
        q, k, v = theirs.Wqkv(x).unflatten(-1, (3, h, d)).permute(2, 0, 3, 1, 4)
        out = attention(q, k, v, Slots(bias=Alibi(alibi_slopes(h, float(exponent)))), mask=MASK)
        torch.testing.assert_close(theirs.out_proj(out.transpose(1, 2).flatten(2)), expected, rtol=0, atol=2e-6)


def test_the_layer_of_falcon_divides_the_bias_by_the_root_of_d():
    h, d = 2, 64
    config = FalconConfig(hidden_size=h * d, num_attention_heads=h, multi_query=False, alibi=True)
    theirs = FalconAttention(config, layer_idx=0).eval()
    torch.nn.init.zeros_(theirs.query_key_value.weight)
    hidden = torch.zeros(N, N).masked_fill(~MASK, torch.finfo(torch.float32).min)[None, None]
    bias = falcon(torch.ones(1, N, dtype=torch.long), h, torch.float32)
    with torch.no_grad():
        _, weights = theirs(torch.ones(1, N, h * d), bias, hidden, output_attentions=True)
    q = torch.zeros(1, h, N, d)
    as_falcon = attention_weights(q, q, Slots(bias=Alibi(alibi_slopes(h) / math.sqrt(d))), mask=MASK)
    torch.testing.assert_close(weights, as_falcon, rtol=0, atol=1e-6)
    as_paper = attention_weights(q, q, Slots(bias=Alibi(alibi_slopes(h))), mask=MASK)
    assert (weights - as_paper).abs().max() > 0.01


# --- padding


def test_padding_on_the_left_needs_no_other_positions():
    """Bloom counts its positions from the first real token: a shift, which no distance sees."""
    real = torch.tensor([[0, 0, 0, 1, 1, 1, 1]])
    n, h = real.shape[1], 3
    seen = causal_mask(torch.arange(n), torch.arange(n)) & real.bool()[:, None, None]
    theirs = bloom(real, h, torch.float32).view(1, h, 1, n)
    rows = slice(3, None)  # the queries that are no padding
    expected = theirs.masked_fill(~seen, -torch.inf).softmax(-1)[..., rows, :]
    ours = Alibi(alibi_slopes(h))(torch.arange(n), torch.arange(n)).masked_fill(~seen, -torch.inf)
    torch.testing.assert_close(ours.softmax(-1)[..., rows, :], expected, rtol=0, atol=1e-6)


def test_padding_in_the_middle_does():
    """A padded prompt that grows: the padding must not count as distance, so the positions have to leave it out."""
    real = torch.tensor([[1, 1, 0, 0, 0, 1], [1, 1, 1, 1, 1, 1]])
    n, h = real.shape[1], 3
    seen = causal_mask(torch.arange(n), torch.arange(n)) & real.bool()[:, None, None]
    theirs = bloom(real, h, torch.float32).view(2, h, 1, n)
    expected = theirs.masked_fill(~seen, -torch.inf).softmax(-1)
    counted = (real.cumsum(-1) - 1)[:, None]
    alibi = Alibi(alibi_slopes(h))
    ours = alibi(counted, counted).masked_fill(~seen, -torch.inf).softmax(-1)
    torch.testing.assert_close(ours, expected, rtol=0, atol=1e-6)
    by_index = alibi(torch.arange(n), torch.arange(n)).masked_fill(~seen, -torch.inf).softmax(-1)
    assert (by_index[1] - expected[1]).abs().max() < 1e-6
    assert (by_index[0] - expected[0]).abs().max() > 0.01
