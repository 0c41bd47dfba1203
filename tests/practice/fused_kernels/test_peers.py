"""What the page says of FlashAttention, FlashMLA and FlashInfer, by readings of their files that are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import rotate

ORACLES = Path(__file__).parents[2] / "oracles"
ROTARY = json.loads((ORACLES / "rotary_flash_attention.json").read_text(encoding="utf-8"))
READ = json.loads((ORACLES / "attention_interfaces.json").read_text(encoding="utf-8"))
X = (torch.arange(64.0).reshape(4, 16) * 7 % 11 - 5) / 4
FREQS = geometric_freqs(16, 100.0)


@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_flash_attentions_rotation_leaves_what_lies_past_its_table_as_it_is(layout):
    """Tokens at 8 to 11, and a table of ten positions. Within it, it is the library's rotation."""
    within, past = (torch.tensor(ROTARY["cases"][f"{layout} {offset}"]) for offset in (3, 8))
    right = [rotate(X, torch.arange(first, first + 4)[:, None] * FREQS, layout=layout) for first in (3, 8)]
    torch.testing.assert_close(within, right[0], rtol=0, atol=2e-6)
    torch.testing.assert_close(past[:2], right[1][:2], rtol=0, atol=2e-6)
    torch.testing.assert_close(past[2:], X[2:], rtol=0, atol=2e-6)
    assert (right[1][2:] - X[2:]).abs().max() > 1
    assert ROTARY["an_integer_past_the_end"] == "AssertionError"


def test_frequencies_behind_flash_attentions_rotation_get_no_gradient_and_vectors_do():
    back = rotate(torch.ones(4, 16), -torch.arange(3, 7)[:, None] * FREQS, layout="half")
    torch.testing.assert_close(torch.tensor(ROTARY["gradient_of_x"]), back, rtol=0, atol=2e-6)
    assert ROTARY["gradient_of_freqs"] is None


def test_which_interface_takes_which_bias():
    taken = {name: set(arguments) for name, arguments in READ["taken"].items()}
    for name in ("flash_attn 2.8.4", "flash_attn 2.8.4, with a cache"):
        assert {"alibi_slopes", "causal", "window_size", "softmax_scale"} <= taken[name]
    for name in ("flash_attn 3.0.0", "flash_attn 3.0.0, with a cache"):
        assert {"causal", "qv", "softmax_scale"} <= taken[name]
        assert not any("alibi" in argument or "bias" in argument or "score_mod" in argument for argument in taken[name])
    assert {"score_mod", "score_mod_bwd", "mask_mod"} <= taken["flash_attn.cute"]
    assert {"pos_encoding_mode", "custom_mask", "sm_scale", "rope_theta"} <= taken["flashinfer 0.6.18"]
    assert "alibi_slopes" not in taken["flashinfer 0.6.18"]
    assert READ["docstring_describes_alibi_slopes"] == {"flash_attn 2.8.4": True, "flash_attn 3.0.0": True}


@pytest.mark.parametrize("name", ["flash_attn 3.0.0, with a cache", "flash_attn.cute", "FlashMLA"])
def test_default_scales_count_absorbed_features(name):
    assert READ["default_scale"][name] == pytest.approx(576**-0.5)
    assert READ["default_scale"][name] * 3**0.5 == pytest.approx(192**-0.5)
