"""What the page says of transformers: the numbers that its cells print come out of transformers' own code."""

from __future__ import annotations

import itertools
import math
import warnings
from pathlib import Path

import nbformat
import pytest
import torch
from rotary_embedding_torch import RotaryEmbedding as RotaryEmbeddingTorch
from torch.nn import functional as F
from transformers import (
    DynamicCache,
    GptOssConfig,
    Llama4TextConfig,
    LlamaConfig,
    LlamaForCausalLM,
    ModernBertConfig,
    Phi3Config,
    PhimoeConfig,
    Qwen2_5_VLConfig,
    Qwen3VLConfig,
    SmolLM3Config,
    TimesFm2_5Config,
    Wav2Vec2Config,
    Wav2Vec2ConformerConfig,
    Wav2Vec2Model,
    masking_utils,
)
from transformers import modeling_rope_utils as rope_utils
from transformers.models.deepseek_v4 import modeling_deepseek_v4 as deepseek
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding
from transformers.models.llama4 import modeling_llama4 as llama4
from transformers.models.llama4.modeling_llama4 import Llama4TextL2Norm
from transformers.models.ministral3 import modeling_ministral3 as ministral
from transformers.models.omdet_turbo.modeling_omdet_turbo import OmDetTurboHybridEncoder
from transformers.models.phi3.modeling_phi3 import Phi3RotaryEmbedding
from transformers.models.phimoe.modeling_phimoe import PhimoeRotaryEmbedding
from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import Qwen2_5_VLModel
from transformers.models.qwen3_vl.modeling_qwen3_vl import Qwen3VLTextRotaryEmbedding
from transformers.models.timesfm2_5 import modeling_timesfm2_5 as timesfm
from transformers.models.wav2vec2_conformer import modeling_wav2vec2_conformer as conformer

from bookkit.pages.configurations import PHI_3_VISION
from posenc_lib.extension import by_parts
from posenc_lib.pairs import geometric_freqs
from tests.support.weights import filled, normal
from tools.book import ROOT

with warnings.catch_warnings():  # the import scripts a function, which torch has deprecated
    warnings.filterwarnings("ignore", "`torch.jit.script` is deprecated", DeprecationWarning)
    from x_transformers.x_transformers import PolarEmbedding

FREQS = rope_utils.ROPE_INIT_FUNCTIONS
YARN = {"rope_type": "yarn", "rope_theta": 150_000.0, "factor": 32.0, "original_max_position_embeddings": 4_096}
pytestmark = pytest.mark.filterwarnings("ignore")  # on factors that are not the ratio of the lengths


def printed(title: str) -> list[str]:
    """What the cell of the entry prints whose title begins so, word by word."""
    cells = nbformat.read(Path(ROOT, "book", "practice", "errata-code.ipynb"), as_version=4).cells
    below = itertools.dropwhile(lambda cell: f"### {title}" not in cell.source, cells)
    output = next(cell for cell in below if cell.cell_type == "code").outputs
    return output[0].text.replace("[", "").replace("]", "").replace(",", "").split()


def llama(d=64, **rope):
    sizes = {"head_dim": d, "hidden_size": 2 * d, "num_attention_heads": 2, "max_position_embeddings": 131_072}
    return LlamaConfig(**{**sizes, **rope.pop("sizes", {})}, rope_parameters=rope)


def test_packed_texts_are_found_only_without_a_mask_and_a_cache():
    """Whole models are read in tests/practice/serving/test_peers.py; this is the mask that they make."""
    config = LlamaConfig(hidden_size=8, num_attention_heads=2, attn_implementation="eager")
    positions, x = torch.tensor([[0, 1, 2, 3, 0, 1, 2, 3, 4]]), torch.zeros(1, 9, 8)

    def seen(mask=None, cache=None):
        made = masking_utils.create_causal_mask(config, x, mask, past_key_values=cache, position_ids=positions)
        return str((made[0, 0, -1] == 0).sum().item())

    alone, together = printed("Packed texts")
    assert seen() == alone
    assert seen(mask=torch.ones(1, 9).long()) == seen(cache=DynamicCache(config=config)) == together


def test_timesfm_has_a_norm_with_weights_after_the_rotation():
    """So its outputs change when all positions are shifted, unless the weights of each pair are equal."""
    sizes = {"hidden_size": 32, "num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 16}
    config = TimesFm2_5Config(**sizes, attn_implementation="eager")
    block, rotary, x = (
        filled(timesfm.TimesFm2_5Attention(config, 0)),
        timesfm.TimesFm2_5RotaryEmbedding(config),
        normal(1, 9, 32),
    )

    def change():
        near, far = (block(x, rotary(x, torch.arange(9)[None] + s), None)[0] for s in (0, 37))
        return ((far - near).abs().max() / near.abs().max()).item()

    assert change() > 0.05
    for each in (block.q_norm.weight, block.k_norm.weight, block.scaling):
        each.data = each.data[:8].repeat(2)  # pairs are halves
    assert change() < 1e-4


def test_omdet_turbo_counts_column_by_column():
    """On a square it has the right table, whose rows for 3 × 5 patches are compared with its own."""
    table = OmDetTurboHybridEncoder.build_2d_sincos_position_embedding
    right = table(5, 5, 16)[0].view(5, 5, 16)[:3].flatten(0, 1)
    wrong = (table(5, 3, 16)[0] != right).any(-1).sum().item()
    assert printed("A sinusoidal") == [str(wrong)]


def test_dinov2_in_transformers_reads_beside_its_authors():
    """Where torch reads with their factor, from a table that counts; transformers passes the size."""
    count = torch.arange(37, dtype=torch.float64)[None, None]
    by_factor = F.interpolate(count, scale_factor=16.1 / 37, mode="linear")
    by_size = F.interpolate(count, size=16, mode="linear")
    assert printed("A tenth") == [f"{(by_size - by_factor).max():.2f}"]


def test_llama_4():
    assert printed("Llama 4's")[0] == f"{Llama4TextL2Norm()(normal(1, 64)).norm():.2f}"


def test_smollm_3_gives_windows_to_the_layers_that_it_does_not_rotate():
    config = SmolLM3Config(num_hidden_layers=4, use_sliding_window=True, sliding_window=4_096)
    assert config.no_rope_layers == [1, 1, 1, 0]  # 1 means rotated
    kinds = [kind.removesuffix("_attention") for kind in config.layer_types]
    assert printed("A window on") == [f"'{kind}'" for kind in kinds]


@pytest.mark.parametrize("kept", [True, False])
def test_angles_that_outlive_their_frequencies(kept):
    """Rotated before it loads; a fresh copy, or one without the cache, has the angles of what it loaded."""
    used, fresh = (RotaryEmbeddingTorch(64, cache_if_possible=kept) for _ in range(2))
    x = torch.ones(1, 1, 8, 64)
    used.rotate_queries_or_keys(x)
    for each in (used, fresh):
        each.load_state_dict({"freqs": each.freqs / 2})
    old, new = (each.rotate_queries_or_keys(x)[0, 0, 3] for each in (used, fresh))
    similarity = torch.nn.functional.cosine_similarity(old, new, dim=0)
    assert (printed("Angles that") == [f"{similarity:.2f}"]) == kept
    assert torch.equal(old, new) != kept


def test_xpos_with_a_cache():
    """The whole text with one centre, and its last query with the keys: one pair at a time is not 0."""
    peer, first, last = RotaryEmbeddingTorch(64, use_xpos=True), torch.zeros(64), torch.zeros(64)
    first[:2], last[-2:] = 1, 1
    off = []
    for pair in (first, last):
        x = pair.expand(1, 1, 1_000, 64)
        q, k = peer.rotate_queries_and_keys(x, x)
        new, cached = peer.rotate_queries_with_cached_keys(x[..., -1:, :], x)
        at_once, step = q[0, 0, -1] @ k[0, 0, 990:].T, new[0, 0, 0] @ cached[0, 0, 990:].T
        torch.testing.assert_close(step / at_once, (step / at_once)[:1].expand(10), rtol=1e-3, atol=0)
        off.append(f"{(step / at_once)[-1]:.2f}")
    assert printed("xPos with") == ["1.00", "1.00", *off]


@pytest.mark.parametrize("sections", [(16, 24, 24), (24, 20, 20)])
def test_sections_of_qwen_3(sections):
    rope = {"rope_type": "default", "rope_theta": 1e4, "mrope_section": list(sections)}
    sizes = {"head_dim": 128, "hidden_size": 256, "num_attention_heads": 2, "num_key_value_heads": 2}
    rotary = Qwen3VLTextRotaryEmbedding(Qwen3VLConfig(text_config={**sizes, "rope_parameters": rope}).text_config)
    moved = [rotary(torch.zeros(1), axis[:, None, None])[1] for axis in torch.eye(3)]
    got = [(sin[0, 0, :64] != 0).sum().item() for sin in moved]
    assert (got == list(sections)) == (sections == (24, 20, 20))
    if sections == (16, 24, 24):
        assert printed("Interleaved sections") == [str(pairs) for pairs in got]


def test_text_after_a_video():
    model = Qwen2_5_VLModel.__new__(Qwen2_5_VLModel)
    torch.nn.Module.__init__(model)
    model.config = Qwen2_5_VLConfig(vision_config={"spatial_merge_size": 2, "tokens_per_second": 2})
    kinds = torch.tensor([[0] * 3 + [2] * 40 + [0] * 3])
    grid, seconds = torch.tensor([[10, 4, 4]]), torch.tensor([2.0])
    given = {"input_ids": torch.zeros_like(kinds), "mm_token_type_ids": kinds}
    ids = model.get_rope_index(**given, video_grid_thw=grid, second_per_grid_ts=seconds)[0][:, 0].T
    expected = [str(ids[:-3].max().item()), *map(str, ids[-3:, 0].tolist())]
    assert printed("The text") == ["39", "40", "41", "42", *expected]


def last_frequency(rotary, n):
    rotary(torch.zeros(1), torch.arange(n)[None])
    return rotary.inv_freq[-1].item()


def test_a_clamp_on_popes_phases():
    peer = PolarEmbedding(2, 1)
    assert peer.learned_bias.flatten().tolist() == [0, 0]
    peer.learned_bias.data += torch.tensor([0.1, -0.1])
    peer(torch.arange(3))[1].sum().backward()
    assert printed("A clamp") == [str(g) for g in peer.learned_bias.grad.flatten().tolist()]


def test_which_features_of_deepseek_v4_are_rotated():
    assert "on the first `rope_head_dim` of each head" in deepseek.DeepseekV4Attention.__doc__
    x, angles = torch.ones(1, 1, 1, 8), 3 * geometric_freqs(4)[None, None]
    out = deepseek.apply_rotary_pos_emb(x, angles.cos(), angles.sin())
    alone = (out == x).flatten().nonzero().flatten().tolist()
    assert printed("Which features") == ["4", "5", "6", "7", *map(str, alone)]


def test_dynamic_ntk():
    config = llama(rope_type="dynamic", rope_theta=1e4, factor=2.0, sizes={"max_position_embeddings": 2_048})
    fresh, used = (LlamaRotaryEmbedding(config) for _ in range(2))
    last_frequency(used, 8_192)
    ratio = last_frequency(fresh, 6_000) / last_frequency(used, 6_000)
    assert printed("Dynamic NTK that") == [f"{ratio:.2f}"]
    short = llama(128, rope_type="dynamic", rope_theta=1e4, factor=4.0, sizes={"max_position_embeddings": 2_048})
    slower = geometric_freqs(128)[-1] / last_frequency(LlamaRotaryEmbedding(short), 100)
    assert printed("One name,")[0] == f"{slower:.0f}"


def test_ramp_of_yarn():
    code, _ = FREQS["yarn"](GptOssConfig())
    paper = by_parts(geometric_freqs(64, 150_000.0), 32.0, 4_096)
    assert printed("The ramp") == [f"{(code / paper).max():.2f}"]


def test_truncate():
    flat, _ = FREQS["yarn"](llama(128, **YARN, truncate=False))
    layers = {"full_attention": {**YARN, "truncate": False}, "sliding_attention": {"rope_type": "default"}}
    layers["sliding_attention"]["rope_theta"] = 1e4
    sizes = {"hidden_size": 256, "num_attention_heads": 2, "max_position_embeddings": 131_072}
    nested, _ = FREQS["yarn"](ModernBertConfig(**sizes, rope_parameters=layers), layer_type="full_attention")
    assert printed("A truncate")[0] == f"{100 * (nested / flat - 1).max():.1f}"


@pytest.mark.parametrize(("row", "given"), [(0, {"mscale": 0.5}), (1, {"mscale_all_dim": 0.5})])
def test_one_mscale(row, given):
    _, factor = FREQS["yarn"](llama(**{**YARN, "factor": 40.0}, **given))
    assert printed("One mscale alone")[2 * row + 1] == f"{factor:.4f}"


def test_lists_of_phi_3_5_moe():
    rope = {"type": "longrope", "original_max_position_embeddings": 32, "short_mscale": 1.25, "long_mscale": 1.5}
    rope |= {"short_factor": [1.0, 1.0], "long_factor": [1.0, 8.0]}
    sizes = {"hidden_size": 8, "num_attention_heads": 2, "max_position_embeddings": 256, "rope_theta": 1e4}
    cos, sin = PhimoeRotaryEmbedding(PhimoeConfig(**sizes, rope_scaling=rope))(torch.zeros(1), torch.arange(40)[None])
    amplitude = (cos**2 + sin**2).sqrt()[0, 39, 1]
    assert amplitude.item() == pytest.approx(1.5, rel=1e-5)
    assert printed("The long")[1] == f"{cos[0, 39, 1] / amplitude:.4f}"


def test_longrope_with_a_cache():
    renamed = {**PHI_3_VISION["rope_scaling"], "type": "longrope"}
    rotary = Phi3RotaryEmbedding(Phi3Config(**{**PHI_3_VISION, "rope_scaling": renamed}))
    sets = []
    for n in (4_096, 4_097):
        rotary(torch.zeros(1), torch.arange(n)[None])
        sets.append(rotary.inv_freq.double().clone())
    similarity = (4_000 * (sets[0] - sets[1])).cos().mean()
    assert printed("LongRoPE with") == [f"{similarity:.2f}"]


def test_factor_of_longrope():
    lists = {"short_factor": [1.0] * 32, "long_factor": [2.0] * 32}
    rope = {"rope_type": "longrope", "rope_theta": 1e4, "original_max_position_embeddings": 4_096, **lists}
    amplitudes = [FREQS["longrope"](llama(**rope, **more))[1] for more in ({}, {"factor": 4.0})]
    assert printed("The factor") == [f"{amplitude:.4f}" for amplitude in amplitudes]


def test_a_start_that_reaches_nothing():
    """Transformers' own model, as it is made: its weights have the spread of torch's start, not of its own."""
    small = {"num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 8}
    torch.manual_seed(0)
    conv = Wav2Vec2Model(Wav2Vec2Config(hidden_size=256, **small)).encoder.pos_conv_embed.conv
    meant = 2 * math.sqrt(1 / (conv.kernel_size[0] * conv.in_channels))
    found = conv.weight.std().item()
    assert printed("A start") == ["meant", f"{meant:.4f}", "found", f"{found:.4f}"]


def test_transformer_xl_s_scores_without_the_shift():
    """Equal queries score the keys alike: Wav2Vec2-Conformer's own layer, with its shift and with none."""
    config = Wav2Vec2ConformerConfig(hidden_size=16, num_attention_heads=2, num_conv_pos_embeddings=3)
    layer, table = conformer.Wav2Vec2ConformerSelfAttention(config), conformer.Wav2Vec2ConformerRelPositionalEmbedding
    rows = table(config)(torch.zeros(1, 6, 16))  # one for each distance, 5 … -5
    q = normal(1, 2, 1, 8).float().expand(1, 2, 6, 8)
    with torch.no_grad():
        bias_v = layer.pos_bias_v.data.normal_()
        keys = layer.linear_pos(rows).view(1, -1, 2, 8).permute(0, 2, 3, 1)
        left_out = (q + bias_v[:, None]) @ keys
        _, shifted = conformer._apply_relative_position_encoding(layer, q, torch.zeros_like(q), rows)
    found = [torch.allclose(scores, scores[..., :1, :].expand_as(scores), atol=1e-6) for scores in (left_out, shifted)]
    assert printed("Relative positions,") == [str(equal) for equal in found]


def guide(model, ids, window, stride):
    """The average of Hugging Face's guide, window by window: (its mean loss, what it counts, what is scored)."""
    done = 0
    for begin in range(0, ids.shape[1], stride):
        end = min(begin + window, ids.shape[1])
        labels = ids[:, begin:end].clone()
        labels[:, : done - end] = -100
        yield model(ids[:, begin:end], labels=labels).loss, (labels != -100).sum() - 1, (labels[:, 1:] != -100).sum()
        done = end
        if end == ids.shape[1]:
            return


@torch.no_grad()
def test_an_average_that_forgets_a_token():
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "num_attention_heads": 2, "num_key_value_heads": 2, "intermediate_size": 64}
    model = LlamaForCausalLM(LlamaConfig(**sizes, num_hidden_layers=2, vocab_size=50, initializer_range=0.5)).eval()
    ids = torch.randint(50, (1, 200))
    found = {stride: list(guide(model, ids, 64, stride)) for stride in (64, 2, 1)}
    ratio = {}
    for stride, parts in found.items():
        means = [sum(loss * n[i] for loss, *n in parts) / sum(n[i] for _, *n in parts) for i in (0, 1)]
        ratio[stride] = [mean.exp().item() for mean in means]
    assert ratio[64][0] == pytest.approx(ratio[64][1])  # side by side nothing is lost
    assert [str(n.item()) for n in found[2][1][1:]] == printed("An average")
    assert [n.item() for n in found[1][1][1:]] == [0, 1]
    assert ratio[1][0] == pytest.approx(found[1][0][0].exp().item())  # the first window's
    assert [round(value) for value in ratio[1]] == [1569, 1275]


def test_effective_lengths_that_the_rule_does_not_give():
    """The whole table is read in tests/practice/measuring/test_claims.py."""
    assert set(printed("Effective lengths")) == {"False"}


@torch.no_grad()
def test_a_factor_that_counts_the_row(monkeypatch):
    """The queries of transformers' own layer, for equal tokens: the last one begins a text, and its position is 0."""
    sizes = {"hidden_size": 4, "num_attention_heads": 1, "num_key_value_heads": 1, "head_dim": 4}
    config = Llama4TextConfig(**sizes, no_rope_layers=[0], num_hidden_layers=1, use_qk_norm=False)
    layer, seen = llama4.Llama4TextAttention(config, 0).double(), []

    def looked_at(module, query, key, value, mask, **_):
        seen.append(query)
        return query.transpose(1, 2), None

    monkeypatch.setattr(llama4, "eager_attention_forward", looked_at)
    monkeypatch.setattr(config, "_attn_implementation", "eager")
    positions = torch.arange(8_193).where(torch.arange(8_193) < 8_192, 0)[None]
    layer(torch.ones(1, 8_193, 4).double(), position_embeddings=None, attention_mask=None, position_ids=positions)
    factor = (seen[0][..., -1, :] / seen[0][..., 0, :]).mean()
    right = ministral.get_llama_4_attn_scale(positions, 0.1, 8_192).flatten()[-1]
    assert printed("A factor") == [f"{factor:.4f}", f"{right:.4f}"]
