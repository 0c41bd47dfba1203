"""The layers: equal to torch's with the same weights, their cost, and what each promises."""

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from posenc_lib import Slots, padding_mask
from posenc_lib.transformer import AddNorm, Cache, DecoderLayer, EncoderLayer, MultiHeadAttention
from tests.support.torch_weights import assert_same, causal, copy_attention, copy_layer, distance_bias, randomised

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


def test_bias_slot_equals_a_float_mask_in_torch():
    theirs = randomised(nn.MultiheadAttention(D, H, batch_first=True))
    ours = MultiHeadAttention(D, H, slots=Slots(bias=distance_bias))
    copy_attention(ours, theirs)
    x = torch.randn(2, 5, D)
    mask = distance_bias(torch.arange(5), torch.arange(5)).repeat(2, 1, 1)
    assert_same(ours(x, x), theirs(x, x, x, attn_mask=mask, need_weights=False)[0])


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


def test_a_cache_without_positions_is_refused():
    x = torch.zeros(1, 2, D)
    with pytest.raises(ValueError, match="a cache needs the positions of the new tokens: pass y_positions"):
        MultiHeadAttention(D, H)(x, x, cache=Cache())


@pytest.mark.parametrize("h", [5, 0, -1])
def test_heads_must_divide_the_width(h):
    with pytest.raises(ValueError, match=rf"h must divide d_model; got d_model = 12, h = {h}"):
        MultiHeadAttention(12, h)


@pytest.mark.usefixtures("as_in_use")
@pytest.mark.parametrize(("d_x", "d_y"), [(8, 12), (12, 8), (8, 8)])
def test_vectors_of_another_width_are_refused(d_x, d_y):
    with pytest.raises(ValueError, match=rf"must have 12 features; got x \[1, 2, {d_x}\], y \[1, 3, {d_y}\]"):
        MultiHeadAttention(12, 3)(torch.zeros(1, 2, d_x), torch.zeros(1, 3, d_y))


@pytest.mark.usefixtures("as_in_use")
def test_batches_of_different_sizes_are_refused():
    with pytest.raises(ValueError, match=r"q \[2, 3, 4, 4\], k \[1, 3, 4, 4\]"):
        MultiHeadAttention(12, 3)(torch.zeros(2, 4, 12), torch.zeros(1, 4, 12))
