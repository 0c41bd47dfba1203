"""The reader of released configurations: old and new names, what it computes, and what it takes from its caller."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from posenc_lib.extension import interpolate, longrope, longrope_temperature
from posenc_lib.extension._yarn import yarn
from posenc_lib.pairs import geometric_freqs
from posenc_lib.released import released_rope, spell
from tests.extension.longrope.configurations import HEAD, TYPES, L, with_rope

EACH = pytest.mark.parametrize("rope_type", TYPES)


@EACH
def test_old_names_say_the_same(rope_type):
    new = released_rope(with_rope(rope_type), n=150)
    rope = with_rope(rope_type)["rope_parameters"]
    old = {key: value for key, value in rope.items() if key not in ("rope_type", L)}
    beside = {key: value for key, value in rope.items() if key == L}
    for config in (
        {**HEAD, "rope_scaling": rope},
        {**HEAD, **beside, "rope_scaling": {**old, "type": rope_type}},
        {**HEAD, "rope_scaling": {**rope, "type": rope_type}},
        {**HEAD, "rope_scaling": rope, "rope_parameters": dict(rope)},
        {**HEAD, "rope_scaling": None, "rope_parameters": rope},
        {**HEAD, "rope_parameters": {**rope, "rope_theta": 10_000.0}},
        {**HEAD, "head_dim": 8, "hidden_size": None, "rope_parameters": rope},
        {"rope_parameters": {"full": rope, "none": None}, **HEAD},
    ):
        layer = {"layer_type": "full"} if "full" in config.get("rope_parameters", ()) else {}
        again = released_rope(config, n=150, **layer)
        assert torch.equal(again.freqs, new.freqs)
        assert again.attention_factor == new.attention_factor


def test_without_rope_parameters_it_is_the_plain_encoding():
    freqs, factor = released_rope(HEAD)
    assert torch.equal(freqs, geometric_freqs(8))
    assert factor == 1.0
    assert torch.equal(released_rope({**HEAD, "rope_scaling": None}).freqs, freqs)


def test_names_that_were_used_before():
    assert torch.equal(released_rope(with_rope("longrope") | {}, n=101).freqs, released_rope(su(), n=101).freqs)
    mrope = {**HEAD, "rope_scaling": {"type": "mrope", "mrope_section": [2, 1, 1]}}
    assert torch.equal(released_rope(mrope, handled=["mrope_section"]).freqs, geometric_freqs(8))


def su():
    return {**HEAD, "rope_scaling": {**TYPES["longrope"], "type": "su"}}


def test_the_list_is_chosen_by_the_length():
    at, beyond = (released_rope(with_rope("longrope"), n=n) for n in (100, 101))
    freqs = geometric_freqs(8)
    assert torch.equal(at.freqs, longrope(freqs, torch.tensor([1.0, 1, 2, 2], dtype=torch.float64)))
    assert torch.equal(beyond.freqs, longrope(freqs, torch.tensor([1.0, 2, 3, 4], dtype=torch.float64)))
    assert at.attention_factor == beyond.attention_factor == longrope_temperature(4.0, 100)


def test_a_factor_that_is_given_counts_more_than_the_ratio_of_the_lengths():
    given = released_rope(with_rope("longrope", factor=2.0), n=1)
    assert given.attention_factor == longrope_temperature(2.0, 100)


def test_yarn_without_a_factor_takes_the_ratio_of_the_lengths():
    assert torch.equal(released_rope(with_rope("yarn", factor=None)).freqs, yarn(geometric_freqs(8), 4.0, 100))


@pytest.mark.parametrize(
    "given", [{}, {"mscale": 0.7}, {"mscale_all_dim": 0.7}, {"mscale": 0.0, "mscale_all_dim": 1.0}]
)
def test_one_mscale_alone_counts_for_nothing(given):
    plain = released_rope(with_rope("yarn")).attention_factor
    assert released_rope(with_rope("yarn", **given)).attention_factor == plain
    assert released_rope(with_rope("yarn", mscale=1.0, mscale_all_dim=1.0)).attention_factor == 1.0


def test_a_part_of_the_head():
    half = {**HEAD, "partial_rotary_factor": 0.5}
    assert torch.equal(released_rope(half).freqs, geometric_freqs(4))
    kept = released_rope({**half, "rope_parameters": {"rope_type": "proportional"}}).freqs
    assert torch.equal(kept[:2], geometric_freqs(8)[:2])
    assert torch.equal(kept[2:], torch.zeros(2, dtype=torch.float64))


def test_a_latent_head_has_the_features_of_its_rotated_slice():
    assert len(released_rope({**HEAD, "qk_rope_head_dim": 6}).freqs) == 3
    assert len(released_rope({**HEAD, "qk_rope_head_dim": 6, "head_dim": 8}, d=6).freqs) == 3


def test_numbers_of_numpy():
    config = with_rope("linear", factor=np.float64(4)) | {"hidden_size": np.int64(32)}
    assert torch.equal(released_rope(config).freqs, interpolate(geometric_freqs(8), 4.0))


@pytest.mark.parametrize(
    "key", ["rope_local_base_freq", "rotary_pct", "position_embedding_type", "patch_size", "alibi"]
)
def test_what_the_caller_handles_is_read_past(key):
    assert torch.equal(released_rope({**HEAD, key: True}, handled={key}).freqs, geometric_freqs(8))


@pytest.mark.parametrize(
    "said",
    [
        {"position_embedding_type": "nope"},
        {"mla_use_nope": True},
        {"model_type": "granitemoehybrid"},
        {"model_type": "granitemoehybrid", "position_embedding_type": None},
        {"model_type": "zamba2", "use_mem_rope": False},
        {"model_type": "kimi_linear", "qk_rope_head_dim": 64},
        {"model_type": "nemotron_h", "rope_theta": None},
        {"model_type": "olmo_hybrid", "rope_theta": None, "rope_parameters": {"rope_theta": None}},
    ],
)
def test_a_model_that_is_not_rotated_has_no_pairs(said):
    read = released_rope({**HEAD, **said})
    assert (len(read.freqs), read.attention_factor, read.rotated) == (0, 1.0, False)
    with pytest.raises(ValueError, match="no layer is rotated"):
        spell({**HEAD, **said}, "vllm")


@pytest.mark.parametrize(
    ("said", "still"),
    [
        ({"model_type": "cohere2", "num_hidden_layers": 4, "sliding_window_pattern": 4}, "full_attention"),
        ({"model_type": "exaone4", "sliding_window": 8, "layer_types": ["sliding_attention", "rest"]}, "rest"),
        ({"model_type": "llama4_text", "layer_types": ["chunked_attention"] * 3 + ["rest"]}, "rest"),
        ({"no_rope_layers": [1, 0], "layer_types": ["sliding_attention", "rest"]}, "rest"),
        ({"layer_rope_theta": [1e4, 0], "layer_types": ["sliding_attention", "rest"]}, "rest"),
        ({"layer_types": ["attention", "mamba"]}, "mamba"),
    ],
)
def test_layers_of_a_type_that_is_not_rotated_have_no_pairs(said, still):
    assert not released_rope({**HEAD, **said}, layer_type=still).rotated
    assert torch.equal(released_rope({**HEAD, **said}).freqs, geometric_freqs(8))


def test_the_part_for_the_text_is_read():
    whole = {"model_type": "qwen3_vl", "rope_theta": 1.5, "text_config": with_rope("linear")}
    assert torch.equal(released_rope(whole).freqs, released_rope(with_rope("linear")).freqs)


@pytest.mark.parametrize(
    ("key", "value"),
    [("position_embedding_type", "rope"), ("alibi", False), ("qk_nope_head_dim", 128), ("v_head_dim", 16)],
)
def test_what_says_the_same_in_other_words_is_read(key, value):
    assert torch.equal(released_rope({**HEAD, key: value}).freqs, geometric_freqs(8))


def test_the_features_of_a_head_have_several_names():
    for key in ("kv_channels", "attention_head_dim"):
        assert len(released_rope({**HEAD, key: 6}).freqs) == 3
    assert len(released_rope({**HEAD, "swa_head_dim": 6}, d=4).freqs) == 2
