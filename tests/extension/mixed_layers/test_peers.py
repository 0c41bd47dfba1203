"""Windows, chunks and layers without rotation: the masks, layers and configurations of transformers."""

import math
import random
from typing import NamedTuple

import pytest
import torch
import transformers
from transformers import masking_utils as theirs
from transformers.models.cohere2 import modeling_cohere2 as cohere2
from transformers.models.exaone4 import modeling_exaone4 as exaone4
from transformers.models.gemma3 import modeling_gemma3 as gemma3
from transformers.models.llama import modeling_llama as llama
from transformers.models.llama4 import modeling_llama4 as llama4
from transformers.models.modernbert import modeling_modernbert as modernbert
from transformers.models.smollm3 import modeling_smollm3 as smollm3

from posenc_lib import Slots, attention, attention_weights, causal_mask
from posenc_lib.extension import Chunked, SlidingWindow
from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import Rotary

pytestmark = pytest.mark.usefixtures("float64")

# --- masks


def sees(bias, q, k):
    return bias(q, k) == 0


def test_windows_and_chunks_are_theirs_in_400_random_configurations():
    draw = random.Random(0)
    for _ in range(400):
        q, k = (torch.arange(start, start + draw.randint(1, 30)) for start in draw.choices(range(50), k=2))
        size, grid, causal = draw.randint(1, 40), (q[:, None], k), causal_mask(q, k)
        window = theirs.sliding_window_causal_mask_function(size)(0, 0, *grid)
        assert torch.equal(sees(SlidingWindow(size), q, k) & causal, window)
        both_sides = theirs.sliding_window_bidirectional_mask_function(size)(0, 0, *grid)
        assert torch.equal(sees(SlidingWindow(size + 1), q, k), both_sides)
        chunks = theirs.chunked_causal_mask_function(size, torch.zeros(1, dtype=torch.int64))(0, 0, *grid)
        assert torch.equal(sees(Chunked(size), q, k) & causal, chunks)


def test_left_padding_moves_their_chunks_as_positions_from_the_first_word_move_ours():
    padding, places = 3, torch.arange(20)
    moved = theirs.chunked_causal_mask_function(6, torch.tensor([padding]))(0, 0, places[:, None], places)
    ours = sees(Chunked(6), places - padding, places - padding) & causal_mask(places, places)
    assert torch.equal(ours, moved)


# --- layers


class Family(NamedTuple):
    """A family of models: its classes, the layout of its pairs, and what its layers see, from a configuration."""

    config: type
    attention: type
    tables: type
    layout: str
    settings: dict
    types: tuple[str, str]  # of a local layer, of a global one
    rotated: tuple[bool, bool]


FAMILIES = {
    "Cohere 2": Family(
        transformers.Cohere2Config, cohere2.Cohere2Attention, cohere2.Cohere2RotaryEmbedding, "interleaved",
        {"sliding_window": 5}, ("sliding_attention", "full_attention"), (True, False),
    ),
    "Exaone 4": Family(
        transformers.Exaone4Config, exaone4.Exaone4Attention, exaone4.Exaone4RotaryEmbedding, "half",
        {"sliding_window": 5}, ("sliding_attention", "full_attention"), (True, False),
    ),
    "Llama 4": Family(
        transformers.Llama4TextConfig, llama4.Llama4TextAttention, llama4.Llama4TextRotaryEmbedding, "interleaved",
        {"attention_chunk_size": 5}, ("chunked_attention", "full_attention"), (True, False),
    ),
    "SmolLM3": Family(
        transformers.SmolLM3Config, smollm3.SmolLM3Attention, smollm3.SmolLM3RotaryEmbedding, "half",
        {"pad_token_id": 0}, ("full_attention", "full_attention"), (True, False),
    ),
    "Gemma 3": Family(
        transformers.Gemma3TextConfig, gemma3.Gemma3Attention, gemma3.Gemma3RotaryEmbedding, "half",
        {"sliding_window": 5, "sliding_window_pattern": 4}, ("sliding_attention", "full_attention"), (True, True),
    ),
}  # fmt: skip
N, HEADS, GROUPS, D = 14, 4, 2, 8


def made(family: Family, layer: int, seed: int):
    shape = dict(
        hidden_size=HEADS * D, num_attention_heads=HEADS, num_key_value_heads=GROUPS, head_dim=D, num_hidden_layers=4,
        vocab_size=16, attn_implementation="eager",
    )  # fmt: skip
    torch.manual_seed(seed)
    config = family.config(**shape, **family.settings)
    module = family.attention(config, layer).double().eval().requires_grad_(False)
    for name, parameter in module.named_parameters():
        parameter.normal_(0, 0.3 if "norm" not in name else 0.5)
    return config, module


def run_theirs(family, config, module, layer, x, bias, where):
    rotary = family.tables(config)
    kinds = (config.layer_types[layer],) if family.config is transformers.Gemma3TextConfig else ()
    cos_sin = rotary(x, where[None], *kinds)
    causal = torch.where(causal_mask(torch.arange(N), torch.arange(N)), 0.0, -torch.inf)
    return module(x, cos_sin, (causal + bias)[None, None])[0]


def run_ours(module, x, slots):
    heads = [p(x).unflatten(-1, (-1, D)).transpose(1, 2) for p in (module.q_proj, module.k_proj, module.v_proj)]
    q, k, v = heads
    if hasattr(module, "q_norm"):
        q, k = module.q_norm(q), module.k_norm(k)
    elif hasattr(module, "qk_norm"):  # without weights, so that it may come before the rotation
        q, k = module.qk_norm(q), module.qk_norm(k)
    k, v = (y.repeat_interleave(HEADS // GROUPS, 1) for y in (k, v))
    places = torch.arange(N)
    out = attention(q, k, v, slots, mask=causal_mask(places, places))
    return module.o_proj(out.transpose(1, 2).flatten(2))


def base_of(config, layer):
    parameters = config.rope_parameters
    return parameters.get(config.layer_types[layer], parameters)["rope_theta"]


def ours_for(family, config, module, layer):
    """The slots of a layer, as the table of the chapter says."""
    is_global = layer == 3
    bias = {"sliding_attention": SlidingWindow, "chunked_attention": Chunked}.get(family.types[is_global])
    freqs = geometric_freqs(D, base_of(config, layer))
    return Slots(
        transform=Rotary(freqs, family.layout) if family.rotated[is_global] else None,
        bias=bias(5) if bias else None,
        scale=module.scaling,
    )


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("layer", [0, 2, 3])
@pytest.mark.parametrize("name", FAMILIES)
def test_one_slots_for_each_layer_makes_the_layers_of_released_families(name, layer, seed):
    """To the precision of their tables of cosines, float32."""
    family = FAMILIES[name]
    config, module = made(family, layer, seed)
    assert config.layer_types[layer] == family.types[layer == 3]
    slots, places = ours_for(family, config, module, layer), torch.arange(N)
    x = torch.randn(2, N, HEADS * D)
    bias = torch.zeros(N, N) if slots.bias is None else slots.bias(places, places).double()
    expected = run_theirs(family, config, module, layer, x, bias, places)
    torch.testing.assert_close(run_ours(module, x, slots), expected, rtol=0, atol=2e-5)


# --- whole models: which of them see that positions are twice as far apart


TINY = dict(
    hidden_size=32, num_hidden_layers=2, vocab_size=64, num_attention_heads=2, num_key_value_heads=2, head_dim=16,
    intermediate_size=32, pad_token_id=0, num_experts=2, num_local_experts=2, n_routed_experts=2, num_experts_per_tok=1,
    moe_intermediate_size=16, n_group=1, topk_group=1,
)  # fmt: skip
KINDS = {
    name: [{"layer_types": [kind] * 2} for kind in ("sliding_attention", "full_attention")]
    for name in ("Cohere2", "Cohere2Moe", "Exaone4", "ExaoneMoe", "Afmoe", "Kolibri1")
}
KINDS["SmolLM3"] = [{"no_rope_layers": [flag] * 2} for flag in (1, 0)]
KINDS["OlmoHybrid"] = [{"num_hidden_layers": 4}, {"rope_parameters": {"rope_type": "default", "rope_theta": None}}]
PAIR = {"layer_types": ["linear_attention", "full_attention"]}
HYBRIDS = {
    "KimiLinear": ({**PAIR, "qk_rope_head_dim": 64}, False),
    "NemotronH": ({"layers_block_type": PAIR["layer_types"], "mamba_num_heads": 8}, False),
    "Jamba": ({"attn_layer_period": 2, "attn_layer_offset": 1}, False),
    "Qwen3Next": (PAIR, True),
}


@torch.no_grad()
def rotates(name, **settings):
    config = getattr(transformers, f"{name}Config")(**TINY | settings)
    model = getattr(transformers, f"{name}ForCausalLM")(config).float().eval()  # experts refuse float64
    ids, places = torch.arange(1, 17)[None], torch.arange(16)[None]
    seen = {"attention_mask": torch.ones_like(ids), "use_cache": False}  # or the jumps would part packed texts
    once, twice = (model(ids, position_ids=p, **seen).logits for p in (places, 2 * places))
    return not torch.equal(once, twice)


@pytest.mark.parametrize("name", KINDS)
def test_a_model_is_rotated_in_the_layers_of_which_the_table_says_so_and_in_no_others(name):
    assert [rotates(name, **settings) for settings in KINDS[name]] == [True, False]


@pytest.mark.parametrize("name", HYBRIDS)
def test_which_hybrids_rotate(name):
    settings, expected = HYBRIDS[name]
    assert rotates(name, **settings) == expected


# --- configurations


def test_defaults_of_the_table():
    kinds = {
        name: family.config(num_hidden_layers=8, **({"pad_token_id": 0} if name == "SmolLM3" else {})).layer_types
        for name, family in FAMILIES.items()
    }
    every_fourth = ["sliding_attention"] * 3 + ["full_attention"]
    assert kinds["Cohere 2"] == kinds["Exaone 4"] == every_fourth * 2
    assert kinds["Llama 4"] == (["chunked_attention"] * 3 + ["full_attention"]) * 2
    assert kinds["Gemma 3"] == ["sliding_attention"] * 5 + ["full_attention"] + ["sliding_attention"] * 2
    assert kinds["SmolLM3"] == ["full_attention"] * 8
    windows = [c().sliding_window for c in (transformers.Cohere2Config, transformers.Exaone4Config)]
    assert [*windows, transformers.Gemma3TextConfig().sliding_window] == [4_096] * 3
    assert transformers.Llama4TextConfig().attention_chunk_size == 8_192
    muse = transformers.MuseSparkTextConfig()
    assert [layer for layer, base in enumerate(muse.layer_rope_theta) if not base] == [*range(1, 62, 4)]
    assert muse.sliding_window == transformers.MuseGlimmerTextConfig().sliding_window == 2_048
    windows = {"Afmoe": 1_024, "Beam": 512, "Kolibri1": 513, "Cohere2Moe": 4_096, "ExaoneMoe": 4_096}
    assert {name: getattr(transformers, f"{name}Config")().sliding_window for name in windows} == windows
    assert transformers.BeamConfig().rope_parameters["full_attention"] is None
    assert transformers.Glm5NextTextConfig().qk_rope_head_dim == 0
    assert transformers.Qwen3_5TextConfig().rope_parameters["partial_rotary_factor"] == 1 / 4
    bases = {kind: p["rope_theta"] for kind, p in transformers.Gemma3TextConfig().rope_parameters.items()}
    assert bases == {"sliding_attention": 10_000, "full_attention": 1_000_000}
    bert = transformers.ModernBertConfig(num_hidden_layers=4)
    assert bert.layer_types == ["full_attention", *["sliding_attention"] * 2, "full_attention"]
    bases = {kind: p["rope_theta"] for kind, p in bert.rope_parameters.items()}
    assert bases == {"sliding_attention": 10_000, "full_attention": 160_000}


def test_smollm3_has_36_layers_of_which_9_are_not_rotated():
    config = transformers.SmolLM3Config()
    assert (len(config.no_rope_layers), sum(config.no_rope_layers)) == (36, 27)
    assert [smollm3.SmolLM3Attention(config, layer).use_rope for layer in (2, 3)] == [1, 0]


def test_smollm3_puts_its_window_on_the_layers_without_rotation():
    config = transformers.SmolLM3Config(num_hidden_layers=4, use_sliding_window=True, sliding_window=8)
    layers = [smollm3.SmolLM3Attention(config, layer) for layer in range(4)]
    assert [bool(layer.use_rope) for layer in layers] == [True, True, True, False]
    assert [layer.sliding_window for layer in layers] == [None, None, None, 8]
    assert transformers.SmolLM3Config().use_sliding_window is False


def test_gemma_3_scales_the_global_layers_only():
    scaling = {"rope_type": "linear", "factor": 8.0}
    config = transformers.Gemma3TextConfig(head_dim=D, rope_scaling=scaling)
    rotary = gemma3.Gemma3RotaryEmbedding(config)
    for kind, base, factor in (("sliding_attention", 10_000.0, 1), ("full_attention", 1_000_000.0, 8)):
        freqs = getattr(rotary, f"{kind}_inv_freq").double()
        torch.testing.assert_close(freqs, geometric_freqs(D, base) / factor, rtol=1e-6, atol=0)


def test_modernbert_sees_64_tokens_on_each_side():
    config = transformers.ModernBertConfig(num_hidden_layers=2)
    assert (config.local_attention, config.sliding_window) == (128, 64)
    places = torch.arange(200)
    theirs_sees = theirs.sliding_window_bidirectional_mask_function(config.sliding_window)(
        0, 0, places[:, None], places
    )
    assert torch.equal(sees(SlidingWindow(65), places, places), theirs_sees)
    assert theirs_sees[100].sum() == 129
    assert modernbert.ModernBertAttention(config, 1).sliding_window == 65


def test_exaone_4_without_a_window_needs_its_list_of_layers():
    """Erratum: None for no window, and a pattern in letters, are documented and cannot be given alone."""
    with pytest.raises(ZeroDivisionError):
        transformers.Exaone4Config(sliding_window=None)
    for pattern in ("LLLG", None):
        with pytest.raises(TypeError):
            transformers.Exaone4Config(sliding_window_pattern=pattern)
    assert transformers.Exaone4Config(num_hidden_layers=6).layer_types[-1] == "sliding_attention"  # "always global"
    config = transformers.Exaone4Config(
        num_hidden_layers=2, sliding_window=None, layer_types=["full_attention"] * 2, attn_implementation="eager",
        hidden_size=32, num_attention_heads=4, num_key_value_heads=2, head_dim=8,
    )  # fmt: skip
    x = torch.randn(1, N, 32)
    module, rotary = exaone4.Exaone4Attention(config, 1).double(), exaone4.Exaone4RotaryEmbedding(config)
    near, far = (module(x, rotary(x, (s * torch.arange(N))[None]), None)[0] for s in (1, 3))
    assert (near - far).abs().max() > 1e-3


# --- the rotation taken away


@torch.no_grad()
def test_a_rotation_is_taken_away_by_ones_and_zeros_and_not_by_zeros():
    """A layer of Llama, as DroPE changes it; and the tables of YaRN, which hold its factor."""
    yarn = {"rope_type": "yarn", "rope_theta": 1e4, "factor": 8.0, "original_max_position_embeddings": 16}
    sizes = {"hidden_size": 32, "num_attention_heads": 2, "attn_implementation": "eager"}
    config = transformers.LlamaConfig(**sizes, rope_parameters=yarn)
    layer, x = llama.LlamaAttention(config, 0).eval(), torch.randn(1, 6, 32)
    for weight in layer.parameters():
        torch.nn.init.normal_(weight)
    cos, sin = llama.LlamaRotaryEmbedding(config)(x, torch.arange(6)[None])
    n = torch.arange(6)
    mask = torch.zeros(6, 6).masked_fill(~causal_mask(n, n), -torch.inf)[None, None]

    def weights(cos, sin):
        return layer(x, (cos, sin), mask)[1]

    q, k = ((x @ w.weight.T).unflatten(-1, (2, 16)).transpose(1, 2) for w in (layer.q_proj, layer.k_proj))
    plain = attention_weights(q, k, mask=causal_mask(n, n))
    torch.testing.assert_close(weights(torch.ones_like(cos), torch.zeros_like(sin)), plain, rtol=0, atol=1e-6)
    uniform = causal_mask(n, n) / (n + 1.0)[:, None]
    torch.testing.assert_close(
        weights(torch.zeros_like(cos), torch.zeros_like(sin)), uniform.expand(1, 2, 6, 6), rtol=0, atol=1e-6
    )
    factor = (cos**2 + sin**2).sqrt()[0, 0, 0].item()
    assert factor == pytest.approx(0.1 * math.log(8) + 1, rel=1e-6)  # what ones take away, too
    kept = attention_weights(factor * q, factor * k, mask=causal_mask(n, n))
    torch.testing.assert_close(weights(torch.full_like(cos, factor), torch.zeros_like(sin)), kept, rtol=0, atol=1e-6)
    assert (kept - plain).abs().max() > 1e-3
