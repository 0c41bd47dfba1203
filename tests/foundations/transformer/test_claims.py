"""What the chapter on the Transformer proves, verified in numbers; and its BERT embeddings beside transformers' own."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode
from transformers import BertConfig
from transformers.models.bert.modeling_bert import BertEmbeddings

from bookkit.french_numbers import START, WORDS, digit_tokens, word_tokens
from posenc_lib import Slots, attention, attention_weights, causal_mask, padding_mask
from posenc_lib.absolute import sinusoidal
from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import Rotary
from posenc_lib.transformer import MultiHeadAttention, Transformer
from tools.notebooks import read_text

CHAPTER = Path(__file__).parents[3] / "book" / "foundations" / "transformer.md"
N, D = 6, 16


@pytest.fixture(autouse=True)
def float64():
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def assert_same(a, b):
    torch.testing.assert_close(a, b, rtol=0, atol=1e-12)


def positions_of(n, d=D):
    return sinusoidal(torch.arange(n), d, dtype=torch.float64)


def flops(model, *inputs):
    with FlopCounterMode(display=False) as counter:
        model(*inputs)
    return counter.get_total_flops()


# --- cost


@pytest.mark.claim("transformer.cost")
@pytest.mark.parametrize(("b", "n", "d", "h"), [(1, 1, 2, 1), (1, 7, 12, 3), (3, 5, 16, 16), (2, 64, 8, 2)])
def test_flops_of_self_attention_are_twice_the_derived_multiplications(b, n, d, h):
    x = torch.zeros(b, n, d)
    assert flops(MultiHeadAttention(d, h), x, x) == b * 2 * (4 * n * d**2 + 2 * n**2 * d)


@pytest.mark.claim("transformer.cost")
def test_scores_and_averages_overtake_the_maps_beyond_two_d_tokens():
    maps = {n: flops(nn.Linear(D, 4 * D, bias=False), torch.zeros(n, D)) for n in (2 * D - 1, 2 * D, 2 * D + 1)}
    rest = {n: flops(MultiHeadAttention(D, 2), x := torch.zeros(1, n, D), x) - maps[n] for n in maps}
    assert [rest[n] - maps[n] > 0 for n in maps] == [False, False, True]
    assert rest[2 * D] == maps[2 * D]


# --- scale


def signs(d):
    """All vectors of d features ±1: independent, with mean 0 and variance 1, and no sampling error."""
    return torch.tensor(list(itertools.product([-1.0, 1.0], repeat=d)))


@pytest.mark.claim("transformer.scale")
@pytest.mark.parametrize("d", [1, 2, 3, 5, 8])
def test_variance_of_a_dot_product_is_the_number_of_features(d):
    products = signs(d) @ signs(d).T
    assert products.mean() == 0
    assert products.square().mean() == d


@pytest.mark.claim("transformer.scale")
@pytest.mark.parametrize("d", [1, 2, 3, 5, 8])
def test_scores_of_the_library_have_variance_one(d):
    keys = torch.cat((torch.zeros(1, d), signs(d)))  # against the key 0, whose score is 0
    weights = attention_weights(signs(d), keys)
    scores = (weights[:, 1:] / weights[:, :1]).log()
    assert_same(scores.square().mean(), torch.tensor(1.0))


# --- what is added reaches the values


@pytest.mark.claim("transformer.additive-reaches-values")
def test_output_is_an_average_of_contents_and_an_average_of_positions():
    x, p, w_v, q, k = torch.randn(N, D), positions_of(N), torch.randn(D, D), torch.randn(N, D), torch.randn(N, D)
    out = attention(q, k, (x + p) @ w_v)
    weights = attention_weights(q, k)
    for i in range(N):
        contents = sum(weights[i, j] * (x[j] @ w_v) for j in range(N))
        positions = sum(weights[i, j] * p[j] for j in range(N))
        assert_same(out[i], contents + positions @ w_v)


@pytest.mark.claim("transformer.additive-reaches-values")
def test_positions_pass_through_a_module_that_looks_everywhere_alike():
    """With queries of zero the weights are 1/n, and what the positions change is their mean, mapped."""
    model = MultiHeadAttention(D, 4)
    nn.init.zeros_(model.to_q.weight)
    nn.init.zeros_(model.to_q.bias)
    x, p = torch.randn(1, N, D), positions_of(N)
    through = p.mean(0) @ model.to_v.weight.T @ model.to_out.weight.T
    assert_same(model(x + p, x + p) - model(x, x), through.expand(1, N, D))
    assert through.norm() > 0.1


def distance_bias(m, n):
    return -(m[:, None] - n[None, :]).abs().double()


@pytest.mark.claim("transformer.equal-values")
@pytest.mark.parametrize("slot", ["none", "transform", "bias", "mask"])
def test_equal_values_give_that_value_whatever_the_weights(slot):
    slots = {"transform": Slots(transform=Rotary(geometric_freqs(D))), "bias": Slots(bias=distance_bias)}.get(slot)
    mask = causal_mask(torch.arange(N), torch.arange(N)) if slot == "mask" else None
    q, k, v = torch.randn(2, N, D), torch.randn(2, N, D), torch.randn(1, 1, D).expand(2, N, D)
    assert_same(attention(q, k, v, slots, mask=mask), v)


@pytest.mark.claim("transformer.equal-values")
def test_one_word_repeated_is_told_apart_by_what_is_added_and_not_by_rotation():
    rotary, plain = (
        MultiHeadAttention(D, 1, slots=Slots(transform=Rotary(geometric_freqs(D)))),
        MultiHeadAttention(D, 1),
    )
    x, p = torch.randn(1, 1, D).expand(1, N, D), positions_of(N)
    alike, apart = rotary(x, x)[0], plain(x + p, x + p)[0]
    assert_same(alike, alike[:1].expand(N, D))
    assert torch.pdist(apart).min() > 1e-3


# --- the collision


def model(seed, **kwargs):
    """Weights far larger than at a usual start, so that nothing is hidden by being small."""
    torch.manual_seed(seed)
    made = Transformer(len(WORDS), 11, d_model=D, h=2, d_ff=24, n_layers=2, **kwargs).eval()
    for parameter in made.parameters():
        nn.init.normal_(parameter, std=0.4)
    return made


def scores_of(made, numbers):
    """For each number all the decoder's scores while it reads one and the same target."""
    words, lengths = word_tokens([*numbers, 9999])  # the longest, so that there is padding
    target = torch.tensor([[START, 3, 1, 4]]).expand(len(numbers) + 1, -1)
    return made(words, target, padding_mask(lengths, words.shape[1]))[:-1]


COLLISIONS = [[1002, 2000], [1003, 3000], [108, 800], [2305, 5302, 3205, 5203], [1789, 1987, 9780]]


@pytest.mark.claim("transformer.collision")
@pytest.mark.parametrize("numbers", COLLISIONS, ids=str)
def test_without_positions_the_same_words_collide_in_every_weight_setting(numbers):
    for seed in range(5):
        scores = scores_of(model(seed, target_position=positions_16), numbers)
        assert_same(scores, scores[:1].expand_as(scores))


def positions_16(positions):
    return sinusoidal(positions, D, dtype=torch.float64)


@pytest.mark.claim("transformer.collision")
def test_with_positions_and_for_other_words_they_do_not():
    a, b = scores_of(model(0, source_position=positions_16), [1002, 2000])
    assert (a - b).abs().max() > 0.01
    a, b = scores_of(model(0), [1002, 1003])
    assert (a - b).abs().max() > 0.01


@pytest.mark.claim("transformer.collision")
def test_cross_attention_does_not_mind_the_order_of_the_memory():
    cross, x, memory = MultiHeadAttention(D, 4), torch.randn(2, 3, D), torch.randn(2, 5, D)
    for order in itertools.permutations(range(5)):
        assert_same(cross(x, memory[:, order]), cross(x, memory))


@pytest.mark.claim("transformer.collision")
def test_cross_attention_that_counts_the_places_of_the_memory_does_mind_it():
    """What the claim leaves outside: the library's decoder never does this."""
    q, k, v = torch.randn(3, D), torch.randn(5, D), torch.randn(5, D)
    order, slots = torch.tensor([3, 0, 4, 1, 2]), Slots(transform=Rotary(geometric_freqs(D)))
    there, here = attention(q, k[order], v[order], slots), attention(q, k, v, slots)
    assert (there - here).abs().max() > 0.01


@pytest.mark.claim("transformer.collision")
@pytest.mark.parametrize("seed", range(5))
def test_every_order_of_the_same_words_gives_the_same_logits(seed):
    """All 24 orders of four tokens, whether or not they make a number, as one batch."""
    made, target = model(seed, target_position=positions_16), torch.tensor([[START, 1, 7, 8]])
    texts = torch.tensor(list(itertools.permutations([3, 5, 7, 7])))
    scores = made(texts, target.expand(len(texts), -1))
    assert_same(scores, scores[:1].expand_as(scores))


@pytest.mark.claim("transformer.collision")
def test_the_permuted_scores_are_the_scores_with_permuted_columns():
    q, memory, w_k, w_v = torch.randn(3, D), torch.randn(5, D), torch.randn(D, D), torch.randn(D, D)
    order = torch.tensor([3, 0, 4, 1, 2])
    plain, permuted = attention_weights(q, memory @ w_k), attention_weights(q, memory[order] @ w_k)
    assert_same(permuted, plain[:, order])
    assert_same(permuted @ (memory[order] @ w_v), plain @ (memory @ w_v))


# --- parallel training, and the page's own code


def test_one_pass_over_the_target_equals_writing_it_token_by_token():
    made, words = model(0, source_position=positions_16, target_position=positions_16), word_tokens([1789, 2000])[0]
    target = torch.cat((torch.full((2, 1), START), digit_tokens([1789, 2000])[:, :3]), dim=1)
    for t in range(4):
        assert_same(made(words, target[:, : t + 1])[:, -1], made(words, target)[:, t])


@pytest.fixture
def page_embeddings():
    """The class as it stands in the chapter's text."""
    (cell,) = [c.source for c in read_text(CHAPTER).cells if c.source.startswith("class BertEmbeddings")]
    names = {"torch": torch, "nn": nn}
    exec(cell, names)
    return names["BertEmbeddings"]


def test_bert_embeddings_of_the_page_equal_those_of_transformers(page_embeddings):
    theirs = BertEmbeddings(BertConfig(vocab_size=50, hidden_size=24, max_position_embeddings=40))
    ours = page_embeddings(50, 24, 40)
    pairs = {"words": "word", "positions": "position", "segments": "token_type"}
    for name, other in pairs.items():
        ours.get_submodule(name).load_state_dict(theirs.get_submodule(f"{other}_embeddings").state_dict())
    for parameter in theirs.LayerNorm.parameters():
        nn.init.normal_(parameter)
    ours.norm.load_state_dict(theirs.LayerNorm.state_dict())
    assert (ours.norm.eps, ours.dropout.p) == (theirs.LayerNorm.eps, theirs.dropout.p)
    tokens, segments = torch.randint(50, (3, 40)), torch.randint(2, (3, 40))
    assert_same(ours.eval()(tokens, segments), theirs.eval()(tokens, token_type_ids=segments))

    def dropped(module, **kwargs):  # the same random numbers: dropout must come last, as there
        torch.manual_seed(1)
        return module.train()(tokens, **kwargs)

    assert_same(dropped(ours, segments=segments), dropped(theirs, token_type_ids=segments))


def test_bert_has_no_position_past_its_table(page_embeddings):
    tokens = torch.zeros(1, 41, dtype=torch.long)
    with pytest.raises(IndexError, match="index out of range"):
        page_embeddings(50, 24, 40)(tokens, tokens)


def test_copies_of_a_torch_layer_start_equal_and_those_of_nn_transformer_do_not():
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    copies = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).layers
    drawn_again = nn.Transformer(16, 2, 2, 2, 32, batch_first=True).encoder.layers
    assert torch.equal(copies[0].linear1.weight, copies[1].linear1.weight)
    assert copies[0].linear1.weight is not copies[1].linear1.weight
    assert not torch.equal(drawn_again[0].linear1.weight, drawn_again[1].linear1.weight)
