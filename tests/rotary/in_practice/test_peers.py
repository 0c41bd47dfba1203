"""Checkpoints ported into transformers and out of it, on many random configurations: the outputs are equal."""

from __future__ import annotations

import math
import random

import pytest
import torch
import torch.nn.functional as F
from transformers import Gemma4TextConfig, LlamaConfig, Qwen3Config
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.llama import modeling_llama
from transformers.models.qwen3 import modeling_qwen3

from posenc_lib import Slots, attention, causal_mask
from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import QueryKeyNorm, Rotary, convert_layout, proportional_freqs
from tests.support.weights import normal

N = 40
PLACES = torch.arange(N)
MASK = causal_mask(PLACES, PLACES)
BLOCKS = {
    "llama": (LlamaConfig, modeling_llama.LlamaAttention, modeling_llama.LlamaRotaryEmbedding),
    "qwen3": (Qwen3Config, modeling_qwen3.Qwen3Attention, modeling_qwen3.Qwen3RotaryEmbedding),
}


def drawn(seed, family):
    """A random attention block of transformers, and random weights for it."""
    draw = random.Random(seed)
    kv_heads, per = draw.choice([1, 2, 3]), draw.choice([1, 2, 4])
    config_of, block_of, rotary_of = BLOCKS[family]
    config = config_of(
        hidden_size=draw.choice([24, 48]),
        num_attention_heads=kv_heads * per,
        num_key_value_heads=kv_heads,
        head_dim=draw.choice([4, 8, 16]),
        attention_bias=draw.random() < 0.6,
        rope_parameters={"rope_type": "default", "rope_theta": draw.choice([100.0, 10_000.0, 500_000.0])},
        attn_implementation="eager",
    )
    block = block_of(config, 0).double()
    shapes = {name: weight.shape for name, weight in block.state_dict().items()}
    weights = {name: normal(*s, seed=100 * seed + i) / s[-1] ** 0.5 for i, (name, s) in enumerate(shapes.items())}
    return config, block, rotary_of(config), weights


@torch.no_grad()
def theirs(block, rotary, weights, x):
    block.load_state_dict(weights)
    return block(x, rotary(x, PLACES[None]), torch.where(MASK, 0.0, -math.inf))[0]


@torch.no_grad()
def ours(config, weights, x, layout):
    def projected(name):
        w, b = weights[f"{name}.weight"], weights.get(f"{name}.bias")
        return F.linear(x, w, b).unflatten(-1, (-1, config.head_dim)).transpose(1, 2)

    groups = config.num_attention_heads // config.num_key_value_heads
    q, k, v = (projected(f"{name}_proj") for name in "qkv")
    k, v = (y.repeat_interleave(groups, dim=1) for y in (k, v))
    transform = Rotary(geometric_freqs(config.head_dim, config.rope_parameters["rope_theta"]), layout)
    if "q_norm.weight" in weights:
        transform = QueryKeyNorm(config.head_dim, transform, config.rms_norm_eps)
        transform.q_weight.data, transform.k_weight.data = weights["q_norm.weight"], weights["k_norm.weight"]
    out = attention(q, k, v, Slots(transform=transform), mask=MASK).transpose(1, 2).flatten(-2)
    return F.linear(out, weights["o_proj.weight"], weights.get("o_proj.bias"))


def ported(config, weights, source, target, **heads):
    counts = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads, "q_norm": 1, "k_norm": 1}
    new = dict(weights)
    for name, weight in weights.items():
        h = {**counts, **heads}.get(name.split(".")[0])
        if h:
            new[name] = convert_layout(weight, h, source=source, target=target)
    return new


def assert_close(a, b, seed, rtol=0.0, atol=2e-4):  # their angles are float32
    torch.testing.assert_close(a, b, rtol=rtol, atol=atol, msg=lambda text: f"seed {seed}: {text}")


@pytest.mark.parametrize("family", BLOCKS)
def test_both_directions(family):
    for seed in range(15):
        config, block, rotary, weights = drawn(seed, family)
        x = normal(2, N, config.hidden_size, seed=seed)
        wanted = ours(config, weights, x, "interleaved")
        there = ported(config, weights, "interleaved", "half")
        assert_close(theirs(block, rotary, there, x), wanted, seed)
        assert_close(theirs(block, rotary, weights, x), ours(config, weights, x, "half"), seed)
        back = ported(config, block.state_dict(), "half", "interleaved")
        assert_close(ours(config, back, x, "interleaved"), theirs(block, rotary, weights, x), seed)
        assert (theirs(block, rotary, weights, x) - wanted).abs().max() > 0.02  # and the layouts do differ


FAULTS = {
    "keys sorted by the heads of queries": {"k_proj": "queries"},
    "keys left": {"k_proj": None},
    "weights of the norm left": {"q_norm": None, "k_norm": None},
    "values sorted too": {"v_proj": "keys"},
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_loads_without_an_error_and_changes_the_output(name):
    for seed in range(50):
        config, block, rotary, weights = drawn(seed, "qwen3")
        if config.num_attention_heads == 2 * config.num_key_value_heads > 2 and config.head_dim > 4:
            break
    x = normal(2, N, config.hidden_size)
    counts = {"queries": config.num_attention_heads, "keys": config.num_key_value_heads, None: 0}
    wrong = ported(config, weights, "interleaved", "half", **{k: counts[h] for k, h in FAULTS[name].items()})
    off = (theirs(block, rotary, wrong, x) - ours(config, weights, x, "interleaved")).abs().max()
    assert off > 0.02


def test_biases_left_as_they_were_change_the_output():
    seed = next(s for s in range(50) if drawn(s, "llama")[0].attention_bias)
    config, block, rotary, weights = drawn(seed, "llama")
    x = normal(2, N, config.hidden_size)
    there = ported(config, weights, "interleaved", "half")
    wrong = {name: weights[name] if name.endswith("bias") else weight for name, weight in there.items()}
    assert (theirs(block, rotary, wrong, x) - ours(config, weights, x, "interleaved")).abs().max() > 0.02


def test_proportional_frequencies():
    for seed in range(100):
        draw = random.Random(seed)
        d, base = 2 * draw.randint(1, 128), 10 ** draw.uniform(1, 7)
        fraction = draw.choice([0.0, 0.25, 0.5, 1.0, draw.random()])
        parameters = {"rope_type": "proportional", "rope_theta": base, "partial_rotary_factor": fraction}
        config = LlamaConfig(hidden_size=2 * d, num_attention_heads=2, head_dim=d, rope_parameters=parameters)
        expected, factor = ROPE_INIT_FUNCTIONS["proportional"](config)
        assert factor == 1
        assert_close(proportional_freqs(d, base, fraction=fraction).float(), expected, seed, rtol=2e-5, atol=0)


def test_gemma_4_rotates_a_quarter_of_the_pairs_of_its_global_layers():
    parameters = Gemma4TextConfig().rope_parameters["full_attention"]
    assert parameters["rope_type"] == "proportional"
    assert (parameters["partial_rotary_factor"], parameters["rope_theta"]) == (0.25, 1_000_000.0)
    assert proportional_freqs(512, 1_000_000.0, fraction=0.25).count_nonzero() == 64
