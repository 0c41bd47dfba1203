"""transformers' convolutions and Conformers, torch's own padding, and what WeNet's and ESPnet's layers gave."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import torch
from torch.nn import functional as F
from transformers import (
    Data2VecAudioConfig,
    HubertConfig,
    SpeechT5Config,
    UniSpeechConfig,
    Wav2Vec2Config,
    Wav2Vec2ConformerConfig,
    Wav2Vec2Model,
    WavLMConfig,
)
from transformers.models.data2vec.modeling_data2vec_audio import Data2VecAudioPositionalConvEmbedding
from transformers.models.hubert.modeling_hubert import HubertPositionalConvEmbedding
from transformers.models.wav2vec2.modeling_wav2vec2 import Wav2Vec2PositionalConvEmbedding
from transformers.models.wav2vec2_conformer.modeling_wav2vec2_conformer import Wav2Vec2ConformerRelPositionalEmbedding

from posenc_lib import Slots, attention
from posenc_lib.absolute import sinusoidal
from posenc_lib.pairs import half_from_interleaved
from posenc_lib.relative import TransformerXLBias, rel_shift
from posenc_lib.shapes import ConvolutionalPositions, KeyPlaceBias, frame_convolution, middle_rows
from tests.support.weights import normal

TIGHT = {"rtol": 0, "atol": 1e-12}
ORACLE = json.loads((Path(__file__).parents[2] / "oracles" / "rel_shift_speech.json").read_text())["out"]
H, D = 2, 4


def wav2vec(kernel):
    torch.manual_seed(kernel)
    theirs = Wav2Vec2PositionalConvEmbedding(Wav2Vec2Config(hidden_size=32, num_conv_pos_embeddings=kernel)).double()
    for parameter in theirs.parameters():
        torch.nn.init.normal_(parameter)
    return theirs


def with_the_weights_of(theirs):
    conv = theirs.conv
    norm = conv.parametrizations.weight
    ours = ConvolutionalPositions(32, conv.kernel_size[0]).double()
    ours.load_state_dict({"weight_g": norm.original0, "weight_v": norm.original1, "bias": conv.bias})
    return ours


@pytest.mark.parametrize("kernel", [128, 5, 4, 1])
def test_transformers_convolution_with_its_weights(kernel):
    theirs, x = wav2vec(kernel), normal(2, 150, 32)
    torch.testing.assert_close(with_the_weights_of(theirs)(x), theirs(x), rtol=1e-10, atol=1e-10)


def test_the_class_defaults_are_those_of_transformers():
    for of_class in (Wav2Vec2Config, HubertConfig, WavLMConfig, UniSpeechConfig, SpeechT5Config):
        config = of_class()
        expected = (config.hidden_size, 768 // config.num_conv_pos_embedding_groups, config.num_conv_pos_embeddings)
        assert ConvolutionalPositions(768).weight.shape == expected == (768, 48, 128)


@pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel lengths")
def test_torchs_padding_same_is_one_frame_off_for_an_even_kernel():
    x, weight = normal(40, 8), normal(8, 4, 6)
    same = F.conv1d(x.mT[None], weight, padding="same", groups=2)[0].mT
    ours = frame_convolution(x, weight)
    torch.testing.assert_close(same[:-1], ours[1:], **TIGHT)
    odd = F.conv1d(x.mT[None], weight[..., :5], padding="same", groups=2)[0].mT
    torch.testing.assert_close(odd, frame_convolution(x, weight[..., :5]), **TIGHT)


def test_transformers_start_does_not_reach_the_weights():
    """It fills the product of the weight norm, which is made anew at each call: torch's own start stays."""
    torch.manual_seed(0)
    small = {"num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 8}
    model = Wav2Vec2Model(Wav2Vec2Config(hidden_size=256, **small))
    found = model.encoder.pos_conv_embed.conv.weight.std().item()
    meant, of_torch = 2 / (128 * 256) ** 0.5, 1 / (3 * 128 * 16) ** 0.5
    assert found == pytest.approx(of_torch, rel=0.01)
    assert meant < 0.9 * found


def test_data2vecs_five_convolutions_let_padding_in():
    """The first makes frames of padding that are not zero, and the next four read them; wav2vec 2.0 has one."""
    torch.manual_seed(0)
    deep = Data2VecAudioPositionalConvEmbedding(Data2VecAudioConfig(hidden_size=32)).double()
    x = normal(1, 120, 32)
    padded = F.pad(x, (0, 0, 0, 60))
    changed = ((deep(padded)[:, :120] - deep(x)).abs().amax(-1) > 1e-9)[0]
    assert changed.nonzero().min() == 120 - 4 * 9  # four readers of 9 frames to the right
    one = with_the_weights_of(wav2vec(128))
    torch.testing.assert_close(one(padded)[:, :120], one(x), **TIGHT)


@pytest.mark.parametrize("n", [1, 6, 9])
def test_the_middle_is_what_a_conformer_takes(n):
    config = Wav2Vec2ConformerConfig(hidden_size=8, max_source_positions=9)
    theirs = Wav2Vec2ConformerRelPositionalEmbedding(config)
    rows = middle_rows(sinusoidal(torch.arange(8, -9, -1), 8), n)
    torch.testing.assert_close(theirs(torch.zeros(1, n, 8))[0], rows, rtol=0, atol=1e-6)


def filled(shape, modulus):
    """Numbers without a generator, as the oracle's script makes them."""
    n = math.prod(shape)
    return ((7 * torch.arange(n, dtype=torch.float64) % modulus) / modulus - 0.5).reshape(shape)


WEIGHT, BIAS = filled((8, 8), 11), filled((8,), 5)


def heads(x):
    return F.linear(x, WEIGHT, BIAS).unflatten(-1, (H, D)).transpose(0, 1)


def term():
    bias = TransformerXLBias(H, D, 8).double()
    w_r = WEIGHT.T.unflatten(1, (H, D)).transpose(0, 1)
    uv = filled((H, D), 11)
    bias.load_state_dict({"u": uv, "v": uv, "w_r": w_r[:, half_from_interleaved(8)]})
    return bias


def layer(n, content_bias):
    q = heads(2 * filled((n, 8), 13))
    return attention(q, q, q, Slots(content_bias=content_bias)).transpose(0, 1).flatten(1)


def test_wenets_layer_is_a_bias_by_the_keys_place():
    ours, theirs = KeyPlaceBias(H, D, 8).double(), torch.tensor(ORACLE["wenet"], dtype=torch.float64)
    ours.term.load_state_dict(term().state_dict())
    torch.testing.assert_close(layer(5, ours), theirs, rtol=0, atol=2e-6)
    assert (layer(5, term()) - theirs).abs().max() > 0.05


def cut_at_the_top(n):
    """ESPnet's first version: n rows of a table from 4,999 down, and Transformer-XL's shift for the past."""
    bias = term()

    def legacy(q, k, m_positions, n_positions):
        x = bias.by_distance(q, torch.arange(4_999, 4_999 - n, -1))
        shifted = F.pad(x, (1, 0)).flatten(-2)[..., n:].unflatten(-1, (n, n))
        return shifted + bias.by_key(k)[..., None, :]

    return legacy


@pytest.mark.parametrize("n", [5, 7])
def test_espnets_layers_before_and_after_their_repair(n):
    """Its sinusoids are made of positions in float32, which are 3e-4 off at 5,000."""
    legacy, latest = (torch.tensor(ORACLE[f"espnet {kind} {n}"], dtype=torch.float64) for kind in ("legacy", "latest"))
    torch.testing.assert_close(layer(n, cut_at_the_top(n)), legacy, rtol=0, atol=1e-3)
    torch.testing.assert_close(layer(n, term()), latest, rtol=0, atol=2e-6)
    assert (legacy - latest).abs().max() > 0.01


def test_the_middle_rows_and_the_shift_are_transformer_xls_scores():
    bias, q = term(), normal(H, 6, D)
    rows = middle_rows(sinusoidal(torch.arange(20, -21, -1), 8, layout="half", dtype=torch.float64), 6)
    by_table = rel_shift((q + bias.v[:, None]) @ (rows @ bias.w_r).mT) / D**0.5
    at = torch.arange(6)
    torch.testing.assert_close(by_table, bias(q, 0 * q, at, at), **TIGHT)


@pytest.mark.parametrize("kernel", [128, 5, 4])
def test_hubert_s_convolution_with_either_norm(kernel):
    """A batch norm stands before the zeros of the ends, so these stay zeros."""
    sizes = {"hidden_size": 32, "num_conv_pos_embeddings": kernel}
    x = normal(2, 150, 32)
    by_weight = HubertPositionalConvEmbedding(HubertConfig(**sizes)).double().eval()
    torch.testing.assert_close(with_the_weights_of(by_weight)(x), by_weight(x), rtol=1e-10, atol=1e-10)
    by_batch = HubertPositionalConvEmbedding(HubertConfig(**sizes, conv_pos_batch_norm=True)).double().eval()
    norm = by_batch.batch_norm
    for numbers in (norm.weight, norm.bias, norm.running_mean):
        torch.nn.init.normal_(numbers)
    normed = norm(x.mT).mT
    ours = F.gelu(frame_convolution(normed, by_batch.conv.weight) + by_batch.conv.bias)
    torch.testing.assert_close(ours, by_batch(x), rtol=1e-10, atol=1e-10)
