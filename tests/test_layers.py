"""The layers: equal to torch's with the same weights, their cost, and what each promises."""

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaAttention, LlamaRotaryEmbedding

from posenc_lib import Rotary, Slots, geometric_freqs, padding_mask
from posenc_lib.transformer import AddNorm, Cache, DecoderLayer, EncoderLayer, MultiHeadAttention
from tests.support.torch_weights import (
    assert_same,
    causal,
    copy_attention,
    copy_layer,
    copy_linear,
    distance_bias,
    randomised,
)

D, H, FF = 12, 3, 20


pytestmark = pytest.mark.usefixtures("float64")


LENGTHS = torch.tensor([5, 2])


@pytest.mark.parametrize("h", [1, H, D])
def test_multi_head_attention_equals_torch_with_causal_mask(h):
    theirs = randomised(nn.MultiheadAttention(D, h, batch_first=True))
    ours = MultiHeadAttention(D, h)
    copy_attention(ours, theirs)
    x = torch.randn(2, 5, D)
    assert_same(ours(x, x, mask=causal(5)), theirs(x, x, x, attn_mask=~causal(5), need_weights=False)[0])


def test_multi_head_cross_attention_equals_torch_with_padding():
    theirs = randomised(nn.MultiheadAttention(D, H, batch_first=True))
    ours = MultiHeadAttention(D, H)
    copy_attention(ours, theirs)
    x, y = torch.randn(2, 4, D), torch.randn(2, 5, D)
    mask = padding_mask(LENGTHS, 5)
    assert_same(ours(x, y, mask=mask), theirs(x, y, y, key_padding_mask=~mask[:, 0, 0], need_weights=False)[0])


@pytest.mark.parametrize("mask", [None, causal(5), padding_mask(LENGTHS, 5)], ids=["none", "causal", "padding"])
def test_encoder_layer_equals_torch(mask):
    theirs = randomised(nn.TransformerEncoderLayer(D, H, FF, batch_first=True)).train()  # train: torch's plain path
    theirs.apply(lambda m: setattr(m, "p", 0.0) if isinstance(m, nn.Dropout) else None)
    theirs.self_attn.dropout = 0.0
    ours = EncoderLayer(D, H, FF, dropout=0.0)
    copy_layer(ours, theirs)
    x = torch.randn(2, 5, D)
    float_mask = torch.zeros(2, 1, 5, 5) if mask is None else torch.zeros(2, 1, 5, 5).masked_fill(~mask, -torch.inf)
    assert_same(ours(x, mask=mask), theirs(x, src_mask=float_mask.repeat(1, H, 1, 1).flatten(0, 1)))


def test_decoder_layer_equals_torch():
    theirs = randomised(nn.TransformerDecoderLayer(D, H, FF, batch_first=True))
    ours = DecoderLayer(D, H, FF).eval()
    copy_layer(ours, theirs)
    x, memory = torch.randn(2, 4, D), torch.randn(2, 5, D)
    mask = padding_mask(LENGTHS, 5)
    expected = theirs(x, memory, tgt_mask=~causal(4), memory_key_padding_mask=~mask[:, 0, 0])
    assert_same(ours(x, memory, mask=causal(4), memory_mask=mask), expected)


def test_transform_slot_acts_on_the_projected_queries():
    doubled, plain = (
        MultiHeadAttention(D, H, slots=Slots(transform=lambda q, k, m, n: (2 * q, k))),
        MultiHeadAttention(D, H),
    )
    plain.load_state_dict(doubled.state_dict())
    x = torch.randn(2, 5, D)
    with torch.no_grad():
        assert not torch.allclose(doubled(x, x), plain(x, x))
        for parameter in plain.to_q.parameters():
            parameter.mul_(2)
        assert_same(doubled(x, x), plain(x, x))


def test_transform_reaches_self_attention_and_not_cross_attention():
    def swap(q, k, m, n):
        return q.flip(-1), k

    for layer in (
        EncoderLayer(D, H, FF, slots=Slots(transform=swap)),
        DecoderLayer(D, H, FF, slots=Slots(transform=swap)),
    ):
        assert layer.self_attention.slots.transform is swap
    assert layer.cross_attention.slots.transform is None


@pytest.mark.parametrize(("n", "d_model", "h"), [(7, 12, 3), (16, 32, 4), (16, 32, 8)])
def test_cost_is_that_of_the_derivation(n, d_model, h):
    """Four maps of n vectors, 2nd² each; scores and sums of values, 2n²d each: the number of heads is no matter."""
    model, x = MultiHeadAttention(d_model, h), torch.randn(1, n, d_model)
    with FlopCounterMode(display=False) as counter:
        model(x, x)
    assert counter.get_total_flops() == 2 * 4 * n * d_model**2 + 2 * 2 * n**2 * d_model


def test_dropout_acts_on_the_update_and_not_on_the_residual():
    x = torch.randn(2, 5, D)
    dropped = AddNorm(D, dropout=1.0)
    assert_same(dropped(x, torch.randn(2, 5, D)), dropped.norm(x))


def test_a_cache_holds_what_was_computed_and_gives_the_last_rows():
    layer, x, cache = MultiHeadAttention(D, H, slots=Slots(bias=distance_bias)), torch.randn(2, 5, D), Cache()
    at = torch.arange(5) + 7
    full = layer(x, x, mask=causal(5), x_positions=at, y_positions=at)
    steps = [layer(x[:, [t]], x[:, [t]], x_positions=at[[t]], y_positions=at[[t]], cache=cache) for t in range(5)]
    assert_same(torch.cat(steps, dim=1), full)
    assert cache.positions.equal(at)
    assert cache.k.shape == cache.v.shape == (2, H, 5, D // H)


# --- grouped heads


@pytest.mark.parametrize("kv_heads", [1, 2, 4])
def test_grouped_heads_equal_llamas_in_transformers(kv_heads):
    config = LlamaConfig(hidden_size=32, num_attention_heads=4, num_key_value_heads=kv_heads, attention_bias=True)
    config._attn_implementation = "eager"
    theirs = randomised(LlamaAttention(config, layer_idx=0))
    ours = MultiHeadAttention(32, 4, kv_heads=kv_heads, slots=Slots(transform=Rotary(geometric_freqs(8), "half")))
    for name in ("q", "k", "v"):
        copy_linear(ours.get_submodule(f"to_{name}"), theirs.get_submodule(f"{name}_proj"))
    copy_linear(ours.to_out, theirs.o_proj)
    x, at = torch.randn(2, 5, 32), torch.arange(5)
    cos_sin = LlamaRotaryEmbedding(config)(x, at[None])
    hidden = torch.zeros(5, 5).masked_fill(~causal(5), -torch.inf)
    expected, _ = theirs(x, cos_sin, hidden)
    # Llama's cosines are made in float32, and so is its softmax.
    torch.testing.assert_close(ours(x, x, mask=causal(5)), expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("kv_heads", [1, 3])
def test_a_group_of_one_map_equals_heads_with_equal_maps(kv_heads):
    grouped, full = MultiHeadAttention(D, 6, kv_heads=kv_heads), MultiHeadAttention(D, 6)
    assert grouped.to_k.weight.shape == grouped.to_v.weight.shape == (kv_heads * 2, D)
    full.load_state_dict(
        {
            name: x.unflatten(0, (kv_heads, 2)).repeat_interleave(6 // kv_heads, 0).flatten(0, 1)
            if name.startswith(("to_k", "to_v")) else x
            for name, x in grouped.state_dict().items()
        }
    )  # fmt: skip
    x, y = torch.randn(2, 4, D), torch.randn(2, 5, D)
    assert_same(grouped(x, y), full(x, y))


def test_a_cache_keeps_the_heads_of_the_keys_only():
    slots = Slots(transform=Rotary(geometric_freqs(2)))
    layer, x, cache = EncoderLayer(D, 6, FF, 0.0, kv_heads=2, slots=slots), torch.randn(2, 5, D), Cache()
    steps = [layer(x[:, [t]], positions=torch.tensor([t]), cache=cache) for t in range(5)]
    assert_same(torch.cat(steps, dim=1), layer(x, mask=causal(5)))
    assert cache.k.shape == cache.v.shape == (2, 2, 5, 2)


def test_both_attentions_of_a_decoder_layer_have_groups():
    layer = DecoderLayer(D, 6, FF, kv_heads=2)
    assert layer.self_attention.kv_heads == layer.cross_attention.kv_heads == 2
    assert layer(torch.randn(2, 4, D), torch.randn(2, 5, D)).shape == (2, 4, D)
    assert repr(layer.cross_attention).startswith("MultiHeadAttention(\n  d_model=12, h=6, kv_heads=2\n")


def test_each_new_token_has_a_key_a_value_and_a_position():
    k = torch.ones(2, 3, 4, 8)
    with pytest.raises(ValueError, match=r"^each new token needs a key, a value and a position; got k \[2, 3, 4, 8\]"):
        Cache().extend(k, k, torch.arange(1))
