"""The same buckets, biases and outputs from other people's code; float32 logarithms, where they can go wrong."""

import math
import warnings
from itertools import product
from types import SimpleNamespace

import pytest
import torch
from transformers import T5Config, T5EncoderModel, T5ForConditionalGeneration, UMT5Config, UMT5EncoderModel
from transformers.models.cpmant.modeling_cpmant import CpmAntSegmentPositionEmbedding
from transformers.models.mpnet.modeling_mpnet import MPNetEncoder
from transformers.models.prophetnet.modeling_prophetnet import compute_relative_buckets
from transformers.models.t5.modeling_t5 import T5Attention
from transformers.models.wavlm.modeling_wavlm import WavLMAttention

from posenc_lib import Slots, attention, attention_weights, causal_mask
from posenc_lib.relative import T5Bias, t5_bucket

with warnings.catch_warnings():  # the import scripts a function, which torch has deprecated
    warnings.filterwarnings("ignore", "`torch.jit.script` is deprecated", DeprecationWarning)
    from x_transformers.x_transformers import RelativePositionBias

DISTANCES = torch.arange(-2000, 2001)
BUCKETS, MAXIMA = (4, 6, 8, 12, 16, 32, 64, 128), (10, 16, 20, 64, 100, 128, 200, 256, 512, 1000, 1024, 2048)


def exactly(a, b):
    torch.testing.assert_close(a, b, rtol=0, atol=0, check_dtype=False)


# --- buckets


@pytest.mark.parametrize("bidirectional", [True, False])
def test_transformers_and_x_transformers(bidirectional):
    for n_buckets, max_distance in product(BUCKETS, MAXIMA):
        settings = {"num_buckets": n_buckets, "max_distance": max(max_distance, n_buckets // 2 + 1)}
        ours = t5_bucket(-DISTANCES, *settings.values(), bidirectional=bidirectional)
        theirs = (
            T5Attention._relative_position_bucket(DISTANCES, bidirectional=bidirectional, **settings),
            RelativePositionBias._relative_position_bucket(DISTANCES, causal=not bidirectional, **settings),
        )
        assert all(other.equal(ours) for other in theirs), settings


def test_other_models_of_transformers_in_their_own_settings():
    wavlm = SimpleNamespace(num_buckets=320, max_distance=800)
    exactly(WavLMAttention._relative_positions_bucket(wavlm, DISTANCES), t5_bucket(-DISTANCES, 320, 800))
    cpmant = CpmAntSegmentPositionEmbedding._position_bucket(None, DISTANCES, num_buckets=512, max_distance=2048)
    exactly(cpmant, t5_bucket(-DISTANCES, 512, 2048))
    exactly(MPNetEncoder.relative_position_bucket(DISTANCES), t5_bucket(-DISTANCES))
    exactly(compute_relative_buckets(32, 128, DISTANCES), t5_bucket(-DISTANCES, bidirectional=False))


def test_float32_misses_an_edge_only_beside_an_integer_and_by_one_bucket():
    """Of all causal settings up to 24 buckets and 300 tokens, each distance: float32 may slip where the scale does."""
    tried = agreed = differing = 0
    for n_buckets in range(2, 25):
        for max_distance in range(n_buckets // 2 + 1, 301):
            past = torch.arange(max_distance + 2)
            ours = t5_bucket(past, n_buckets, max_distance, bidirectional=False)
            theirs = T5Attention._relative_position_bucket(
                -past, bidirectional=False, num_buckets=n_buckets, max_distance=max_distance
            )
            tried, agreed = tried + len(past), agreed + (ours == theirs).sum().item()
            slips = (ours != theirs).nonzero().flatten().tolist()
            assert len(slips) <= 2  # 17 buckets up to 27: at 12 and at 18, on x86
            differing += bool(slips)
            for x in slips:
                a, l = n_buckets // 2, n_buckets - n_buckets // 2
                scale = l * math.log(x / a) / math.log(max_distance / a)
                assert abs(scale - round(scale)) < 1e-5
                assert abs(ours[x] - theirs[x]) == 1
    assert tried - agreed < tried / 10_000
    assert differing <= 12  # of these settings, 3 on x86; how many depends on the processor's logarithm


@pytest.mark.parametrize(("distance", "bucket"), [(11, 10), (12, 11), (17, 13), (18, 14)])
def test_two_edges_that_float32_may_miss(distance, bucket):
    """17 buckets up to 27: 12⁹ = 8⁶ · 27³ and 18⁹ = 8³ · 27⁶."""
    assert (12**9, 18**9) == (8**6 * 27**3, 8**3 * 27**6)
    assert t5_bucket(torch.tensor(distance), 17, 27, bidirectional=False) == bucket


# --- the bias, and attention with it


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(("i", "j"), [(30, 30), (1, 300), (40, 200)])
def test_the_module_of_x_transformers(i, j, causal):
    """Its queries stand at the end of the keys."""
    theirs = RelativePositionBias(1.0, causal=causal, heads=3)
    ours = T5Bias(3, bidirectional=not causal)
    ours.load_state_dict({"table": theirs.relative_attention_bias.weight})
    exactly(ours(torch.arange(j - i, j), torch.arange(j)), theirs(i, j))


def small(**options):
    return T5Config(vocab_size=50, d_model=24, d_kv=8, num_heads=3, d_ff=32, num_layers=3, dropout_rate=0.0, **options)


def ported(theirs):
    """Our module with the table of one of theirs."""
    ours = T5Bias(theirs.n_heads, bidirectional=not theirs.is_decoder).double()
    ours.load_state_dict({"table": theirs.relative_attention_bias.weight})
    return ours


def by_the_library(theirs, x, slots, **options):
    """Their layer in our attention: the same weights."""

    def heads(linear):
        return linear(x).unflatten(-1, (theirs.n_heads, -1)).transpose(1, 2)

    out = attention(heads(theirs.q), heads(theirs.k), heads(theirs.v), slots, **options)
    return theirs.o(out.transpose(1, 2).flatten(-2))


@pytest.mark.parametrize("is_decoder", [False, True])
def test_an_attention_layer_of_t5_with_its_weights(is_decoder):
    torch.manual_seed(0)
    theirs = T5Attention(small(is_decoder=is_decoder), has_relative_attention_bias=True, layer_idx=0).double()
    torch.nn.init.normal_(theirs.relative_attention_bias.weight)
    x, positions = torch.randn(2, 200, 24, dtype=torch.float64), torch.arange(200)
    mask = causal_mask(positions, positions) if is_decoder else None
    as_numbers = None if mask is None else torch.zeros(200, 200).double().masked_fill(~mask, float("-inf"))[None, None]
    wanted, position_bias, _ = theirs(x, mask=as_numbers)
    ours = ported(theirs)
    exactly(ours(positions, positions)[None], position_bias)
    torch.testing.assert_close(by_the_library(theirs, x, ours.slots(), mask=mask), wanted, rtol=0, atol=1e-12)
    divided = by_the_library(theirs, x, Slots(bias=ours), mask=mask)
    assert (divided - wanted).abs().max() > 0.01


def test_a_cached_step_of_a_t5_decoder():
    theirs = T5Attention(small(is_decoder=True), has_relative_attention_bias=True, layer_idx=0).double()
    torch.nn.init.normal_(theirs.relative_attention_bias.weight)
    wanted = theirs.compute_bias(2, 152, past_seen_tokens=150)[0]
    exactly(ported(theirs)(torch.tensor([150, 151]), torch.arange(152)), wanted)


def test_a_stack_of_t5_shares_one_table_and_umt5_has_one_a_layer():
    def tables(model):
        return [name for name, _ in model.named_parameters() if "relative_attention_bias" in name]

    model = T5ForConditionalGeneration(small(num_decoder_layers=3))
    in_first = "block.0.layer.0.SelfAttention.relative_attention_bias.weight"
    assert tables(model) == [f"encoder.{in_first}", f"decoder.{in_first}"]
    options = {"vocab_size": 50, "d_model": 24, "d_kv": 8, "num_heads": 3, "d_ff": 32, "num_layers": 3}
    assert len(tables(UMT5EncoderModel(UMT5Config(**options)))) == 3


def test_all_layers_of_a_t5_encoder_with_one_module():
    torch.manual_seed(0)
    model = T5EncoderModel(small()).double().eval()
    table = model.encoder.block[0].layer[0].SelfAttention.relative_attention_bias.weight
    torch.nn.init.normal_(table)
    tokens = torch.randint(50, (2, 150))
    with torch.no_grad():
        wanted = model(tokens).last_hidden_state
        bias, x = ported(model.encoder.block[0].layer[0].SelfAttention), model.shared(tokens)
        for block in model.encoder.block:
            attend, feed = block.layer
            x = x + by_the_library(attend.SelfAttention, attend.layer_norm(x), bias.slots())
            x = feed(x)
        torch.testing.assert_close(model.encoder.final_layer_norm(x), wanted, rtol=0, atol=1e-12)


def test_the_initial_weights_of_t5_give_scores_of_the_usual_size():
    """Queries are drawn smaller by √d. Dividing once more, by √64, would leave an eighth."""
    torch.manual_seed(0)
    config = T5Config(vocab_size=10, d_model=512, d_kv=64, num_heads=8, d_ff=16, num_layers=1)
    layer = T5EncoderModel(config).encoder.block[0].layer[0].SelfAttention
    x = torch.randn(300, 512)
    q, k = (linear(x).unflatten(-1, (8, 64)).transpose(0, 1) for linear in (layer.q, layer.k))
    weights = attention_weights(q, k, Slots(scale=1.0))
    scores = weights.log() - weights.log().mean(-1, keepdim=True)
    assert scores.std().item() == pytest.approx(1, abs=0.05)
