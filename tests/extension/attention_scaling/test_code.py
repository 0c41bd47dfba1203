"""Scaled scores: against plain formulas, against transformers' Llama 4 and Ministral 3, in attention."""

import math

import pytest
import torch
from transformers import Llama4TextConfig
from transformers.models.llama4.modeling_llama4 import Llama4TextAttention
from transformers.models.ministral3.modeling_ministral3 import get_llama_4_attn_scale

from posenc_lib import Slots, attention, attention_weights, causal_mask
from posenc_lib.extension import ScaledQueries, log_n, log_steps
from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import Rotary
from tests.support.weights import normal

POSITIONS = torch.tensor([0, 1, 5, 6, 7, 8, 15, 16, 100, 100_000])


def close(a, b, rtol=1e-14, atol=0.0):
    torch.testing.assert_close(a, b, rtol=rtol, atol=atol)


@pytest.mark.parametrize("length", [2, 7, 16, 2_048])
def test_log_n_equals_the_formula(length):
    expected = [max(1.0, math.log(m + 1) / math.log(length)) for m in POSITIONS.tolist()]
    close(log_n(POSITIONS, length), torch.tensor(expected, dtype=torch.float64))


@pytest.mark.parametrize("step", [1, 8, 4_096])
@pytest.mark.parametrize("strength", [0.1, 1.0])
def test_log_steps_equals_the_formula(step, strength):
    expected = [1 + strength * math.log(1 + m // step) for m in POSITIONS.tolist()]
    close(log_steps(POSITIONS, step, strength), torch.tensor(expected, dtype=torch.float64))


@pytest.mark.parametrize("step", [3, 16_384])
def test_log_steps_equals_ministral(step):
    theirs = get_llama_4_attn_scale(POSITIONS[None], 0.1, step).flatten()
    close(log_steps(POSITIONS, step, 0.1).float(), theirs, rtol=1e-6)


def test_attention_equals_llama_4():
    """A whole layer without rotation, as where Llama 4 scales: floor_scale 4, so that the steps are seen."""
    torch.manual_seed(0)
    config = Llama4TextConfig(
        hidden_size=16, num_attention_heads=2, num_key_value_heads=2, head_dim=8, num_hidden_layers=1,
        use_qk_norm=False, no_rope_layers=[0], attn_temperature_tuning=True, floor_scale=4, attn_scale=0.5,
        attn_implementation="eager",
    )  # fmt: skip
    layer = Llama4TextAttention(config, 0).double().eval()
    x, n = normal(1, 11, 16), torch.arange(11)
    hidden = torch.zeros(11, 11, dtype=torch.float64).masked_fill(~causal_mask(n, n), -torch.inf)[None, None]
    theirs = layer(x, position_embeddings=None, attention_mask=hidden)[0]
    q, k, v = (
        (x @ proj.weight.T).unflatten(-1, (2, 8)).transpose(1, 2) for proj in (layer.q_proj, layer.k_proj, layer.v_proj)
    )
    scaled = ScaledQueries(lambda positions: log_steps(positions + 1, 4, 0.5))
    ours = (
        attention(q, k, v, Slots(transform=scaled), mask=causal_mask(n, n)).transpose(1, 2).flatten(-2)
        @ layer.o_proj.weight.T
    )
    close(ours, theirs, rtol=0, atol=1e-7)  # their factor is float32


def test_scaled_queries_multiply_the_scores_of_a_query():
    q, k, n = normal(2, 3, 20, 8), normal(2, 3, 20, 8, seed=1), torch.arange(20)
    factor = log_n(n, 4)
    scores = factor[:, None] * (q @ k.mT) / 8**0.5
    close(
        attention_weights(q, k, Slots(transform=ScaledQueries(lambda m: log_n(m, 4)))), scores.softmax(-1), atol=1e-14
    )


def test_scaling_and_rotation_go_together_in_either_order():
    q, k, n = normal(2, 20, 8), normal(2, 20, 8, seed=1), torch.arange(20)
    rotary = Rotary(geometric_freqs(8))
    q_out, k_out = ScaledQueries(lambda m: log_n(m, 4), rotary)(q, k, n, n)
    q_turned, k_turned = rotary(log_n(n, 4)[:, None] * q, k, n, n)
    close(q_out, q_turned, atol=1e-14)
    assert torch.equal(k_out, k_turned)


def test_a_1_in_no_rope_layers_means_rotated():
    """Llama 4: every fourth layer is without, and its flag is 0."""
    config = Llama4TextConfig(num_hidden_layers=8)
    assert config.no_rope_layers == [1, 1, 1, 0] * 2
    assert [bool(Llama4TextAttention(config, layer).use_rope) for layer in (2, 3)] == [True, False]


@torch.no_grad()
def test_llama_4_counts_the_row_and_ministral_the_positions_that_it_is_given():
    """Two layers of transformers: a text behind another in one row, hidden from it, with positions that restart."""
    torch.manual_seed(0)
    config = Llama4TextConfig(
        hidden_size=16, num_attention_heads=2, num_key_value_heads=2, head_dim=8, num_hidden_layers=1,
        use_qk_norm=False, no_rope_layers=[0], attn_temperature_tuning=True, floor_scale=4, attn_scale=0.5,
        attn_implementation="eager",
    )  # fmt: skip
    layer = Llama4TextAttention(config, 0).double().eval()
    x, n = 4 * normal(1, 12, 16), torch.arange(12)
    blocks = causal_mask(n, n) & (n[:, None] // 6 == n // 6)
    hidden = torch.zeros(12, 12, dtype=torch.float64).masked_fill(~blocks, -torch.inf)[None, None]
    packed = layer(x, position_embeddings=None, attention_mask=hidden, position_ids=(n % 6)[None])[0]
    first, second = (
        layer(x[:, text], position_embeddings=None, attention_mask=hidden[..., :6, :6])[0]
        for text in (slice(0, 6), slice(6, 12))
    )
    close(packed[:, :6], first, atol=1e-12)
    assert (packed[:, 6:] - second).abs().max() > 0.01
    padded = layer(x[:, 2:8], position_embeddings=None, attention_mask=hidden[..., 4:10, 4:10])[0]  # two of padding
    alone = layer(x[:, 4:8], position_embeddings=None, attention_mask=hidden[..., :4, :4])[0]
    assert (padded[:, 2:] - alone).abs().max() > 0.01
    factors = get_llama_4_attn_scale((n % 6)[None], 0.5, 4)
    assert factors[:, :, :6].equal(factors[:, :, 6:])
