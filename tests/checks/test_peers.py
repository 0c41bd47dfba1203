"""Other people's code: found correct where it is, and named where it is not."""

from __future__ import annotations

import importlib
import warnings

import pytest
import torch
from rotary_embedding_torch import RotaryEmbedding as RotaryEmbeddingTorch
from transformers import (
    CohereConfig,
    DeepseekV3Config,
    GemmaConfig,
    GPTNeoXConfig,
    Llama4TextConfig,
    LlamaConfig,
    PhiConfig,
    Qwen2Config,
)

from posenc_checks import check_bias, check_bucket, check_rotary, check_table, check_window, compare

with warnings.catch_warnings():  # the import scripts a function, which torch has deprecated
    warnings.filterwarnings("ignore", "`torch.jit.script` is deprecated", DeprecationWarning)
    from x_transformers import x_transformers

ROPE = {"rope_type": "default", "rope_theta": 1e4}
SIZES = {"hidden_size": 128, "num_attention_heads": 2, "num_key_value_heads": 2}
TOLD = {"base": 1e4, "first": 0, "sense": "counterclockwise"}
pytestmark = pytest.mark.filterwarnings("ignore")


def code(name):
    return importlib.import_module(f"transformers.models.{name}.modeling_{name}")


def table_of(name, config):
    made = next(each for key, each in vars(code(name)).items() if key.endswith("RotaryEmbedding"))
    return made(config)


def llama(**rope):
    sizes = {**SIZES, "head_dim": 64, "max_position_embeddings": 2_048} | rope.pop("sizes", {})
    return LlamaConfig(**sizes, rope_parameters=ROPE | rope)


def rotation_of(name, config, **told):
    """The report on a family's function with the table that its configuration makes."""
    module = code(name)
    apply = getattr(module, "apply_rotary_pos_emb", None) or module.apply_rotary_emb
    return check_rotary(apply, table=table_of(name, config), **TOLD | told)


@pytest.mark.parametrize(
    ("name", "config", "layout"),
    [
        ("llama", LlamaConfig, "half"),
        ("gemma", GemmaConfig, "half"),
        ("qwen2", Qwen2Config, "half"),
        ("cohere", CohereConfig, "interleaved"),
        ("llama4", Llama4TextConfig, "interleaved"),
    ],
)
def test_rotations_of_transformers(name, config, layout):
    own = {"head_dim": 64} if name != "cohere" else {}
    report = rotation_of(name, config(**SIZES, **own, rope_parameters=ROPE), layout=layout, d=64)
    assert report.ok, report.text()
    assert not report.findings
    other = rotation_of(name, config(**SIZES, **own, rope_parameters=ROPE), layout="half", d=64, base=500_000.0)
    assert other.faults[-1] == "base"


def test_partial_rotations_of_transformers():
    """GPT-NeoX slices in its function, Phi in its attention."""
    part = ROPE | {"partial_rotary_factor": 0.25}
    config = GPTNeoXConfig(hidden_size=128, num_attention_heads=2, rope_parameters=part)
    report = rotation_of("gpt_neox", config, d=64, d_rotated=16, layout="half")
    assert report.ok, report.text()
    assert rotation_of("gpt_neox", config, d=64, d_rotated=32).faults == ["partial-count"]
    phi = PhiConfig(**SIZES, rope_parameters=ROPE | {"partial_rotary_factor": 0.5})
    assert rotation_of("phi", phi, d=32, layout="half").ok


def test_gpt_j():
    module = code("gptj")

    def table(positions):
        sin, cos = module.create_sinusoidal_positions(5_000, 64)[positions].chunk(2, -1)
        return (cos[None], sin[None]) if positions.ndim == 1 else (cos, sin)

    report = check_rotary(module.apply_rotary_pos_emb, table=table, axes="bnhd", layout="interleaved", **TOLD)
    assert report.ok, report.text()
    assert [each.fault for each in report.findings] == ["negative-positions"]  # an index into our table wraps


def test_roformer():
    module = code("roformer")
    weight = module.RoFormerSinusoidalPositionalEmbedding(5_000, 64).create_weight()

    def apply(q, k, positions):
        return module.RoFormerSelfAttention.apply_rotary_position_embeddings(weight[positions], q, k)

    assert check_rotary(apply, d=64, layout="interleaved", **TOLD).ok
    report = check_table(weight, base=1e4, layout="half", first=0)
    assert report.ok, report.text()


def test_a_permutation_is_equivalent():
    """DeepSeek's function sorts the features before it rotates halves: scores cannot see it."""
    module = code("deepseek_v3")
    config = DeepseekV3Config(**SIZES, qk_rope_head_dim=64, rope_parameters=ROPE)
    table = module.DeepseekV3RotaryEmbedding(config)
    report = check_rotary(module.apply_rotary_pos_emb_interleave, table=table, d=64, layout="interleaved")
    assert report.ok, report.text()
    assert report.facts["position 0"] == "features come out in another order"
    assert check_rotary(module.apply_rotary_pos_emb_interleave, table=table, d=64, first=0).faults == ["not-still-at-0"]


def test_scaling_is_named():
    rope = {"rope_type": "yarn", "factor": 32.0, "original_max_position_embeddings": 4_096}
    report = rotation_of("llama", llama(**rope, sizes={"max_position_embeddings": 131_072}), base=None)
    assert report.ok is None, report.text()  # named, and not called right: nobody said that it was meant
    assert report.facts["frequencies"] == "base 10,000, YaRN, factor 32, trained length 4,096"
    assert "1.347" in report.facts["factor"]
    rope = {"rope_type": "llama3", "factor": 8.0, "original_max_position_embeddings": 8_192}
    rope |= {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
    config = llama(**rope, sizes={"max_position_embeddings": 65_536})
    assert rotation_of("llama", config).faults == ["scaled-llama3"]


def test_dynamic_ntk_of_transformers_remembers():
    report = rotation_of("llama", llama(rope_type="dynamic", factor=2.0))
    assert report.faults == ["history"]


def test_x_transformers_and_torch():
    rotary, decaying = (x_transformers.RotaryEmbedding(64, use_xpos=xpos) for xpos in (False, True))
    apply = x_transformers.apply_rotary_pos_emb
    assert check_rotary(lambda t, positions: apply(t, *rotary(positions)), layout="interleaved", **TOLD).ok

    def xpos(q, k, positions):
        freqs, scale = decaying(positions)
        return apply(q, freqs, scale), apply(k, freqs, 1 / scale)

    report = check_rotary(xpos)
    assert report.ok, report.text()
    assert any("xPos" in said for said in report.equivalent)

    angles = torch.arange(5_000)[:, None] * 10_000 ** (-torch.arange(0, 64, 2) / 64)
    cos, sin = angles.cos(), angles.sin()

    def onnx(x, positions):
        return torch.onnx.ops.rotary_embedding(x, cos, sin, positions.expand(len(x), -1))

    assert check_rotary(onnx, d=64, layout="half", **TOLD).ok


def test_a_cache_that_outlives_its_frequencies():
    """rotary-embedding-torch keeps its angles; a checkpoint, which holds the frequencies, comes too late then."""
    report = check_rotary(RotaryEmbeddingTorch(64).rotate_queries_or_keys, layout="interleaved", base=1e4)
    assert report.ok
    assert [each.fault for each in report.findings] == ["stale-cache"]
    used, fresh = RotaryEmbeddingTorch(64), RotaryEmbeddingTorch(64)
    x = torch.ones(1, 1, 8, 64)
    used.rotate_queries_or_keys(x)
    for each in (used, fresh):
        each.load_state_dict({"freqs": each.freqs / 2})
    assert not torch.allclose(used.rotate_queries_or_keys(x), fresh.rotate_queries_or_keys(x))


def test_two_families_are_compared():
    tables = [table_of("llama", llama()), table_of("cohere", CohereConfig(**SIZES, rope_parameters=ROPE))]
    applies = [code(name).apply_rotary_pos_emb for name in ("llama", "cohere")]
    report = compare(*applies, told={"table": tables, "d": 64})
    assert report.facts["look at"] == "layout"
    assert report.facts["layout"] == "half | interleaved"


# --- biases, buckets, windows, tables


@pytest.mark.parametrize("h", [8, 12])
def test_alibi_of_transformers(h):
    bloom, mpt = code("bloom").build_alibi_tensor, code("mpt").build_mpt_alibi_tensor
    for function in (bloom, mpt):
        report = check_bias(function, heads=h)
        assert report.ok, report.text()
        assert report.facts["shape"] == "a straight line"


def test_alibi_in_half_precision():
    bloom, falcon = (code(name).build_alibi_tensor for name in ("bloom", "falcon"))
    half = check_bias(lambda n: bloom(torch.ones(1, n), 8, torch.bfloat16), heads=8)
    assert half.faults == ["alibi-bias-half"]
    assert check_bias(falcon, heads=8).faults == ["alibi-bias-half"]  # whatever dtype is asked for


@pytest.mark.parametrize("h", [8, 12])
def test_biases_of_x_transformers(h):
    assert check_bias(x_transformers.AlibiPositionalBias(h), heads=h).ok
    report = check_bias(x_transformers.RelativePositionBias(1.0, causal=True, heads=h))
    assert report.ok, report.text()
    assert report.facts["shape"].startswith("no straight line")


@pytest.mark.parametrize("causal", [False, True])
def test_buckets(causal):
    t5 = code("t5").T5Attention._relative_position_bucket
    lucid = x_transformers.RelativePositionBias._relative_position_bucket
    for function in (
        lambda relative_position: t5(relative_position, bidirectional=not causal),
        lambda relative_position: lucid(relative_position, causal=causal),
    ):
        report = check_bucket(function, bidirectional=not causal)
        assert report.ok, report.text()
        assert report.facts["distances"] == "key - query"


def test_windows():
    swin = code("swin").SwinRelativePositionBias
    made = swin.__new__(swin)

    def index(window):
        made.__dict__["window_size"] = window
        return made._create_relative_position_index()

    assert check_window(index, order="swin").ok
    beit = code("beit").BeitRelativePositionBias.generate_relative_position_index
    assert check_window(lambda window: beit(window)[1:, 1:], order="swin").ok


def test_tables():
    whisper, m2m = code("whisper").sinusoids, code("m2m_100").M2M100SinusoidalPositionalEmbedding.get_embedding
    for function in (whisper, m2m):
        report = check_table(function, d=64)
        assert report.ok, report.text()
        assert report.facts["frequencies"] == "base 10,000, exponent i/(d/2 - 1)"
        assert check_table(function, d=64, base=1e4).faults == ["table-dialect"]
