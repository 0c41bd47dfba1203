"""transformers' yarn and llama3, on random configurations, and what its models do with the temperature."""

from __future__ import annotations

import math
import random

import pytest
import torch
from transformers import DeepseekV3Config, GPTNeoXConfig, GptOssConfig, LlamaConfig, ModernBertConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3Attention
from transformers.models.gpt_neox import modeling_gpt_neox
from transformers.models.llama import modeling_llama

from posenc_lib.extension import by_parts, llama3, temperature, yarn
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import rotate
from tests.support.weights import normal

RTOL = 5e-6  # theirs are float32


def draw(seed):
    """The head, the base, the factor and the trained length of a model that could be."""
    rng = random.Random(seed)
    d = rng.choice([16, 32, 64, 80, 96, 128, 256])
    base = 10 ** rng.uniform(3.5, 7.5)
    return (
        d,
        base,
        rng.choice([1.0, 2.0, 4.0, 7.5, 8.0, 32.0, 40.0, 64.0]),
        rng.choice([512, 2_048, 4_096, 8_192, 32_768]),
    )


def parameters(kind, base, s, length, **more):
    return {"rope_type": kind, "rope_theta": base, "factor": s, "original_max_position_embeddings": length, **more}


def theirs(d, given):
    config = LlamaConfig(
        head_dim=d,
        hidden_size=2 * d,
        num_attention_heads=2,
        max_position_embeddings=64 * given["original_max_position_embeddings"],
        rope_parameters=given,
    )
    return ROPE_INIT_FUNCTIONS[given["rope_type"]](config, device="cpu")


@pytest.mark.filterwarnings("ignore")  # on a factor that is not the ratio of the lengths
@pytest.mark.parametrize("block", range(10))
def test_yarn_is_that_of_transformers(block):
    for seed in range(30 * block, 30 * block + 30):
        rng, (d, base, s, length) = random.Random(seed), draw(seed)
        slow, truncate = rng.choice([0.5, 1.0, 2.0]), rng.random() < 0.5
        fast = rng.choice([slow, 8.0, 32.0, 64.0])
        more = {"beta_slow": slow, "beta_fast": fast, "truncate": truncate}
        freqs, factor = theirs(d, parameters("yarn", base, s, length, **more))
        ours = yarn(geometric_freqs(d, base), s, length, slow=slow, fast=fast, truncate=truncate)
        torch.testing.assert_close(ours.float(), freqs, rtol=RTOL, atol=0)
        assert factor == pytest.approx(temperature(s), rel=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("block", range(10))
def test_llama3_is_that_of_transformers(block):
    for seed in range(30 * block, 30 * block + 30):
        rng, (d, base, s, length) = random.Random(seed), draw(seed)
        low = rng.choice([0.5, 1.0, 2.0])
        high = rng.choice([low, 4.0, 8.0, 32.0])
        more = {"low_freq_factor": low, "high_freq_factor": high}
        freqs, factor = theirs(d, parameters("llama3", base, s, length, **more))
        # The blend is a difference of float32 numbers there, a little less exact.
        torch.testing.assert_close(
            llama3(geometric_freqs(d, base), s, length, low=low, high=high).float(), freqs, rtol=2e-5, atol=0
        )
        assert factor == 1


def test_the_frequencies_printed_in_the_tests_of_transformers():
    """tests/utils/test_modeling_rope_utils.py: base 10,000, d = 128, L = 2,048, factor 10."""
    freqs = geometric_freqs(128)
    by_code, llama = yarn(freqs, 10.0, 2_048), llama3(freqs, 10.0, 2_048)
    assert by_code[17].item() == pytest.approx(0.083479, rel=1e-4)
    assert by_code[41].item() == pytest.approx(2.7384e-4, rel=1e-4)
    assert llama[31].item() == pytest.approx(0.010730, rel=1e-4)
    assert llama[32].item() == pytest.approx(0.0077785, rel=1e-4)


def test_gpt_oss_as_configured():
    config = GptOssConfig()
    freqs, factor = ROPE_INIT_FUNCTIONS["yarn"](config, device="cpu")
    ours = yarn(geometric_freqs(64, config.rope_parameters["rope_theta"]), 32.0, 4_096, truncate=False)
    torch.testing.assert_close(ours.float(), freqs, rtol=RTOL, atol=0)
    assert factor == pytest.approx(temperature(32.0))
    rounded = yarn(geometric_freqs(64, 150_000.0), 32.0, 4_096)
    assert (rounded / ours).max().item() == pytest.approx(1.763, abs=5e-4)


@pytest.mark.parametrize("case", [(128, 1e4, 10.0, 2_048), (128, 1e4, 16.0, 4_096), (128, 5e5, 4.0, 8_192)])
def test_the_code_is_not_the_paper(case):
    """The paper's frequencies, in percent below those of transformers: 61, 67 and 42."""
    d, base, s, length = case
    freqs, _ = theirs(d, parameters("yarn", base, s, length))
    below = 1 - by_parts(geometric_freqs(d, base), s, length).float() / freqs
    assert round(100 * below.max().item()) == {2_048: 61, 4_096: 67, 8_192: 42}[length]


# --- The temperature --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, 1.3689),
        ({"mscale": 1.0}, 1.3689),
        ({"mscale": 0.5}, 1.3689),
        ({"mscale_all_dim": 1.0}, 1.3689),
        ({"mscale": 1.0, "mscale_all_dim": 1.0}, 1.0),
        ({"mscale": 1.0, "mscale_all_dim": 0.5}, 1.1557),
        ({"attention_factor": 1.0, "mscale": 1.0}, 1.0),
    ],
    ids=str,
)
def test_one_mscale_alone_is_ignored_by_transformers(given, expected):
    _, factor = theirs(64, parameters("yarn", 1e4, 40.0, 4_096, **given))
    assert factor == pytest.approx(expected, abs=5e-5)
    if len(given) == 2 and "mscale_all_dim" in given:
        ours = temperature(40.0, given["mscale"]) / temperature(40.0, given["mscale_all_dim"])
        assert factor == pytest.approx(ours, rel=1e-12)


@pytest.mark.parametrize(("given", "on_cos"), [({"mscale": 1.0}, 1.0), ({}, 1.3689)], ids=["both", "alone"])
def test_deepseek_scales_the_whole_score_and_with_mscale_all_dim_alone_the_rotated_part_too(given, on_cos):
    rope = parameters("yarn", 1e4, 40.0, 4_096, mscale_all_dim=1.0, **given)
    config = DeepseekV3Config(
        hidden_size=64, num_attention_heads=2, num_key_value_heads=2, kv_lora_rank=16, q_lora_rank=16,
        rope_parameters=rope,
    )  # fmt: skip
    attention = DeepseekV3Attention(config, layer_idx=0)
    assert attention.scaling * attention.qk_head_dim**0.5 == pytest.approx(temperature(40.0) ** 2, rel=1e-12)
    assert (attention.qk_head_dim, config.qk_rope_head_dim) == (192, 64)
    assert ROPE_INIT_FUNCTIONS["yarn"](config, device="cpu")[1] == pytest.approx(on_cos, abs=5e-5)


def scores(q, k):
    return q @ k.mT


def test_scores_of_a_llama_with_yarn_have_the_square():
    config = LlamaConfig(
        head_dim=32, hidden_size=32, num_attention_heads=1, max_position_embeddings=16_384,
        rope_parameters=parameters("yarn", 1e4, 8.0, 2_048),
    )  # fmt: skip
    q, k, at = (x.float() for x in (normal(1, 1, 6, 32, seed=1), normal(1, 1, 6, 32, seed=2), torch.arange(6)))
    cos, sin = modeling_llama.LlamaRotaryEmbedding(config)(q, at[None])
    angles = position_angles(at, yarn(geometric_freqs(32), 8.0, 2_048))
    ours = scores(*(rotate(x, angles, layout="half") for x in (q, k)))
    their_scores = scores(*modeling_llama.apply_rotary_pos_emb(q, k, cos, sin))
    torch.testing.assert_close(their_scores, temperature(8.0) ** 2 * ours, rtol=1e-4, atol=1e-4)


@pytest.mark.filterwarnings("ignore")
def test_scores_of_a_head_rotated_in_part_have_the_square_in_that_part_alone():
    rope = parameters("yarn", 1e4, 8.0, 2_048, partial_rotary_factor=0.25)
    config = GPTNeoXConfig(
        hidden_size=64, num_attention_heads=1, max_position_embeddings=16_384, rope_parameters=rope
    )  # fmt: skip
    q, k, at = (x.float() for x in (normal(1, 1, 6, 64, seed=1), normal(1, 1, 6, 64, seed=2), torch.arange(6)))
    cos, sin = modeling_gpt_neox.GPTNeoXRotaryEmbedding(config)(q, at[None])
    assert cos.shape[-1] == 16
    angles = position_angles(at, yarn(geometric_freqs(16), 8.0, 2_048))
    rotated = scores(*(rotate(x[..., :16], angles, layout="half") for x in (q, k)))
    rest = scores(q[..., 16:], k[..., 16:])
    their_scores = scores(*modeling_gpt_neox.apply_rotary_pos_emb(q, k, cos, sin))
    torch.testing.assert_close(their_scores, temperature(8.0) ** 2 * rotated + rest, rtol=1e-4, atol=1e-4)
    assert (their_scores - temperature(8.0) ** 2 * (rotated + rest)).abs().max() > 1


@pytest.mark.filterwarnings("ignore")
def test_transformers_ignores_a_nested_truncate():
    """In a configuration by layer types `truncate: false` is not found, and the ends are rounded."""
    rope = parameters("yarn", 150_000.0, 32.0, 4_096, truncate=False)
    config = ModernBertConfig(
        hidden_size=256, num_attention_heads=2, max_position_embeddings=131_072,
        rope_parameters={"full_attention": rope, "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}},
    )  # fmt: skip
    config.head_dim = 128
    nested, _ = ROPE_INIT_FUNCTIONS["yarn"](config, device="cpu", layer_type="full_attention")
    flat, _ = theirs(128, rope)
    rounded, exact = (yarn(geometric_freqs(128, 150_000.0), 32.0, 4_096, truncate=t).float() for t in (True, False))
    torch.testing.assert_close(nested, rounded, rtol=RTOL, atol=0)
    torch.testing.assert_close(flat, exact, rtol=RTOL, atol=0)
    assert (nested / flat).max().item() == pytest.approx(1.131, abs=1e-3)
    assert math.isclose((1 - flat / nested).max().item(), 0.116, abs_tol=1e-3)
