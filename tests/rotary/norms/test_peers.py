"""What released models do around the rotation, run in transformers: the order of norms, flags, bases, slices."""

from __future__ import annotations

import math
import random

import pytest
import torch
import transformers
from transformers.models.hunyuan_v1_dense import modeling_hunyuan_v1_dense as hunyuan
from transformers.models.llama4 import modeling_llama4 as llama4
from transformers.models.nanochat import modeling_nanochat as nanochat
from transformers.models.qwen3 import modeling_qwen3 as qwen3

from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import QueryKeyNorm, Rotary
from tests.support.weights import normal

N = 12
CAUSAL = torch.where(torch.ones(N, N).tril() > 0, 0.0, -math.inf)
FAMILIES = {
    "qwen3": (transformers.Qwen3Config, qwen3.Qwen3Attention, qwen3.Qwen3RotaryEmbedding),
    "hunyuan": (
        transformers.HunYuanDenseV1Config,
        hunyuan.HunYuanDenseV1Attention,
        hunyuan.HunYuanDenseV1RotaryEmbedding,
    ),
    "nanochat": (transformers.NanoChatConfig, nanochat.NanoChatAttention, nanochat.NanoChatRotaryEmbedding),
}


def small(config, **changed):
    shape = dict(hidden_size=32, num_attention_heads=4, num_key_value_heads=2, head_dim=8)
    return config(**shape, attn_implementation="eager", **changed)


@torch.no_grad()
def outputs(family, norm_weight, shifts=(0, 37)):
    config_of, block_of, rotary_of = FAMILIES[family]
    config = small(config_of)
    block, rotary, x = block_of(config, 0).double(), rotary_of(config), normal(1, N, 32)
    for i, (name, parameter) in enumerate(block.named_parameters()):
        new = normal(*parameter.shape, seed=i) / 4
        parameter.data = norm_weight(new) if "norm" in name else new
    return [block(x, rotary(x, torch.arange(N)[None] + s), CAUSAL)[0] for s in shifts]


def ones(new):
    return torch.ones_like(new)


def equal_in_a_pair(new):
    return new[: len(new) // 2].repeat(2).exp()  # pairs are halves


@pytest.mark.parametrize(
    ("family", "norm_weight", "relative"),
    [
        ("qwen3", torch.exp, True),
        ("nanochat", torch.exp, True),  # it has no weights there
        ("hunyuan", torch.exp, False),
        ("hunyuan", equal_in_a_pair, True),
        ("hunyuan", ones, True),
    ],
)
def test_which_models_see_a_shift_of_all_positions(family, norm_weight, relative):
    start, later = outputs(family, norm_weight)
    off = ((start - later).abs().max() / start.square().mean().sqrt()).item()
    assert off < 1e-4 if relative else off > 0.2


def test_the_norm_of_the_library_is_that_of_qwen_3():
    for seed in range(20):
        draw = random.Random(seed)
        d, eps = 2 * draw.randint(2, 32), draw.choice([1e-6, 1e-5, 0.1])
        config = small(transformers.Qwen3Config, rms_norm_eps=eps) if d == 8 else transformers.Qwen3Config(head_dim=d)
        x, places = normal(2, 3, 20, d, seed=seed), torch.arange(20)
        ours = QueryKeyNorm(d, Rotary(geometric_freqs(d), "half"), eps)
        ours.q_weight.data, ours.k_weight.data = normal(d, seed=1), normal(d, seed=2)
        norms = []
        for weight in (ours.q_weight, ours.k_weight):
            norm = qwen3.Qwen3RMSNorm(d, eps).double()
            norm.weight.data = weight.data
            norms.append(norm)
        cos, sin = qwen3.Qwen3RotaryEmbedding(config)(x, places[None])
        expected = qwen3.apply_rotary_pos_emb(norms[0](x), norms[1](2 * x), cos, sin)
        for mine, other in zip(ours(x, 2 * x, places, places), expected, strict=True):
            said = lambda text, seed=seed: f"seed {seed}: {text}"  # noqa: E731
            torch.testing.assert_close(mine, other, rtol=0, atol=2e-5, msg=said)  # Qwen3RMSNorm computes in float32


@pytest.mark.parametrize("config", [transformers.Llama4TextConfig, transformers.SmolLM3Config])
def test_a_one_in_no_rope_layers_is_a_layer_with_rotation(config):
    assert config().no_rope_layers[:8] == [1, 1, 1, 0, 1, 1, 1, 0]
    assert config(no_rope_layers=[0] * config().num_hidden_layers).no_rope_layers[:4] == [0] * 4


def test_an_empty_list_is_the_default_of_llama_4():
    assert (
        transformers.Llama4TextConfig(no_rope_layers=[]).no_rope_layers
        == transformers.Llama4TextConfig().no_rope_layers
    )


@pytest.mark.parametrize(("layer", "rotated"), [(0, True), (3, False)])
@torch.no_grad()
def test_a_layer_of_llama_4_that_is_not_rotated_does_not_see_distances(layer, rotated):
    config = small(transformers.Llama4TextConfig, num_hidden_layers=4, attn_temperature_tuning=False)
    block = llama4.Llama4TextAttention(config, layer).double()
    for i, parameter in enumerate(block.parameters()):
        parameter.data = normal(*parameter.shape, seed=i)
    rotary, x = llama4.Llama4TextRotaryEmbedding(config), normal(1, N, 32)
    assert hasattr(block, "qk_norm") == rotated
    near, wide = (block(x, rotary(x, step * torch.arange(N)[None]), CAUSAL)[0] for step in (1, 3))
    off = (near - wide).abs().max().item()
    assert off > 0.1 if rotated else off == 0


def test_the_norm_of_llama_4_is_called_l2_and_divides_by_the_root_mean_square():
    x = normal(5, 16)
    normed = llama4.Llama4TextL2Norm(eps=1e-12)(x)
    torch.testing.assert_close(normed.square().mean(-1), torch.ones(5, dtype=torch.float64), rtol=0, atol=1e-5)


BASES = {
    transformers.Gemma3TextConfig: (10_000.0, 1_000_000.0),
    transformers.ModernBertConfig: (10_000.0, 160_000.0),
}


@pytest.mark.parametrize(
    ("window", "d", "pairs"), [(1_024, 256, [71, 48]), (512, 256, [62, 41]), (1_024, 128, [36, 24])]
)
def test_with_the_small_base_more_pairs_go_round_within_a_window(window, d, pairs):
    """The windows and heads of released Gemma 3 models (convert_gemma3_weights.py); the class has 4,096."""
    assert [int((math.tau / geometric_freqs(d, base) <= window).sum()) for base in (10_000.0, 1e6)] == pairs
    assert transformers.Gemma3TextConfig().sliding_window == 4_096


@pytest.mark.parametrize("config", BASES)
def test_local_layers_have_a_base_of_their_own(config):
    parameters = config().rope_parameters
    bases = tuple(parameters[kind]["rope_theta"] for kind in ("sliding_attention", "full_attention"))
    assert bases == BASES[config]


def test_what_deepseek_v3_caches():
    config = transformers.DeepseekV3Config()
    assert config.kv_lora_rank + config.qk_rope_head_dim == 576
    assert config.num_attention_heads * (config.qk_nope_head_dim + config.v_head_dim) == 32_768
