"""Released configurations, read by us and by transformers: the same frequencies and the same factor."""

from __future__ import annotations

import importlib
import json
import random
from copy import deepcopy
from pathlib import Path

import pytest
import torch
import transformers
from transformers import CONFIG_MAPPING, LlamaConfig, Phi3Config, PhimoeConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding
from transformers.models.phi3.modeling_phi3 import Phi3RotaryEmbedding
from transformers.models.phimoe.modeling_phimoe import PhimoeRotaryEmbedding

from bookkit.pages.configurations import PHI_3_VISION
from posenc_lib.released import released_rope
from posenc_lib.released.limits import ONE_FOR_ALL

ORACLE = json.loads((Path(__file__).parents[2] / "oracles" / "rope_types_transformers.json").read_text())["cases"]
L = "original_max_position_embeddings"
TYPES = ("default", "linear", "dynamic", "yarn", "longrope", "llama3", "proportional")


def theirs(config, rope_type, n):
    """What transformers makes of a Llama with this configuration."""
    llama = LlamaConfig(**deepcopy(config))
    if rope_type == "default":
        return Phi3RotaryEmbedding.compute_default_rope_parameters(llama)  # Llama's leaves the share out
    return ROPE_INIT_FUNCTIONS[rope_type](llama, seq_len=n)


def drawn(rope_type, seed):
    """A random configuration of this type, in old names or new ones, and a length."""
    r = random.Random(f"{rope_type} {seed}")
    d, trained = 2 * r.randint(4, 80), r.choice((512, 2_048, 4_096, 8_192, 10_000))
    s = r.choice((1.0, 2, 4.0, 8.5, 32.0, r.uniform(1, 64)))
    rope = {r.choice(("type", "rope_type")): rope_type}
    base = r.choice((10_000.0, 500_000.0, 1_000_000, 10 ** r.uniform(2, 7)))
    longest = trained if rope_type == "dynamic" else int(trained * s) + r.randint(1, 5)
    # llama3 and proportional share out the pairs; a share of the head only where its features are even
    share = r.choice((1.0, 0.5, 0.25)) if d % 8 == 0 else 1.0
    if rope_type == "proportional":
        share = r.uniform(0.05, 1)
    if rope_type in ("linear", "dynamic", "llama3", "yarn") or (rope_type == "proportional" and r.random() < 0.5):
        rope["factor"] = s
    if rope_type in ("yarn", "llama3", "longrope"):
        rope["original_max_position_embeddings"] = trained
    if rope_type == "yarn":
        optional = {
            "beta_fast": r.choice((8, 16.0, 32, 64)),
            "beta_slow": r.choice((1, 2.0, 0.5)),
            "truncate": r.random() < 0.5,
            "mscale": r.choice((0.707, 1.0, 1.4)),
            "mscale_all_dim": r.choice((0.707, 1.0, 0.0)),
            "attention_factor": r.uniform(0.5, 2),
        }
        rope |= {key: value for key, value in optional.items() if r.random() < 0.4}
    if rope_type == "longrope":
        pairs = int(d * share) // 2
        rope |= {key: [r.uniform(1, 70) for _ in range(pairs)] for key in ("short_factor", "long_factor")}
        rope |= {} if r.random() < 0.5 else {"factor": s}
        rope |= {} if r.random() < 0.7 else {"attention_factor": r.uniform(0.5, 2)}
    if rope_type == "llama3":
        low = r.choice((1, 1.0, 2.0, 0.5))
        rope |= {"low_freq_factor": low, "high_freq_factor": low * r.choice((1, 2, 4.0, 7.5))}
    config = {"max_position_embeddings": longest, "num_attention_heads": 4, "hidden_size": 4 * d}
    config |= {"head_dim": d} if r.random() < 0.5 or rope_type == "default" else {}
    inside = r.random() < 0.5
    name = "rope_parameters" if inside else "rope_scaling"
    (rope if inside else config)["rope_theta"] = base
    if share != 1.0:
        (rope if inside else config)["partial_rotary_factor"] = share
    config[name] = None if rope_type == "default" and not inside and share == 1.0 else rope
    return config, r.choice((1, trained - 1, trained, trained + 1, 3 * trained))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rope_type", TYPES)
def test_equals_transformers(rope_type):
    for seed in range(60):
        config, n = drawn(rope_type, seed)
        freqs, factor = theirs(config, rope_type, n)
        ours = released_rope(config, n=n)
        # They compute in float32: powers of a base up to 10**7 are off by some 1e-6.
        torch.testing.assert_close(
            ours.freqs.float(), freqs, rtol=1e-5, atol=1e-12, msg=lambda m, seed=seed: f"seed {seed}: {m}"
        )
        assert ours.attention_factor == pytest.approx(factor, rel=1e-12), f"{seed = }"


def as_set(rotary, n):
    """The frequencies that a module of transformers has after a call with n positions."""
    rotary(torch.zeros(1), torch.arange(n)[None])
    return rotary.inv_freq


@pytest.mark.parametrize("case", ORACLE, ids=lambda case: case["test"])
def test_equals_the_lists_printed_in_their_tests(case):
    freqs, _ = released_rope(case["config"], n=case["n"])
    torch.testing.assert_close(freqs, torch.tensor(case["freqs"], dtype=torch.float64), rtol=5e-5, atol=0)


@pytest.mark.parametrize("n", [1, 4_095, 4_096, 4_097, 8_192])
def test_phi_3_switches_where_transformers_does(n):
    renamed = {**deepcopy(PHI_3_VISION)["rope_scaling"], "type": "longrope"}  # 5.23 renames "su" too late, and refuses
    rotary = Phi3RotaryEmbedding(Phi3Config(**{**PHI_3_VISION, "rope_scaling": renamed}))
    ours = released_rope(PHI_3_VISION, n=n)
    torch.testing.assert_close(ours.freqs.float(), as_set(rotary, n), rtol=1e-6, atol=0)
    assert ours.attention_factor == pytest.approx(rotary.attention_scaling, rel=1e-12)


# fmt: off
SCOUT = {
    "head_dim": 128, "hidden_size": 5_120, "num_attention_heads": 40, "rope_theta": 5e5,
    "max_position_embeddings": 10_485_760,
    "rope_scaling": {"rope_type": "llama3", "factor": 16.0, "low_freq_factor": 1.0, "high_freq_factor": 1.0, L: 8_192},
}
KIMI_K2 = {
    "hidden_size": 7_168, "num_attention_heads": 64, "qk_rope_head_dim": 64, "rope_theta": 5e4,
    "max_position_embeddings": 262_144,
    "rope_scaling": {
        "type": "yarn", "factor": 64.0, "beta_fast": 1.0, "beta_slow": 1.0, "mscale": 1.0, "mscale_all_dim": 1.0,
        L: 4_096,
    },
}
GEMMA_3 = {"head_dim": 64, "num_hidden_layers": 6, "rope_parameters": {
    "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
    "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
}}
GEMMA_4 = {"head_dim": 32, "global_head_dim": 64, "num_hidden_layers": 6, "rope_parameters": {
    "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1e6},
    "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
}}
OLD_GEMMA_3 = {
    "model_type": "gemma3_text", "head_dim": 64, "num_hidden_layers": 6, "sliding_window_pattern": 6,
    "rope_theta": 1e6, "rope_local_base_freq": 2e4, "rope_scaling": {"rope_type": "linear", "factor": 8.0},
}
OLMO_3 = {
    "hidden_size": 512, "num_attention_heads": 4, "max_position_embeddings": 65_536, "num_hidden_layers": 4,
    "rope_theta": 5e5, "layer_types": ["sliding_attention"] * 3 + ["full_attention"],
    "rope_scaling": {"rope_type": "yarn", "factor": 8.0, "attention_factor": 1.2, L: 8_192},
}
# fmt: on


@pytest.mark.parametrize(
    ("model", "config", "layer_type"),
    [
        ("Llama4Text", SCOUT, None),
        ("DeepseekV3", KIMI_K2, None),
        *(("Gemma3Text", GEMMA_3, layer) for layer in GEMMA_3["rope_parameters"]),
        *(("Gemma4Text", GEMMA_4, layer) for layer in GEMMA_4["rope_parameters"]),
        *(("Gemma3Text", OLD_GEMMA_3, layer) for layer in GEMMA_3["rope_parameters"]),
        *(("Olmo3", OLMO_3 | {"model_type": "olmo3"}, layer) for layer in GEMMA_3["rope_parameters"]),
    ],
)
def test_as_the_module_of_the_model(model, config, layer_type):
    theirs = transformers_module(model, config)
    prefix = f"{layer_type}_" if layer_type else ""
    ours = released_rope(config, layer_type=layer_type)
    torch.testing.assert_close(ours.freqs.float(), getattr(theirs, f"{prefix}inv_freq"), rtol=2e-6, atol=0)
    assert ours.attention_factor == getattr(theirs, f"{prefix}attention_scaling")


def transformers_module(model, config):
    made = getattr(transformers, f"{model}Config")(**deepcopy(config))
    name = f"transformers.models.{made.model_type.removesuffix('_text')}"
    module = importlib.import_module(f"{name}.modeling_{name.rsplit('.', 1)[1]}")
    found = [getattr(module, f"{stem}RotaryEmbedding", None) for stem in (model, model.removesuffix("Text"))]
    return next(filter(None, found))(made)


@pytest.mark.parametrize(("model", "alike"), ONE_FOR_ALL.items())
def test_which_models_of_transformers_have_one_dictionary_for_all_layers(model, alike):
    made = CONFIG_MAPPING[model](rope_scaling={"rope_type": "linear", "factor": 2.0}, rope_theta=5e5)
    rope = made.rope_parameters
    assert (rope.get("factor") == 2.0) == alike
    assert alike or rope["full_attention"] != rope["sliding_attention"]


def test_a_nested_truncate_is_read_as_a_flat_one():
    """Transformers 5.23 reads it beside the types of layers only, so that the nested one has no effect there."""
    rope = {"rope_type": "yarn", "factor": 32.0, "original_max_position_embeddings": 4_096, "truncate": False}
    rope |= {"rope_theta": 150_000.0}
    base = {"head_dim": 128, "max_position_embeddings": 32 * 4_096}
    nested = {**base, "rope_parameters": {"full_attention": rope}}
    ours = released_rope(nested, layer_type="full_attention").freqs
    assert torch.equal(ours, released_rope({**base, "rope_parameters": rope}).freqs)
    flat, _ = theirs({**base, "rope_parameters": rope}, "yarn", None)
    torch.testing.assert_close(ours.float(), flat, rtol=1e-5, atol=0)
    layers = {"layer_types": ["full_attention"] * 2, "num_hidden_layers": 2}
    llama = LlamaConfig(**deepcopy({**nested, **layers}))
    ignored, _ = ROPE_INIT_FUNCTIONS["yarn"](llama, layer_type="full_attention")
    assert (ignored / ours - 1).abs().max() > 0.1


PHIMOE = {
    "hidden_size": 64,
    "num_attention_heads": 4,
    "max_position_embeddings": 256,
    "rope_theta": 10_000.0,
    "rope_scaling": {
        "original_max_position_embeddings": 32,
        "type": "longrope",
        "short_factor": [1.0] * 8,
        "long_factor": [float(i) for i in range(1, 9)],
        "short_mscale": 1.25,
        "long_mscale": 1.5,
    },
}


def test_phimoe_in_transformers_changes_the_factor_and_not_the_list():
    """An erratum: its forward asks for the frequencies without saying how long the text is."""
    config = PhimoeConfig(**deepcopy(PHIMOE))
    rotary = PhimoeRotaryEmbedding(config)
    m = torch.tensor([[39]])
    cos, sin = rotary(torch.zeros(1, dtype=torch.float32), m)
    amplitude = (cos**2 + sin**2).sqrt()[0, 0]
    short, long = (released_rope(PHIMOE, n=n) for n in (32, 40))
    assert (short.attention_factor, long.attention_factor) == (1.25, 1.5)
    torch.testing.assert_close(amplitude, torch.full((16,), 1.5), rtol=1e-5, atol=0)
    as_short, as_long = ((39 * each.freqs).cos().float() * 1.5 for each in (short, long))
    torch.testing.assert_close(cos[0, 0, :8], as_short, rtol=0, atol=1e-5)
    assert (cos[0, 0, :8] - as_long).abs().max() > 1


def test_dynamic_ntk_in_transformers_keeps_the_frequencies_of_the_longest_text():
    """An erratum: the same text gets other frequencies after a longer one, also at exactly the trained length."""
    rope = {"rope_type": "dynamic", "rope_theta": 10_000.0, "factor": 2.0}
    config = {"head_dim": 64, "max_position_embeddings": 2_048, "rope_parameters": rope}
    used = LlamaRotaryEmbedding(LlamaConfig(**deepcopy(config)))

    def last(n):
        return as_set(used, n)[-1].item()

    def right(n):
        return released_rope(config, n=n).freqs[-1].item()

    assert last(6_000) == pytest.approx(right(6_000), rel=1e-5)
    assert last(8_192) == pytest.approx(right(8_192), rel=1e-5)
    for n in (6_000, 2_048):
        assert last(n) == pytest.approx(right(8_192), rel=1e-5)
        assert right(n) / last(n) > 1.4
    assert last(2_047) == pytest.approx(right(2_047), rel=1e-5)
