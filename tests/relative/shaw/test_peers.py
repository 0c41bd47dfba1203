"""Shaw's keys in transformers' speech models, the skew in transformers' XLNet, and the skew's printed examples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from torch.nn import functional as F
from transformers import SeamlessM4Tv2Config, Wav2Vec2BertConfig
from transformers.models.seamless_m4t_v2.modeling_seamless_m4t_v2 import SeamlessM4Tv2ConformerSelfAttention
from transformers.models.wav2vec2_bert.modeling_wav2vec2_bert import Wav2Vec2BertSelfAttention
from transformers.models.xlnet.modeling_xlnet import XLNetRelativeAttention

from posenc_lib import Slots, attention
from posenc_lib.relative import ShawKeys, skew

H, D = 2, 4
SIZES = {"hidden_size": H * D, "left_max_position_embeddings": 3, "right_max_position_embeddings": 1}
PEERS = {
    "wav2vec2_bert": lambda **sizes: Wav2Vec2BertSelfAttention(
        Wav2Vec2BertConfig(**sizes, num_attention_heads=H, attn_implementation="eager")
    ),
    "seamless_m4t_v2": lambda **sizes: SeamlessM4Tv2ConformerSelfAttention(
        SeamlessM4Tv2Config(**sizes, speech_encoder_attention_heads=H, attn_implementation="eager")
    ),
}


@pytest.mark.parametrize("peer", PEERS)
def test_a_speech_model_s_attention_with_its_weights(peer):
    torch.manual_seed(0)
    theirs = PEERS[peer](**SIZES).double().eval()
    ours = ShawKeys(D, left=3, right=1)
    ours.load_state_dict({"table": theirs.distance_embedding.weight})
    x = torch.randn(2, 9, H * D, dtype=torch.float64)
    q, k, v = (
        linear(x).unflatten(-1, (H, D)).transpose(-2, -3)
        for linear in (theirs.linear_q, theirs.linear_k, theirs.linear_v)
    )
    out = attention(q, k, v, Slots(content_bias=ours.double())).transpose(-2, -3).flatten(-2)
    expected, _ = theirs(x)
    torch.testing.assert_close(theirs.linear_out(out), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("peer", PEERS)
def test_as_published_they_look_64_back_and_8_ahead(peer):
    """W2v-BERT 2.0 and SeamlessM4T v2: 73 rows of 64 features, shared by 16 heads."""
    config = Wav2Vec2BertConfig() if peer == "wav2vec2_bert" else SeamlessM4Tv2Config()
    assert config.position_embeddings_type == "relative_key"
    assert (config.left_max_position_embeddings, config.right_max_position_embeddings) == (64, 8)
    assert config.hidden_size == 16 * 64
    assert ShawKeys(64, left=64, right=8).table.shape == (73, 64)


@pytest.mark.parametrize(("n_q", "n_k"), [(4, 4), (3, 7), (1, 5)])
def test_xlnet_s_shift_of_padded_columns_is_the_skew(n_q, n_k):
    """Its extra column, for the distance n_k, takes the place of the padding."""
    x = torch.randn(2, 3, n_q, n_k)
    theirs = XLNetRelativeAttention.rel_shift_bnij(F.pad(x, (1, 0)), klen=n_k)
    assert skew(x).equal(theirs.tril(n_k - n_q))


def test_the_printed_example_of_a_causal_shift():
    oracle = json.loads((Path(__file__).parents[2] / "oracles" / "skew_deepmind.json").read_text())
    given, wanted = (torch.tensor(oracle[name], dtype=torch.float64) for name in ("input", "output"))
    assert skew(given).equal(wanted)
