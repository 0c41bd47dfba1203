"""The Transformer: its stacks, equal to torch's with the same weights; its embeddings; what it sees and writes."""

import pytest
import torch
from torch import nn

from posenc_lib import Slots, padding_mask
from posenc_lib.transformer import (
    Decoder,
    DecoderLayer,
    Encoder,
    EncoderLayer,
    TokenEmbedding,
    Transformer,
    greedy_decode,
)
from tests.support.torch_weights import assert_same, causal, copy_layer, distance_bias, randomised

D, H, FF = 12, 3, 20


pytestmark = pytest.mark.usefixtures("float64")


def test_stacks_equal_torch():
    theirs = nn.TransformerDecoder(nn.TransformerDecoderLayer(D, H, FF, batch_first=True), 3)
    randomised(theirs)
    ours = Decoder(DecoderLayer(D, H, FF) for _ in range(3)).eval()
    for a, b in zip(ours.layers, theirs.layers, strict=True):
        copy_layer(a, b)
    x, memory = torch.randn(2, 4, D), torch.randn(2, 5, D)
    mask = padding_mask(torch.tensor([5, 2]), 5)
    expected = theirs(x, memory, tgt_mask=~causal(4), memory_key_padding_mask=~mask[:, 0, 0])
    assert_same(ours(x, memory, mask=causal(4), memory_mask=mask), expected)


def test_encoder_applies_each_layer_in_turn_with_mask_and_positions():
    encoder = Encoder(EncoderLayer(D, H, FF, slots=Slots(bias=distance_bias)) for _ in range(3)).eval()
    x, positions = torch.randn(2, 5, D), torch.tensor([4, 0, 9, 1, 2])
    expected = x
    for layer in encoder.layers:
        expected = layer(expected, mask=causal(5), positions=positions)
    assert_same(encoder(x, mask=causal(5), positions=positions), expected)


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


def test_positions_are_counted_on_the_device_of_the_tokens():
    """Torch's default device is another one here, as it is where a model is built on a GPU."""
    model, tokens = small(source_position=positions_8, target_position=positions_8), torch.tensor([[1, 2]])
    with torch.device("meta"):
        scores = model(tokens, tokens)
    assert_same(scores, model(tokens, tokens))


def test_embedding_drops_the_sum_of_token_and_position():
    assert (
        TokenEmbedding(6, 4, position=lambda p: torch.ones(len(p), 4), dropout=1.0)(torch.tensor([[5, 1]])) == 0
    ).all()


def positions_8(positions):
    return torch.sin(positions[:, None] * torch.logspace(0, -2, 8, device=positions.device))


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


@pytest.mark.compiled
@pytest.mark.usefixtures("as_in_use")
def test_compiled_equals_eager():
    model = Transformer(9, 7, d_model=8, h=2, d_ff=16, n_layers=1, source_position=positions_8).eval()
    source, target, mask = torch.tensor([[1, 2, 3]]), torch.tensor([[1, 2]]), padding_mask(torch.tensor([2]), 3)
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    assert_same(compiled(source, target, mask), model(source, target, mask))
