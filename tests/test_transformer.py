"""The Transformer: equal to torch's with the same weights, its cost, and what its parts promise."""

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from posenc_lib.attention import causal_mask, padding_mask
from posenc_lib.transformer import (
    AddNorm,
    Decoder,
    DecoderLayer,
    Encoder,
    EncoderLayer,
    MultiHeadAttention,
    TokenEmbedding,
    Transformer,
    greedy_decode,
)

D, H, FF = 12, 3, 20


@pytest.fixture(autouse=True)
def float64():
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def randomised(module):
    """Torch starts some biases at zero and some scales at one, which would hide a mistake in them."""
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.5)
    return module.eval()


def copy_linear(ours, theirs):
    ours.load_state_dict(theirs.state_dict())


def copy_attention(ours, theirs):
    for name, weight, bias in zip("qkv", theirs.in_proj_weight.chunk(3), theirs.in_proj_bias.chunk(3), strict=True):
        ours.get_submodule(f"to_{name}").load_state_dict({"weight": weight, "bias": bias})
    copy_linear(ours.to_out, theirs.out_proj)


def copy_layer(ours, theirs):
    copy_attention(ours.self_attention, theirs.self_attn)
    if isinstance(ours, DecoderLayer):
        copy_attention(ours.cross_attention, theirs.multihead_attn)
    copy_linear(ours.feed_forward[0], theirs.linear1)
    copy_linear(ours.feed_forward[2], theirs.linear2)
    for i, add_norm in enumerate(ours.add_norms, start=1):
        copy_linear(add_norm.norm, theirs.get_submodule(f"norm{i}"))


def causal(n):
    return causal_mask(torch.arange(n), torch.arange(n))


def assert_same(a, b):
    torch.testing.assert_close(a, b, rtol=0, atol=1e-12)


def distance_bias(m, n):
    return -torch.tensor([1.0, 0.5, 0.25])[:, None, None] * (m[:, None] - n[None, :]).abs()


LENGTHS = torch.tensor([5, 2])


def test_multi_head_attention_equals_torch_with_causal_mask():
    theirs = randomised(nn.MultiheadAttention(D, H, batch_first=True))
    ours = MultiHeadAttention(D, H)
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
    ours = MultiHeadAttention(D, H, bias=distance_bias)
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


def test_stacks_equal_torch():
    theirs = nn.TransformerDecoder(nn.TransformerDecoderLayer(D, H, FF, batch_first=True), 3)
    randomised(theirs)
    ours = Decoder(DecoderLayer(D, H, FF) for _ in range(3)).eval()
    for a, b in zip(ours.layers, theirs.layers, strict=True):
        copy_layer(a, b)
    x, memory = torch.randn(2, 4, D), torch.randn(2, 5, D)
    mask = padding_mask(LENGTHS, 5)
    expected = theirs(x, memory, tgt_mask=~causal(4), memory_key_padding_mask=~mask[:, 0, 0])
    assert_same(ours(x, memory, mask=causal(4), memory_mask=mask), expected)


def test_encoder_applies_each_layer_in_turn_with_mask_and_positions():
    encoder = Encoder(EncoderLayer(D, H, FF, bias=distance_bias) for _ in range(3)).eval()
    x, positions = torch.randn(2, 5, D), torch.tensor([4, 0, 9, 1, 2])
    expected = x
    for layer in encoder.layers:
        expected = layer(expected, mask=causal(5), positions=positions)
    assert_same(encoder(x, mask=causal(5), positions=positions), expected)


def test_positions_reach_the_slots_of_both_kinds_of_layer():
    """Permuting tokens together with their positions permutes the output; the tokens alone does not."""
    order = torch.tensor([2, 0, 4, 1, 3])
    x, memory = torch.randn(1, 5, D), torch.randn(1, 3, D)
    encoder = Encoder([EncoderLayer(D, H, FF, bias=distance_bias)]).eval()
    decoder = Decoder([DecoderLayer(D, H, FF, bias=distance_bias)]).eval()
    for run in (encoder, lambda x, **kw: decoder(x, memory, **kw)):
        assert_same(run(x[:, order], positions=order), run(x)[:, order])
        assert not torch.allclose(run(x[:, order]), run(x)[:, order])


def test_transform_slot_acts_on_the_projected_queries():
    doubled, plain = MultiHeadAttention(D, H, transform=lambda q, k, m, n: (2 * q, k)), MultiHeadAttention(D, H)
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

    for layer in (EncoderLayer(D, H, FF, transform=swap), DecoderLayer(D, H, FF, transform=swap)):
        assert layer.self_attention.transform is swap
    assert layer.cross_attention.transform is None
    assert layer.cross_attention.bias is None


@pytest.mark.parametrize(("n", "d_model", "h"), [(7, 12, 3), (16, 32, 4), (16, 32, 8)])
def test_cost_is_that_of_the_derivation(n, d_model, h):
    """Four maps of n vectors, 2nd² each; scores and sums of values, 2n²d each: the number of heads is no matter."""
    model, x = MultiHeadAttention(d_model, h), torch.randn(1, n, d_model)
    with FlopCounterMode(display=False) as counter:
        model(x, x)
    assert counter.get_total_flops() == 2 * 4 * n * d_model**2 + 2 * 2 * n**2 * d_model


def test_no_two_layers_start_equal_or_share_weights():
    model = Transformer(5, 5, d_model=8, h=2, d_ff=8, n_layers=3)
    for stack in (model.encoder, model.decoder):
        weights = [layer.self_attention.to_q.weight for layer in stack.layers]
        assert len(weights) == 3
        assert not any(torch.equal(a, b) for i, a in enumerate(weights) for b in weights[:i])


def test_defaults_are_the_papers_base_model():
    with torch.device("meta"):
        model = Transformer(7, 9)
    assert (len(model.encoder.layers), len(model.decoder.layers)) == (6, 6)
    assert model.to_scores.weight.shape == (9, 512)
    attention, hidden = model.encoder.layers[0].self_attention, model.encoder.layers[0].feed_forward[0]
    assert (attention.h, attention.d_model, hidden.out_features) == (8, 512, 2048)
    assert {m.p for m in model.modules() if isinstance(m, nn.Dropout)} == {0.1}


def test_dropout_acts_on_the_update_and_not_on_the_residual():
    x = torch.randn(2, 5, D)
    dropped = AddNorm(D, dropout=1.0)
    assert_same(dropped(x, torch.randn(2, 5, D)), dropped.norm(x))


def test_every_part_uses_the_dropout_that_the_model_is_given():
    model = Transformer(4, 4, d_model=D, h=H, d_ff=FF, n_layers=1, dropout=0.25)
    for part in model.encoder, model.decoder, model.embed_source, model.embed_target:
        assert {m.p for m in part.modules() if isinstance(m, nn.Dropout)} == {0.25}


def test_embedding_is_the_table_times_the_root_of_its_width_plus_positions():
    embed = TokenEmbedding(6, 4, position=lambda p: p[:, None] + torch.tensor([0.0, 0.1, 0.2, 0.3])).eval()
    with torch.no_grad():
        embed.table.weight.copy_(torch.arange(24.0).reshape(6, 4))
    expected = torch.tensor(
        [[[40.0, 42.1, 44.2, 46.3], [9.0, 11.1, 13.2, 15.3]]]
    )  # rows 5 and 1, doubled, plus 0 and 1
    assert_same(embed(torch.tensor([[5, 1]])), expected)


def test_scaled_embeddings_start_with_unit_variance():
    x = TokenEmbedding(2000, 64, dropout=0.0)(torch.arange(2000)[None])
    assert abs(x.std().item() - 1) < 0.02


def test_embedding_drops_the_sum_of_token_and_position():
    assert (
        TokenEmbedding(6, 4, position=lambda p: torch.ones(len(p), 4), dropout=1.0)(torch.tensor([[5, 1]])) == 0
    ).all()


def positions_8(positions):
    return torch.sin(positions[:, None] * torch.logspace(0, -2, 8))


def small(**kwargs):
    """Wild matrices, and a seed with which the tokens that it writes differ from step to step."""
    torch.manual_seed(3)
    model = Transformer(9, 7, d_model=8, h=2, d_ff=16, n_layers=2, **kwargs).eval()
    for parameter in model.parameters():
        if parameter.ndim == 2:
            nn.init.normal_(parameter, std=0.5)
    return model


def test_source_and_target_positions_go_to_their_own_side():
    model = small(source_position=positions_8)
    assert (model.embed_source.position, model.embed_target.position) == (positions_8, None)
    model = small(target_position=positions_8)
    assert (model.embed_source.position, model.embed_target.position) == (None, positions_8)


def test_target_sees_nothing_that_follows():
    model, source = small(target_position=positions_8), torch.tensor([[1, 2, 3]])
    a, b = model(source, torch.tensor([[1, 2, 3, 4]])), model(source, torch.tensor([[1, 2, 5, 6]]))
    assert_same(a[:, :2], b[:, :2])
    assert not torch.allclose(a[:, 2], b[:, 2])


def test_target_sees_all_that_precedes():
    model, source = small(target_position=positions_8), torch.tensor([[1, 2, 3]])
    a, b = model(source, torch.tensor([[1, 2, 3, 4]])), model(source, torch.tensor([[5, 2, 3, 4]]))
    assert ((a - b).abs().amax(-1) > 1e-6).all()


def test_padding_of_the_source_changes_nothing():
    model = small(source_position=positions_8)
    target = torch.tensor([[1, 2], [1, 2]])
    source, mask = torch.tensor([[1, 2, 0, 0], [1, 2, 5, 7]]), padding_mask(torch.tensor([2, 2]), 4)
    padded = model(source, target, mask)
    assert_same(padded, model(source[:, :2], target))
    assert not torch.allclose(padded, model(source, target))


SOURCES = torch.tensor([[a, b, c] for a in range(5) for b in range(5) for c in range(2)])


def test_greedy_decoding_takes_the_best_token_each_time():
    model = small(source_position=positions_8, target_position=positions_8)
    out = greedy_decode(model, SOURCES, 6, 4)
    assert out.shape == (50, 4)
    assert (out != out[:, :1]).any()  # or else the first step's token would do for all
    target = torch.cat((torch.full((50, 1), 6), out), dim=1)
    assert torch.equal(model(SOURCES, target[:, :-1]).argmax(-1), out)  # one pass over all the steps says the same


def test_greedy_decoding_reads_no_padding():
    model = small(source_position=positions_8, target_position=positions_8)
    mask = padding_mask(torch.full((50,), 2), 3)
    out, unpadded = greedy_decode(model, SOURCES, 6, 4, mask), greedy_decode(model, SOURCES[:, :2], 6, 4)
    assert torch.equal(out, unpadded)
    assert not torch.equal(out, greedy_decode(model, SOURCES, 6, 4))


def test_greedy_decoding_keeps_no_gradients():
    model, scores = small(), []
    model.to_scores.register_forward_hook(lambda module, args, out: scores.append(out))
    greedy_decode(model, torch.tensor([[1]]), 0, 2)
    assert [x.requires_grad for x in scores] == [False, False]


def test_every_parameter_gets_a_gradient():
    model = small(source_position=positions_8, target_position=positions_8).train()
    model(torch.tensor([[1, 2]]), torch.tensor([[3, 4]])).square().sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())


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


@pytest.mark.usefixtures("as_in_use")
def test_compiled_equals_eager():
    model = Transformer(9, 7, d_model=8, h=2, d_ff=16, n_layers=1, source_position=positions_8).eval()
    source, target, mask = torch.tensor([[1, 2, 3]]), torch.tensor([[1, 2]]), padding_mask(torch.tensor([2]), 3)
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    assert_same(compiled(source, target, mask), model(source, target, mask))
