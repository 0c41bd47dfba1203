"""The same index, bias and attention from transformers and timm, and the class that multiplies by 2h - 1."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import torch
from torch.nn import functional as F
from transformers import BeitConfig, SwinConfig, Swinv2Config
from transformers.models.beit.modeling_beit import BeitRelativePositionBias
from transformers.models.swin.modeling_swin import SwinAttention, SwinRelativePositionBias
from transformers.models.swinv2.modeling_swinv2 import Swinv2SelfAttention

from posenc_lib import Slots, attention
from posenc_lib.relative import WindowBias, log_spaced_offsets, resample_window_table, window_bias, window_index

WINDOWS = [(1, 1), (1, 3), (3, 1), (2, 3), (3, 2), (3, 5), (5, 3), (7, 7), (12, 12)]
TIMM = json.loads((Path(__file__).parents[2] / "oracles" / "window_timm.json").read_text(encoding="utf-8"))


def size(name):
    return tuple(map(int, name.split("x")))


def exactly(a, b):
    torch.testing.assert_close(a, b, rtol=0, atol=0)


def heads(x, weights, bias=None):
    """[b, n, 16] -> [b, 4, n, 4]"""
    return F.linear(x, weights, bias).unflatten(-1, (4, 4)).transpose(1, 2)


# --- Swin


@pytest.mark.parametrize("window", WINDOWS)
def test_swin_index_and_bias(window):
    peer = SwinRelativePositionBias(3, window)
    torch.nn.init.normal_(peer.relative_position_bias_table)
    n = window[0] * window[1]
    exactly(window_index(window).flatten(), peer.relative_position_index)
    ours = WindowBias(3, window)
    ours.load_state_dict({"table": peer.relative_position_bias_table})
    exactly(ours(torch.arange(n), torch.arange(n)), peer()[0])


@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.usefixtures("float64")
def test_swin_attention_with_copied_weights(shifted):
    """Two windows of 3 × 3; and shifted, where -100 parts the cells that share a window by wrapping only."""
    peer = SwinAttention(SwinConfig(attn_implementation="eager"), 16, 4, 3).eval()
    torch.nn.init.normal_(peer.relative_position_bias.relative_position_bias_table)
    x = torch.randn(2, 9, 16)
    part = torch.tensor([0, 0, 1] * 3)
    apart = part[:, None] != part
    number = torch.where(apart, -100.0, 0.0).expand(2, 9, 9) if shifted else None
    with torch.no_grad():
        wanted, _ = peer(x, number)
        bias = WindowBias(4, (3, 3))
        bias.load_state_dict({"table": peer.relative_position_bias.relative_position_bias_table})
        q, k, v = (heads(x, p.weight, p.bias) for p in (peer.q_proj, peer.k_proj, peer.v_proj))
        out = attention(q, k, v, Slots(bias=bias), mask=~apart if shifted else None)
        got = peer.o_proj(out.transpose(1, 2).flatten(2))
    # Its softmax is float32: weights are right to some 2**-24, and -100 is not quite a mask, e**-100.
    torch.testing.assert_close(got, wanted, rtol=0, atol=5e-7)


# --- SwinV2


@pytest.mark.parametrize(
    ("window", "trained"), [((3, 5), None), ((5, 3), None), ((4, 6), (2, 3)), ((16, 16), (8, 8)), ((2, 2), (7, 7))]
)
def test_swinv2_offsets(window, trained):
    """float32 logarithms there, float64 here: some units in the last place."""
    peer = Swinv2SelfAttention(Swinv2Config(), 16, 4, window, trained or [0, 0])
    got = log_spaced_offsets(window, trained)
    torch.testing.assert_close(got, peer.relative_coords_table.flatten(0, -2), rtol=5e-7, atol=0)


def test_swinv2_of_one_row_is_not_a_number_there():
    """Where one direction has one cell, transformers divides 0 by 0, or leaves the other direction unscaled."""
    tall, wide = (Swinv2SelfAttention(Swinv2Config(), 16, 4, w).relative_coords_table for w in ((3, 1), (1, 3)))
    assert tall[..., 1].isnan().all()
    assert log_spaced_offsets((3, 1))[:, 1].tolist() == [0] * 5
    unscaled = [-math.log(17, 8), -math.log(9, 8), 0, math.log(9, 8), math.log(17, 8)]
    assert wide[0, 0, :, 1].tolist() == pytest.approx(unscaled)
    assert log_spaced_offsets((1, 3))[:, 1].abs().max() < 1.06


@pytest.mark.usefixtures("float64")
def test_swinv2_attention_with_copied_weights():
    peer = Swinv2SelfAttention(Swinv2Config(), 16, 4, (2, 3)).eval()
    peer.relative_coords_table = peer.relative_coords_table.double()
    peer.logit_scale.data = torch.randn(4, 1, 1)
    x = torch.randn(2, 6, 16)
    with torch.no_grad():
        (wanted,) = peer(x)
        table = 16 * peer.continuous_position_bias_mlp(log_spaced_offsets((2, 3))).sigmoid()
        q, k, v = (heads(x, p.weight, p.bias) for p in (peer.query, peer.key, peer.value))
        q, k = F.normalize(q, dim=-1) * peer.logit_scale.exp(), F.normalize(k, dim=-1)
        got = attention(q, k, v, Slots(bias=lambda m, n: window_bias(table, (2, 3), m, n), scale=1.0))
    # Its table of offsets is rounded to float32: 2**-24, times 16, through a network of weights below 1 in size.
    torch.testing.assert_close(got.transpose(1, 2).flatten(2), wanted, rtol=0, atol=1e-6)


# --- timm


@pytest.mark.parametrize("name", TIMM["index"])
def test_timm_index(name):
    assert window_index(size(name)).tolist() == TIMM["index"][name]


@pytest.mark.parametrize("name", TIMM["log_spaced_offsets"])
def test_timm_log_spaced_offsets(name):
    window, _, trained = name.partition(" trained ")
    got = log_spaced_offsets(size(window), size(trained) if trained else None)
    torch.testing.assert_close(got, torch.tensor(TIMM["log_spaced_offsets"][name]), rtol=0, atol=6e-7)


# --- traps


@pytest.mark.parametrize(("window", "right"), [((4, 4), True), ((3, 5), False)])
def test_beit_reads_the_table_of_a_window_that_is_not_square_sideways(window, right):
    """In transformers 5.23: it takes the table for (2w - 1) × (2h - 1) rows, even where the window stays the same."""
    peer = BeitRelativePositionBias(BeitConfig(num_attention_heads=3, image_size=list(window), patch_size=1))
    torch.nn.init.normal_(peer.relative_position_bias_table)
    n = window[0] * window[1]
    with torch.no_grad():
        between_cells = peer(window)[0, :, 1:, 1:]  # the first row and column are those of the class token
        ours = window_bias(peer.relative_position_bias_table[:-3], window, torch.arange(n), torch.arange(n))
    assert torch.allclose(between_cells, ours) == right


def test_resampling_as_the_authors_do_it():
    """The side of the table as a square root, so for square windows only."""
    table = torch.randn(169, 3)
    side = int(len(table) ** 0.5)
    image = table.permute(1, 0).view(1, 3, side, side)
    wanted = F.interpolate(image, size=(23, 23), mode="bicubic").view(3, 529).permute(1, 0)
    exactly(resample_window_table(table, (7, 7), (12, 12)), wanted)
