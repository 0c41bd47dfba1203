"""Buckets and attention of transformers' DeBERTa, v1 and v2, with copied weights."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
import torch
from torch import nn
from transformers import DebertaConfig, DebertaV2Config
from transformers.models.deberta.modeling_deberta import DisentangledSelfAttention as V1
from transformers.models.deberta.modeling_deberta import build_relative_position
from transformers.models.deberta_v2.modeling_deberta_v2 import DisentangledSelfAttention as V2
from transformers.models.deberta_v2.modeling_deberta_v2 import make_log_bucket_position

from posenc_lib import Slots, attention
from posenc_lib.relative import DisentangledBias, log_bucket

TIGHT = {"rtol": 0, "atol": 1e-12}
H, D = 2, 12  # transformers takes the root of 3d in float32, and of 36 it is exact
SIZES = {
    "hidden_size": H * D,
    "num_attention_heads": H,
    "relative_attention": True,
    "pos_att_type": ["c2p", "p2c"],
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
}


# --- buckets


def test_buckets_of_transformers():
    for n_buckets, most in product((4, 6, 8, 16, 32, 50, 128, 256, 512), (8, 16, 50, 128, 300, 512, 1000, 1024, 2048)):
        max_position = max(most, n_buckets)
        distances = torch.arange(-2 * max_position, 2 * max_position + 1)
        theirs = make_log_bucket_position(distances, n_buckets, max_position)
        assert log_bucket(distances, n_buckets, max_position).equal(theirs.long()), (n_buckets, max_position)


def test_float32_misses_an_end_only_beside_an_integer_and_by_one_bucket():
    """Every setting up to 40 buckets and 160 tokens, twice as far as its tokens."""
    tried = wrong = 0
    for n_buckets in range(4, 41, 2):
        c = n_buckets // 2
        for max_position in range(n_buckets, 161):
            distances = torch.arange(2 * max_position)
            ours = log_bucket(distances, n_buckets, max_position)
            theirs = make_log_bucket_position(distances, n_buckets, max_position).long()
            tried += len(distances)
            for x in (ours != theirs).nonzero().flatten().tolist():
                wrong += 1
                t = (c - 1) * math.log(x / c) / math.log((max_position - 1) / c)
                assert abs(t - round(t)) < 1e-5
                assert abs(ours[x] - theirs[x]) == 1
    assert wrong < tried / 50_000


def test_the_authors_float64_formula_at_published_settings():
    x = np.arange(129, 20_000)
    far = np.ceil(np.log(x / 128) / np.log(511 / 128) * 127) + 128
    assert log_bucket(torch.from_numpy(x), 256, 512).equal(torch.from_numpy(far).long())


# --- attention


def released(theirs, table, keys, queries, **settings):
    bias = DisentangledBias(H * D, H, len(table) // 2, dialect="released", **settings).double()
    bias.table.data, bias.to_keys, bias.to_queries = table, keys, queries
    return bias


def ours_of(q, k, v, bias, **settings):
    return attention(q, k, v, Slots(content_bias=bias, scale=bias.scale), **settings).transpose(-2, -3).flatten(-2)


@pytest.mark.parametrize("n", [5, 12, 40])
def test_v1_without_buckets(n):
    """Its table reaches 8 tokens, so 12 and 40 tokens meet both ends of it."""
    torch.manual_seed(0)
    theirs = V1(DebertaConfig(**SIZES, max_relative_positions=8)).double().eval()
    nn.init.normal_(theirs.q_bias)
    nn.init.normal_(theirs.pos_q_proj.bias)
    table, x = torch.randn(16, H * D).double(), torch.randn(3, n, H * D).double()
    q, k, v = theirs.in_proj(x).unflatten(-1, (H, 3 * D)).transpose(1, 2).chunk(3, dim=-1)
    q, v = (y + b.unflatten(-1, (H, 1, D)) for y, b in ((q, theirs.q_bias), (v, theirs.v_bias)))
    mask = torch.ones(3, 1, n, n)
    expected, _ = theirs(x, mask, relative_pos=build_relative_position(x, x), rel_embeddings=table)
    bias = released(theirs, table, theirs.pos_proj, theirs.pos_q_proj)
    torch.testing.assert_close(ours_of(q, k, v, bias), expected, **TIGHT)
    bias.dialect = "paper"
    assert (ours_of(q, k, v, bias) - expected).abs().max() > 0.01


@pytest.mark.parametrize("share_att_key", [True, False])
@pytest.mark.parametrize("n", [5, 12, 60])
def test_v2_with_buckets(n, share_att_key):
    """8 buckets for 20 tokens; v2 and v3 as published share the matrices with the content."""
    torch.manual_seed(0)
    config = DebertaV2Config(**SIZES, position_buckets=8, max_relative_positions=20, share_att_key=share_att_key)
    theirs = V2(config).double().eval()
    keys, queries = theirs.key_proj, theirs.query_proj
    if not share_att_key:
        keys, queries = theirs.pos_key_proj, theirs.pos_query_proj
    table, x = torch.randn(16, H * D).double(), torch.randn(3, n, H * D).double()
    q, k, v = (
        linear(x).unflatten(-1, (H, D)).transpose(1, 2)
        for linear in (theirs.query_proj, theirs.key_proj, theirs.value_proj)
    )
    mask = torch.rand(3, 1, n, n) < 0.7
    mask |= torch.eye(n, dtype=torch.bool)
    expected, _ = theirs(x, mask, rel_embeddings=table)
    bias = released(theirs, table, keys, queries, max_position=20)
    torch.testing.assert_close(ours_of(q, k, v, bias, mask=mask), expected, **TIGHT)
    bias.dialect = "paper"
    assert (ours_of(q, k, v, bias, mask=mask) - expected).abs().max() > 0.01


@pytest.mark.parametrize(("terms", "root"), [(["c2p"], 2), (["p2c"], 2), (["c2p", "p2c"], 3)])
def test_the_scale_counts_the_terms(terms, root):
    """With one position row of zeros and no bias nothing but the scale is left of the terms."""
    torch.manual_seed(0)
    config = DebertaV2Config(**{**SIZES, "pos_att_type": terms}, max_relative_positions=4)
    theirs, x = V2(config).double().eval(), torch.randn(1, 6, H * D).double()
    for name in ("pos_key_proj", "pos_query_proj"):
        if hasattr(theirs, name):
            nn.init.zeros_(getattr(theirs, name).bias)
    expected, _ = theirs(x, torch.ones(1, 1, 6, 6), rel_embeddings=torch.zeros(8, H * D).double())
    q, k, v = (
        linear(x).unflatten(-1, (H, D)).transpose(1, 2)
        for linear in (theirs.query_proj, theirs.key_proj, theirs.value_proj)
    )
    out = attention(q, k, v, Slots(scale=(root * D) ** -0.5)).transpose(1, 2).flatten(-2)
    torch.testing.assert_close(out, expected, rtol=0, atol=1e-7)
    assert (attention(q, k, v, Slots(scale=D**-0.5)).transpose(1, 2).flatten(-2) - expected).abs().max() > 1e-3
