"""Other people's rotations by several axes, and their positions for texts, images and clips in one sequence."""

from __future__ import annotations

import json
import math
import random
import warnings
from pathlib import Path

import pytest
import torch
from rotary_embedding_torch import RotaryEmbedding as RotaryEmbeddingTorch
from rotary_embedding_torch import apply_rotary_emb
from torch.nn.utils.rnn import pad_sequence
from transformers import (
    DINOv3ViTConfig,
    Glm4vConfig,
    Llama4VisionConfig,
    PixtralVisionConfig,
    Qwen2_5_VLConfig,
    Qwen2VLConfig,
    Qwen3VLConfig,
)
from transformers.models.dinov3_vit import modeling_dinov3_vit
from transformers.models.glm4v import modeling_glm4v
from transformers.models.llama4 import modeling_llama4
from transformers.models.pixtral import modeling_pixtral
from transformers.models.qwen2_5_vl import modeling_qwen2_5_vl
from transformers.models.qwen2_vl import modeling_qwen2_vl
from transformers.models.qwen3_vl import modeling_qwen3_vl
from transformers.vision_utils import get_vision_position_ids

from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import (
    axes_angles,
    axial_freqs,
    chunked_sections,
    grid_positions,
    interleaved_sections,
    next_position,
    normalised_positions,
    padded_positions,
    rotate,
    vision_positions,
)

with warnings.catch_warnings():  # the import scripts a function, which torch has deprecated
    warnings.filterwarnings("ignore", "`torch.jit.script` is deprecated", DeprecationWarning)
    from x_transformers.x_transformers import RotaryEmbedding as XTransformersRotary
    from x_transformers.x_transformers import apply_rotary_pos_emb as x_transformers_rotate

ATOL = 1e-4  # the others compute the angles in float32: at position 500 that costs about 3e-5
TIMM = json.loads((Path(__file__).parents[2] / "oracles" / "axes_timm.json").read_text(encoding="utf-8"))["cases"]


def random_x(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def same(ours, theirs, where=""):
    torch.testing.assert_close(ours, theirs, rtol=0, atol=ATOL, msg=lambda text: where + text)


def shared(d, base, axes=2):
    """The same frequencies for each axis."""
    pairs = d // 2 // axes
    return axial_freqs(geometric_freqs(2 * pairs, base).repeat(axes), chunked_sections([pairs] * axes), axes)


# --- language models: sections


def sections(draw):
    """Three numbers of pairs that interleaving can give too."""
    while True:
        pairs, turns = draw.choice([6, 16, 32, 64]), [draw.randint(1, 22) for _ in "hw"]
        sizes = (pairs - sum(turns), *turns)
        if sizes[0] >= 1:
            try:
                interleaved_sections(sizes)
            except ValueError:
                continue
            return sizes


def mrope(owners, base, positions, x, layout="half"):
    freqs = axial_freqs(geometric_freqs(x.shape[-1], base), owners, 3)
    return rotate(x, axes_angles(positions, freqs), layout=layout)


FAMILIES = {
    "Qwen2-VL": (Qwen2VLConfig, modeling_qwen2_vl, "Qwen2VLRotaryEmbedding", chunked_sections, "half"),
    "Qwen2.5-VL": (Qwen2_5_VLConfig, modeling_qwen2_5_vl, "Qwen2_5_VLRotaryEmbedding", chunked_sections, "half"),
    "Qwen3-VL": (Qwen3VLConfig, modeling_qwen3_vl, "Qwen3VLTextRotaryEmbedding", interleaved_sections, "half"),
    "GLM-4V": (Glm4vConfig, modeling_glm4v, "Glm4vTextRotaryEmbedding", chunked_sections, "interleaved"),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_sections_of_language_models(family):
    Config, module, name, owners, layout = FAMILIES[family]
    for seed in range(10):
        draw = random.Random(seed)
        sizes, base = sections(draw), draw.choice([1e4, 1e6, 5e6])
        d = 2 * sum(sizes)
        rope = {"rope_type": "default", "rope_theta": base, "mrope_section": list(sizes), "partial_rotary_factor": 1.0}
        text = dict(hidden_size=2 * d, num_attention_heads=2, num_key_value_heads=2, head_dim=d, rope_parameters=rope)
        config = Config(text_config=text).text_config
        positions = torch.randint(0, 500, (7, 3), generator=torch.Generator().manual_seed(seed))
        x = random_x(1, 2, 7, d, seed=seed)
        cos, sin = getattr(module, name)(config)(x, positions.T[:, None])
        theirs = module.apply_rotary_pos_emb(x, x, cos, sin)[1]
        same(mrope(owners(sizes), base, positions, x, layout), theirs, f"seed {seed}: ")


@pytest.mark.parametrize("sizes", [(16, 24, 24), (24, 20, 20)])
def test_equal_positions_are_x_transformers_rotary_of_one_axis(sizes):
    x, positions = random_x(1, 2, 200, 128), torch.arange(200)
    freqs, scale = XTransformersRotary(128)(positions)
    ours = mrope(chunked_sections(sizes), 1e4, positions[:, None].expand(-1, 3), x, "interleaved")
    same(ours, x_transformers_rotate(x, freqs, scale))


# --- language models: positions

SPLIT = {"Qwen3-VL", "GLM-4V"}  # to these a clip is many images


def mixture(seed, family, merge=None):
    """Texts, images and clips in random order: our segments, and the arguments of `get_rope_index`."""
    draw, merge = random.Random(seed), merge or random.Random(seed).choice([1, 2, 3])
    segments, types, images, videos, steps = [], [], [], [], []

    def text():
        segments.append(("text", n := draw.randint(1, 5)))
        types.extend([0] * n)

    def image(kind, h, w):
        segments.append(("image", (h, w)))
        types.extend([kind] * (h * w // merge**2))

    text()  # between two pieces of vision there is text in any case: the marks of their start and end
    for _ in range(draw.randint(1, 5)):
        t, h, w = draw.randint(1, 12), merge * draw.randint(1, 3), merge * draw.randint(1, 3)
        if draw.random() < 0.5:
            images.append([1, h, w])
            image(1, h, w)
        elif family in SPLIT:
            videos.append([t, h, w])
            for time in range(t):
                if time:
                    text()
                image(2, h, w)
        else:
            videos.append([t, h, w])
            steps.append(draw.choice([draw.randint(1, 99) / 100, draw.randint(1, 30) / 10, 4 / 3, 2.0]))
            segments.append(("video", (t, h, w), *([2 * steps[-1]] if family == "Qwen2.5-VL" else [])))
            types.extend([2] * (t * h * w // merge**2))
        text()
    given = {"input_ids": torch.zeros(1, len(types), dtype=torch.int64), "mm_token_type_ids": torch.tensor([types])}
    given |= {"image_grid_thw": torch.tensor(images) if images else None}
    given |= {"video_grid_thw": torch.tensor(videos) if videos else None}
    if family == "Qwen2.5-VL" and videos:
        given["second_per_grid_ts"] = torch.tensor(steps)
    return segments, merge, given


def peer(family, merge):
    """The model's class around its configuration alone: the positions need no weights."""
    Config, module, *_ = FAMILIES[family]
    Model = getattr(module, Config.__name__.replace("Config", "Model"))
    model = Model.__new__(Model)
    torch.nn.Module.__init__(model)
    more = {"tokens_per_second": 2} if family == "Qwen2.5-VL" else {}
    model.config = Config(vision_config={"spatial_merge_size": merge, **more})
    return model


@pytest.mark.parametrize("family", FAMILIES)
def test_positions_of_random_mixtures(family):
    clips = 0
    models = {merge: peer(family, merge) for merge in (1, 2, 3)}
    for seed in range(200):
        segments, merge, given = mixture(seed, family)
        theirs, delta = models[merge].get_rope_index(**given)
        ours = vision_positions(segments, merge=merge, after="space")
        assert ours.equal(theirs[:, 0].T), segments
        assert delta.item() == ours.max() + 1 - len(ours)
        clips += not ours.equal(vision_positions(segments, merge=merge))  # the largest number was a time
    assert clips == 0 if family in SPLIT else clips > 20


def batched(given, side):
    """The arguments of several calls as those of one, of texts that are padded on this side."""
    types = [one["mm_token_type_ids"][0] for one in given]
    padded, real = (pad_sequence(x, batch_first=True, padding_side=side) for x in (types, [t + 1 for t in types]))
    together = {"input_ids": torch.zeros_like(padded), "mm_token_type_ids": padded, "attention_mask": real.clamp(max=1)}
    for name in ("image_grid_thw", "video_grid_thw", "second_per_grid_ts"):
        parts = [one[name] for one in given if one.get(name) is not None]
        together[name] = torch.cat(parts) if parts else None
    return together


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("family", ["Qwen2-VL", "Qwen2.5-VL"])
def test_batches_of_random_mixtures(family, side):
    """Also the number of the next word, which theirs is less the tokens of the text."""
    models = {merge: peer(family, merge) for merge in (1, 2)}
    for seed in range(60):
        merge = 1 + seed % 2
        drawn = [mixture(100 * seed + i, family, merge) for i in range(1 + seed % 4)]
        theirs, deltas = models[merge].get_rope_index(**batched([given for *_, given in drawn], side))
        texts = [vision_positions(segments, merge=merge, after="space") for segments, *_ in drawn]
        ours = padded_positions(texts, side=side)
        assert ours[:, 0].equal(theirs.permute(1, 2, 0)), f"seed {seed}"
        assert next_position(ours).equal(deltas + torch.tensor([[len(text)] for text in texts])), f"seed {seed}"


def test_times_are_products_in_float32():
    """Which is 29 for 100 · 0.29, where float64 gives a little less."""
    given = {"input_ids": torch.zeros(1, 101, dtype=torch.int64), "mm_token_type_ids": torch.full((1, 101), 2)}
    given |= {"video_grid_thw": torch.tensor([[101, 1, 1]]), "second_per_grid_ts": torch.tensor([0.145])}
    theirs = peer("Qwen2.5-VL", 1).get_rope_index(**given)[0][:, 0].T
    assert vision_positions([("video", (101, 1, 1), 0.29)], merge=1).equal(theirs)
    assert theirs[-1, 0] == 29 == int(100 * 0.29) + 1


def test_text_after_a_video_starts_among_its_times():
    """In transformers 5.23 a run of `generate` and a step by hand go on with different positions."""
    text = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    text |= {
        "num_key_value_heads": 2,
        "vocab_size": 64,
        "max_position_embeddings": 256,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }
    rope = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [2, 3, 3]}
    vision = {"depth": 1, "hidden_size": 32, "intermediate_size": 32, "num_heads": 2, "out_hidden_size": 32}
    vision |= {"fullatt_block_indexes": [0], "tokens_per_second": 2}
    config = Qwen2_5_VLConfig(
        text_config=text | {"rope_parameters": rope},
        vision_config=vision,
        image_token_id=50,
        video_token_id=51,
        vision_start_token_id=52,
        vision_end_token_id=53,
    )
    torch.manual_seed(0)
    model = modeling_qwen2_5_vl.Qwen2_5_VLForConditionalGeneration(config).eval()
    ids = torch.tensor([[5, 6, 52] + [51] * 40 + [53, 7, 8]])
    clip = {"mm_token_type_ids": (ids == 51).int() * 2, "video_grid_thw": torch.tensor([[10, 4, 4]])}
    clip |= {"second_per_grid_ts": torch.tensor([2.0]), "pixel_values_videos": torch.randn(160, 1176)}
    seen = []

    def keep(_, args, kwargs):
        seen.append(kwargs["position_ids"] if "position_ids" in kwargs else args[1])

    model.model.language_model.rotary_emb.register_forward_pre_hook(keep, with_kwargs=True)
    model.generate(input_ids=ids, **clip, max_new_tokens=3, do_sample=False, eos_token_id=None)
    segments = [("text", 3), ("video", (10, 4, 4), 4), ("text", 3)]
    ours = vision_positions(segments, after="space")
    assert seen[0][:, 0].T.equal(ours)
    assert (ours[:-3].max().item(), ours[-3:, 0].tolist()) == (39, [5, 6, 7])
    assert [positions[0].item() for positions in seen[1:]] == [8, 9]
    seen.clear()
    cache = model(input_ids=ids, **clip, use_cache=True).past_key_values
    model(input_ids=torch.tensor([[9]]), past_key_values=cache, use_cache=True)
    assert seen[1][0].item() == 40
    assert vision_positions(segments)[-3:, 0].tolist() == [40, 41, 42]  # as the paper says


# --- vision towers


SIZES = [(1, 1), (2, 4), (5, 3), (8, 8)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("d", "base"), [(16, 1e4), (64, 1e4), (64, 100.0)])
def test_pixtral_gives_the_odd_frequencies_to_the_columns(size, d, base):
    rope = {"rope_type": "axial", "rope_theta": base}
    config = PixtralVisionConfig(hidden_size=2 * d, num_attention_heads=2, head_dim=d, rope_parameters=rope)
    positions, x = grid_positions(*size), random_x(1, 2, math.prod(size), d)
    cos, sin = modeling_pixtral.PixtralVisionRotaryEmbedding(config)(x, positions)
    all_freqs = geometric_freqs(d, base)
    freqs = axial_freqs(torch.cat((all_freqs[0::2], all_freqs[1::2])), chunked_sections([d // 4] * 2), 2)
    theirs = modeling_pixtral.apply_rotary_pos_emb(x, x, cos, sin, unsqueeze_dim=0)[0]
    same(rotate(x, axes_angles(positions, freqs), layout="half"), theirs)
    if min(size) > 1:  # the two axes are not treated alike
        assert (rotate(x, axes_angles(positions, shared(d, base)), layout="half") - theirs).abs().max() > 0.1


TOWERS = {
    "Qwen2-VL": (modeling_qwen2_vl.Qwen2VLVisionRotaryEmbedding, "embed_dim"),
    "Qwen2.5-VL": (modeling_qwen2_5_vl.Qwen2_5_VLVisionRotaryEmbedding, "hidden_size"),
    "GLM-4V": (modeling_glm4v.Glm4vVisionRotaryEmbedding, "hidden_size"),
}


@pytest.mark.parametrize("family", TOWERS)
@pytest.mark.parametrize("size", [(2, 2), (2, 4), (6, 4)])
@pytest.mark.parametrize(("d", "base"), [(16, 1e4), (80, 1e4), (64, 100.0)])
def test_towers_that_merge_squares(family, size, d, base):
    """Patches come in squares of 2 × 2."""
    Rotary, width = TOWERS[family]
    config = FAMILIES[family][0](vision_config={width: 2 * d, "num_heads": 2}).vision_config
    config.rope_parameters = {"rope_type": "axial", "rope_theta": base}
    positions, x = grid_positions(*size, block=2), random_x(math.prod(size), 2, d)
    cos, sin = Rotary(config)(x, positions)
    theirs = FAMILIES[family][1].apply_rotary_pos_emb_vision(x, x, cos, sin)[0]
    angles = axes_angles(positions, shared(d, base))
    same(rotate(x.transpose(0, 1), angles, layout="half").transpose(0, 1), theirs)


@pytest.mark.parametrize("block", [1, 2, 3])
def test_patches_in_squares(block):
    for h in (1, 2, 3):
        for w in (1, 2, 4):
            grid = torch.tensor([[1, h * block, w * block]])
            assert grid_positions(h * block, w * block, block=block).equal(get_vision_position_ids(grid, block))


@pytest.mark.parametrize(("n", "d"), [(1, 16), (4, 16), (6, 88)])
def test_llama_4_counts_from_one_and_columns_first(n, d):
    """The CLS token, the last one, is not rotated: it is where no patch is, at 0, 0."""
    config = Llama4VisionConfig(hidden_size=2 * d, num_attention_heads=2, image_size=14 * n, patch_size=14)
    table = modeling_llama4.Llama4VisionRotaryEmbedding(config)(torch.empty(0))
    base = config.rope_parameters["rope_theta"]
    x = random_x(1, n * n + 1, 2, d)
    theirs = modeling_llama4.vision_apply_rotary_emb(x, x, table)[0]
    positions = torch.cat((grid_positions(n, n).flip(-1) + 1, torch.zeros(1, 2, dtype=torch.int64)))
    same(rotate(x.transpose(1, 2), axes_angles(positions, shared(d, base))).transpose(1, 2), theirs)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("d", "base"), [(16, 100.0), (64, 100.0), (64, 1e4)])
def test_dinov3_has_coordinates_from_minus_one_to_one(size, d, base):
    config = DINOv3ViTConfig(hidden_size=2 * d, num_attention_heads=2, rope_theta=base, patch_size=4)
    pixels, n = torch.zeros(1, 3, *(4 * side for side in size)), math.prod(size)
    cos, sin = modeling_dinov3_vit.DINOv3ViTRopePositionEmbedding(config).eval()(pixels)
    x = random_x(1, 2, n + 5, d)  # five tokens before the patches, which are not rotated
    theirs = modeling_dinov3_vit.apply_rotary_pos_emb(x, x, cos, sin)[0]
    angles = axes_angles(normalised_positions(*size), 2 * math.pi * shared(d, base))
    same(torch.cat((x[:, :, :5], rotate(x[:, :, 5:], angles, layout="half")), dim=2), theirs)


@pytest.mark.parametrize("size", [(3,), (3, 4), (2, 3, 4)])
def test_rotary_embedding_torch(size):
    axes = len(size)
    positions = torch.cartesian_prod(*map(torch.arange, size)).view(-1, axes)
    peer = RotaryEmbeddingTorch(8)
    x = random_x(*size, 8 * axes)
    theirs = apply_rotary_emb(peer.get_axial_freqs(*size), x).view(-1, 8 * axes)
    same(rotate(x.view(-1, 8 * axes), axes_angles(positions, shared(8 * axes, 1e4, axes))), theirs)


@pytest.mark.parametrize("case", TIMM, ids=lambda case: f"{case['kind']} {case['size']} {case['layout']}")
def test_timm(case):
    size, rotated = case["size"], torch.tensor(case["rotated"])
    n, d = rotated.shape
    x = (torch.arange(n * d) * 7 % 11 - 5.0).view(n, d)
    positions = grid_positions(*size)
    if case["kind"] == "mixed":
        freqs = torch.tensor(case["freqs"])
    elif case["kind"] == "mrope":  # an image has no time
        positions = torch.nn.functional.pad(positions, (1, 0))
        freqs = axial_freqs(geometric_freqs(d, case["base"]), interleaved_sections(case["sections"]), 3)
    else:
        freqs = shared(d, case["base"])
    if case["kind"] == "dinov3":
        positions, freqs = normalised_positions(*size), 2 * math.pi * freqs
    same(rotate(x, axes_angles(positions, freqs), layout=case["layout"]), rotated)
