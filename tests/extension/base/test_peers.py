"""Against transformers, x-transformers and the numpy of a published search."""

import math
import random
import warnings

import numpy as np
import pytest
import torch
from transformers import (
    CONFIG_MAPPING,
    CodeGenConfig,
    CodeGenModel,
    GPTJConfig,
    GPTJModel,
    GPTNeoXConfig,
    GPTNeoXModel,
    LlamaConfig,
    LlamaModel,
    RoFormerConfig,
    RoFormerModel,
)
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

from posenc_lib.extension import cosine_sum, critical_dimension, first_negative
from posenc_lib.pairs import geometric_freqs

with warnings.catch_warnings():  # x_transformers compiles as it is imported, in a way that torch deprecates
    warnings.simplefilter("ignore")
    from x_transformers.x_transformers import RotaryEmbedding

SEEDS = range(40)


def close(ours, theirs, atol, seed):
    torch.testing.assert_close(ours.float(), theirs, rtol=0, atol=atol, msg=lambda text: f"seed {seed}: {text}")


def llama(d: int, rope: dict) -> LlamaConfig:
    return LlamaConfig(
        head_dim=d, hidden_size=d, num_attention_heads=1, max_position_embeddings=2_048, rope_parameters=rope
    )


def drawn(seed: int) -> tuple[int, float, int]:
    draw = random.Random(seed)
    return 2 * draw.randrange(2, 65), 10 ** draw.uniform(2, 7), draw.randrange(16, 2**17)


def test_the_sum_is_half_of_the_cosines_of_transformers():
    for seed in SEEDS:
        d, base, _ = drawn(seed)
        distances = torch.arange(500)
        rotary = LlamaRotaryEmbedding(llama(d, {"rope_type": "default", "rope_theta": base}))
        cos, _ = rotary(torch.zeros(1, dtype=torch.float32), distances[None])
        sums = cosine_sum(geometric_freqs(d, base), distances)
        close(sums, cos[0].sum(-1) / 2, d * 5e-5, seed)


def test_the_sum_is_half_of_the_cosines_of_x_transformers():
    for seed in SEEDS:
        d, base, _ = drawn(seed)
        angles, _ = RotaryEmbedding(d, base=base)(torch.arange(500))
        sums = cosine_sum(geometric_freqs(d, base), torch.arange(500))
        close(sums, angles[0].cos().sum(-1) / 2, d * 5e-5, seed)


def test_the_critical_dimension_is_where_the_yarn_of_transformers_begins_to_interpolate_in_full():
    """Its second end, for one turn, is the same number, rounded up too."""
    for seed in SEEDS:
        d, base, length = drawn(seed)
        rope = {"rope_type": "yarn", "rope_theta": base, "factor": 8.0, "beta_fast": 1.0, "beta_slow": 1.0}
        rope |= {"original_max_position_embeddings": length, "attention_factor": 1.0}
        freqs, _ = ROPE_INIT_FUNCTIONS["yarn"](llama(d, rope), device="cpu")
        critical = math.ceil(d * math.log(length / (2 * math.pi)) / (2 * math.log(base)))
        slowed = freqs.double() / geometric_freqs(d, base) < 0.13
        assert critical_dimension(d, base, length) == 2 * (~slowed).sum() == 2 * min(critical, d // 2), seed


def test_a_search_by_numpy_finds_the_same_bases_good():
    """The sum as in the code of Su's article (kexue.fm 10122), where the length itself is left out."""
    for seed in SEEDS:
        draw = random.Random(seed)
        base, length = 10 ** draw.uniform(3, 4.5), draw.randrange(300, 3_000)
        m, i = np.arange(length), np.arange(64)
        low = np.cos(m[:, None] * base ** (-2 * i[None] / 128)).sum(axis=1).min()
        assert (first_negative(geometric_freqs(128, base), length - 1) is None) == (low >= 0), seed


# --- tables that end

SMALL = dict(vocab_size=5, hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2)
SMALL_GPT = dict(vocab_size=5, n_positions=16, n_embd=16, n_layer=1, rotary_dim=4, bos_token_id=0, eos_token_id=0)
WITH_A_TABLE = [
    (GPTJModel, GPTJConfig(**SMALL_GPT, n_head=2), "index 16 is out of bounds"),
    (CodeGenModel, CodeGenConfig(**SMALL_GPT, n_ctx=16, n_head=4), "index 16 is out of bounds"),
    (RoFormerModel, RoFormerConfig(**SMALL, max_position_embeddings=16), "index out of range"),
]


def last_state(model: type, config, n: int) -> torch.Tensor:
    torch.manual_seed(0)
    with torch.no_grad():
        tokens = torch.zeros(1, n, dtype=torch.long)
        return model(config).eval()(tokens, attention_mask=torch.ones_like(tokens)).last_hidden_state


@pytest.mark.parametrize(("model", "config", "said"), WITH_A_TABLE, ids=lambda x: getattr(x, "__name__", ""))
def test_a_model_with_a_table_stops_where_it_ends(model, config, said):
    assert last_state(model, config, 16).isfinite().all()
    with pytest.raises((IndexError, RuntimeError), match=said):
        last_state(model, config, 17)


@pytest.mark.parametrize(("model", "config"), [(LlamaModel, LlamaConfig), (GPTNeoXModel, GPTNeoXConfig)])
def test_a_model_that_computes_its_angles_does_not_stop(model, config):
    assert last_state(model, config(**SMALL, max_position_embeddings=16), 40).isfinite().all()


# --- the settings of the page: defaults of configuration classes


@pytest.mark.parametrize(
    ("name", "layers", "d", "base", "length"),
    [
        ("smollm3", None, 128, 2e6, 32_768),
        ("gemma3_text", "full_attention", 256, 1e6, 131_072),
        ("gpt_oss", None, 64, 1.5e5, 4_096),
        ("modernbert", "full_attention", 64, 1.6e5, 8_192),
        ("deepseek_v3", None, 64, 1e4, 4_096),
        ("qwen3", None, 128, 1e4, 32_768),
        ("gpt_neox", None, 24, 1e4, 2_048),
    ],
)
def test_the_defaults_of_the_configuration_classes(name, layers, d, base, length):
    config = CONFIG_MAPPING[name]()
    rope = config.rope_parameters[layers] if layers else config.rope_parameters
    head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    assert int(head * rope.get("partial_rotary_factor", 1)) == d
    assert rope["rope_theta"] == base
    assert rope.get("original_max_position_embeddings", config.max_position_embeddings) == length


def test_deepseek_rotates_a_third_of_its_head():
    config = CONFIG_MAPPING["deepseek_v3"]()
    assert (config.qk_rope_head_dim, config.qk_nope_head_dim) == (64, 128)
