"""The switch in tiny random models of transformers: what decoding with a cache does where the list changes."""

from __future__ import annotations

from copy import deepcopy

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM, Phi3Config, Phi3ForCausalLM

from posenc_lib.pairs import position_angles
from posenc_lib.released import released_rope
from posenc_lib.rotary import rotate

L, D = 32, 16
ROPE = {
    "rope_type": "longrope",
    "rope_theta": 10_000.0,
    "short_factor": [1.0 + 0.02 * i for i in range(8)],
    "long_factor": [1.0, 1.2, 2.0, 3.5, 5.0, 6.0, 7.0, 8.0],
    "original_max_position_embeddings": L,
}
SIZES = {"hidden_size": 4 * D, "num_attention_heads": 4, "max_position_embeddings": 8 * L, "rope_parameters": ROPE}
IDS = torch.randint(2, 50, (1, 40), generator=torch.Generator().manual_seed(0))


def model(kind, config, **more):
    """Two layers with random weights, large enough that attention looks somewhere."""
    small = {"vocab_size": 50, "intermediate_size": 128, "num_hidden_layers": 2, "num_key_value_heads": 4}
    tokens = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": None}
    made = kind(config(**deepcopy(SIZES), **small, **tokens, **more)).double().eval()
    generator = torch.Generator().manual_seed(0)
    for weight in made.parameters():
        weight.data = (
            torch.ones_like(weight)
            if weight.ndim == 1
            else 0.3 * torch.randn(weight.shape, dtype=torch.float64, generator=generator)
        )
    return made.requires_grad_(False)


def llama():
    return model(LlamaForCausalLM, LlamaConfig)


def phi():
    return model(Phi3ForCausalLM, Phi3Config, original_max_position_embeddings=L)


@pytest.fixture(scope="module")
def off():
    """By how much the logits of each next token are off with a cache, and how large they are."""
    made = llama()
    cache = made(IDS[:, : L - 4], use_cache=True).past_key_values
    result = {}
    for n in range(L - 3, L + 5):
        with_cache = made(IDS[:, n - 1 : n], past_key_values=cache, use_cache=True).logits[0, -1]
        without = made(IDS[:, :n], use_cache=False).logits[0, -1]
        result[n] = (with_cache - without).abs().max().item(), without.abs().max().item()
    return result


def test_a_cache_is_sound_up_to_the_trained_length(off):
    assert all(off[n][0] < 1e-13 for n in range(L - 3, L + 1))


def test_and_wrong_with_the_next_token(off):
    error, size = off[L + 1]
    assert (error, size) == (pytest.approx(7.4, abs=0.05), pytest.approx(7.7, abs=0.05))  # as the page says
    assert all(off[n][0] > 1 for n in range(L + 1, L + 5))


@pytest.mark.parametrize(("make", "sound"), [(llama, False), (phi, True)])
def test_phi_3_drops_the_cache_and_llama_does_not(make, sound):
    made = make()
    texts = [
        made.generate(IDS[:, : L - 4], max_new_tokens=16, do_sample=False, use_cache=cached)[0].tolist()
        for cached in (True, False)
    ]
    assert texts[0][: L + 1] == texts[1][: L + 1]
    assert (texts[0] == texts[1]) == sound


def test_rotating_again_repairs_the_first_layer_and_not_the_second():
    made = llama()
    short, long = (released_rope(SIZES, n=n).freqs for n in (L, L + 1))
    old, right = (made(IDS[:, :n], use_cache=True).past_key_values.layers for n in (L, L + 1))

    def off_by(layer, repair):
        keys = rotate(old[layer].keys, position_angles(torch.arange(L), repair * (long - short)), layout="half")
        return (keys - right[layer].keys[:, :, :L]).abs().max().item()

    assert off_by(0, 0) > 1
    assert off_by(0, 1) < 1e-5  # transformers computes its angles in float32
    assert off_by(1, 0) > 1
    assert off_by(1, 1) == pytest.approx(10, abs=0.5)  # as the page says
    assert right[1].keys.abs().max() == pytest.approx(11, abs=0.5)
    values = [(a.values - b.values[:, :, :L]).abs().max().item() for a, b in zip(old, right, strict=True)]
    assert values[0] < 1e-13
    assert values[1] == pytest.approx(6, abs=0.5)
