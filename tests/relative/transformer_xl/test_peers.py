"""Transformer-XL's scores in transformers' XLNet and in its Conformers, and the printed example of a shift."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from torch.nn import functional as F
from transformers import Wav2Vec2ConformerConfig, XLNetConfig, XLNetModel
from transformers.models.wav2vec2_conformer.modeling_wav2vec2_conformer import (
    Wav2Vec2ConformerRelPositionalEmbedding,
    Wav2Vec2ConformerSelfAttention,
)
from transformers.models.xlnet.modeling_xlnet import XLNetRelativeAttention

from posenc_lib import Slots, attention, causal_mask
from posenc_lib.absolute import sinusoidal
from posenc_lib.pairs import half_from_interleaved
from posenc_lib.relative import TransformerXLBias, rel_shift, skew

H, D = 2, 4
TIGHT = {"rtol": 0, "atol": 1e-12}
CONFIG = {"vocab_size": 8, "d_model": H * D, "n_layer": 2, "n_head": H, "d_inner": 8}


def with_weights(u, v, w_r):
    ours = TransformerXLBias(H, D, H * D).double()
    ours.load_state_dict({"u": u, "v": v, "w_r": w_r})
    return ours


def xlnet(seed=0):
    torch.manual_seed(seed)
    theirs = XLNetRelativeAttention(XLNetConfig(**CONFIG)).double().eval()
    for parameter in theirs.parameters():
        torch.nn.init.normal_(parameter)
    return theirs


def bias_of(theirs):
    """XLNet's W_R is [d_model, h, d]: w, the word, is for content, and r, the relation, for position."""
    return with_weights(theirs.r_w_bias, theirs.r_r_bias, theirs.r.transpose(0, 1))


def our_layer(theirs, x, memory, causal):
    """XLNet's layer with our bias and attention; x is [b, n, d_model]."""
    both = torch.cat((memory, x), dim=1)
    q, k, v = (
        torch.einsum("bnx,xhd->bhnd", rows, w) for rows, w in ((x, theirs.q), (both, theirs.k), (both, theirs.v))
    )
    q_at, k_at = torch.arange(memory.shape[1], both.shape[1]), torch.arange(both.shape[1])
    mask = causal_mask(q_at, k_at) if causal else None
    out = attention(q, k, v, Slots(content_bias=bias_of(theirs)), q_positions=q_at, k_positions=k_at, mask=mask)
    return theirs.layer_norm(torch.einsum("bhnd,xhd->bnx", out, theirs.o) + x)


@pytest.mark.parametrize("causal", [True, False], ids=["uni", "bi"])
@pytest.mark.parametrize("n_memory", [0, 3])
def test_xlnet_s_attention_with_its_weights(causal, n_memory):
    theirs, n = xlnet(), 5
    x, memory = torch.randn(2, n, H * D).double(), torch.randn(2, n_memory, H * D).double()
    n_k = n_memory + n
    steps_back = torch.arange(n_k, -1 if causal else -n, -1)  # their order: descending, and one more than is used
    r = sinusoidal(steps_back, H * D, layout="half", dtype=torch.float64)[:, None].expand(-1, 2, -1)
    hidden = ~causal_mask(torch.arange(n_memory, n_k), torch.arange(n_k))
    mask = hidden.double()[:, :, None, None] if causal else None
    sequence_first = x.transpose(0, 1), memory.transpose(0, 1)
    expected, _ = theirs(sequence_first[0], None, mask, None, r, None, mems=sequence_first[1])
    torch.testing.assert_close(our_layer(theirs, x, memory, causal), expected.transpose(0, 1), **TIGHT)


@pytest.mark.parametrize("kind", ["bi", "uni"])
def test_their_sinusoids_are_ours_at_descending_steps_back(kind):
    model = XLNetModel(XLNetConfig(**CONFIG, attn_type=kind))
    theirs = model.relative_positional_encoding(qlen=3, klen=5)[:, 0]
    distances = torch.arange(-5, 3 if kind == "bi" else 1)
    assert theirs.shape == (8 if kind == "bi" else 6, H * D)
    torch.testing.assert_close(theirs, sinusoidal(-distances, H * D, layout="half"), rtol=0, atol=1e-6)


def test_with_the_other_sign_the_scores_are_wrong():
    """What one gets who takes the sinusoid at key minus query, with weights made for query minus key."""
    bias, at = bias_of(xlnet()), torch.arange(5)
    q, k = torch.randn(2, 1, H, 5, D).double()
    right = bias(q, k, at, at)
    flipped = bias_of(xlnet())
    flipped.w_r.data[:, : H * D // 2] *= -1  # the sines
    assert (flipped(q, k, at, at) - right).abs().max() > 0.1
    torch.testing.assert_close(flipped(q, k, -at, -at), right, **TIGHT)


def conformer():
    torch.manual_seed(0)
    config = Wav2Vec2ConformerConfig(
        hidden_size=H * D, num_attention_heads=H, max_source_positions=9, attn_implementation="eager"
    )
    theirs = Wav2Vec2ConformerSelfAttention(config).double().eval()
    torch.nn.init.normal_(theirs.pos_bias_u), torch.nn.init.normal_(theirs.pos_bias_v)
    return theirs, Wav2Vec2ConformerRelPositionalEmbedding(config)


def test_a_conformer_s_attention_with_its_weights():
    """Its sinusoids have neighbours as pairs: one permutation of the rows of W_R makes up for it."""
    theirs, positions = conformer()
    n = 6
    x = torch.randn(2, n, H * D).double()
    rows = theirs.linear_pos.weight.T.unflatten(1, (H, D)).transpose(0, 1)
    bias = with_weights(theirs.pos_bias_u, theirs.pos_bias_v, rows[:, half_from_interleaved(H * D)])
    q, k, v = (
        linear(x).unflatten(-1, (H, D)).transpose(1, 2)
        for linear in (theirs.linear_q, theirs.linear_k, theirs.linear_v)
    )
    out = theirs.linear_out(attention(q, k, v, Slots(content_bias=bias)).transpose(1, 2).flatten(2))
    exact = sinusoidal(torch.arange(n - 1, -n, -1), H * D, dtype=torch.float64)[None]
    expected, _ = theirs(x, relative_position_embeddings=exact)
    torch.testing.assert_close(out, expected, **TIGHT)
    torch.testing.assert_close(positions(x).double(), exact, rtol=0, atol=1e-6)


@pytest.mark.parametrize(("n_q", "n_k"), [(4, 4), (3, 7), (1, 5), (4, 2)])
def test_xlnet_s_shift_has_one_column_more(n_q, n_k):
    x = torch.randn(2, 3, n_q, n_q + n_k - 1)
    with_unused = F.pad(x, (1, 0), value=1e6)  # for the distance n_k, which no pair has
    assert rel_shift(x).equal(XLNetRelativeAttention.rel_shift_bnij(with_unused, klen=n_k))


@pytest.mark.parametrize(("n_q", "n_k"), [(4, 4), (3, 7), (1, 5)])
def test_xlnet_s_shift_of_the_past_leaves_numbers_of_the_next_query(n_q, n_k):
    """Its "uni" table has no future. Below the diagonal it is the skew; above it stands rubbish, which a mask hides."""
    x = torch.randn(2, 3, n_q, n_k)
    theirs = XLNetRelativeAttention.rel_shift_bnij(F.pad(x, (1, 0), value=1e6), klen=n_k)
    assert theirs.tril(n_k - n_q).equal(skew(x))
    assert bool((theirs != skew(x)).any()) == (n_q > 1)


def test_the_printed_example_of_a_shift_in_both_directions():
    oracle = json.loads((Path(__file__).parents[2] / "oracles" / "rel_shift_deepmind.json").read_text())
    given, wanted = (torch.tensor(oracle[name], dtype=torch.float64) for name in ("input", "output"))
    assert rel_shift(given[:, 1:]).equal(wanted)
