"""The same tables from transformers, and from timm, diffusers and the authors' code, whose values are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from transformers import Dinov2Config, ViTMAEConfig
from transformers.models.dinov2.modeling_dinov2 import Dinov2Embeddings
from transformers.models.omdet_turbo.modeling_omdet_turbo import OmDetTurboHybridEncoder
from transformers.models.rt_detr.modeling_rt_detr import RTDetrSinePositionEmbedding
from transformers.models.videomae.modeling_videomae import get_sinusoid_encoding_table
from transformers.models.vit_mae.modeling_vit_mae import ViTMAEEmbeddings

from posenc_lib import sinusoidal
from posenc_lib.absolute import resample_grid
from posenc_lib.rotary import grid_positions
from posenc_lib.shapes import axes_sinusoidal, axis_places, read_grid, stretch_after

KEPT = json.loads((Path(__file__).parents[2] / "oracles" / "images_tables.json").read_text(encoding="utf-8"))["cases"]


def kept(kind):
    return [case for case in KEPT if case["kind"] == kind]


def same(ours, theirs, atol=2e-5):
    torch.testing.assert_close(ours.double(), torch.as_tensor(theirs).double(), rtol=0, atol=atol)


def numbered(n, d):
    """The table that the kept values were made from."""
    return ((torch.arange(n * d) * 7 % 11) - 5.0).view(n, d)


def places(case, largest):
    """Where diffusers counts: in shares of its base size."""
    height, width = case["size"]
    at = grid_positions(height, width).double() if largest is None else grid_positions(largest, largest).double()
    sides = torch.tensor((height, width) if largest is None else (largest, largest))
    return at * case["base_size"] / sides / case.get("scale", 1.0)


# --- by a formula


@pytest.mark.parametrize("case", kept("mae"), ids=lambda case: str(case["size"]))
def test_mae_puts_the_column_first_and_zeros_for_the_class_token(case):
    ours = axes_sinusoidal(grid_positions(*case["size"]).flip(-1), (4, 4))
    same(torch.cat((torch.zeros(1, 8), ours)), case["table"])


def test_vit_mae_in_transformers():
    theirs = ViTMAEEmbeddings(ViTMAEConfig(image_size=16, patch_size=4, hidden_size=16))
    theirs.initialize_weights()
    ours = axes_sinusoidal(grid_positions(4, 4).flip(-1), (8, 8))
    same(torch.cat((torch.zeros(1, 16), ours)), theirs.position_embeddings[0], 1e-6)


@pytest.mark.parametrize("size", [(3, 5), (5, 3), (1, 4), (4, 4)])
def test_rt_detr_in_transformers_puts_the_row_first(size):
    height, width = size
    theirs = RTDetrSinePositionEmbedding(16)(
        width=width, height=height, device=torch.device("cpu"), dtype=torch.float64
    )[0]
    same(axes_sinusoidal(grid_positions(*size), (8, 8), dtype=torch.float64), theirs, 1e-12)


def by_columns(height, width):
    """The patches in another order, column by column, as (column, row)."""
    return grid_positions(width, height)


@pytest.mark.parametrize("size", [(3, 5), (5, 3), (4, 4)])
def test_omdet_turbo_in_transformers_numbers_column_by_column(size):
    """Watched: when it is mended there, the trap and the erratum go."""
    height, width = size
    theirs = OmDetTurboHybridEncoder.build_2d_sincos_position_embedding(width, height, embed_dim=16)[0]
    same(axes_sinusoidal(by_columns(*size), (8, 8)), theirs, 1e-6)
    right = axes_sinusoidal(grid_positions(*size), (8, 8))
    assert torch.allclose(right, theirs, atol=1e-6) == (height == width)


@pytest.mark.parametrize("case", kept("rt-detr"), ids=lambda case: str(case["size"]))
def test_rt_detr_by_its_authors_numbers_column_by_column(case):
    same(axes_sinusoidal(by_columns(*case["size"]), (4, 4)), case["table"])


@pytest.mark.parametrize("case", kept("timm"), ids=lambda case: f"{case['size']} {case['options']}")
def test_timm(case):
    """All sines, then all cosines, each with the row before the column; or sines and cosines of the row first."""
    size, options = case["size"], case["options"]
    at = by_columns(*size) if options.get("reverse_coord") else grid_positions(*size)
    ours = axes_sinusoidal(at, (4, 4))
    if not options.get("interleave_sin_cos"):
        ours = ours.view(-1, 2, 2, 2).transpose(1, 2).flatten(1)  # axis, sine or cosine, pair
    same(ours, case["table"])


@pytest.mark.parametrize("case", kept("diffusers 2d"), ids=lambda case: str(case["size"]))
def test_diffusers_counts_in_shares_of_a_base_size(case):
    same(axes_sinusoidal(places(case, None).flip(-1), (4, 4)), case["table"])


@pytest.mark.parametrize("case", kept("diffusers 3d"), ids=lambda case: str(case["width_height"]))
def test_cogvideox_has_a_quarter_of_the_features_for_the_time(case):
    (width, height), frames = case["width_height"], case["frames"]
    at = grid_positions(height, width).double().flip(-1) / case["scale"]
    times = torch.arange(frames).repeat_interleave(height * width)[:, None]
    same(axes_sinusoidal(torch.cat((times, at.repeat(frames, 1)), dim=-1), (8, 12, 12)), case["table"])


@pytest.mark.parametrize("case", kept("diffusers crop"), ids=lambda case: str(case["size"]))
def test_stable_diffusion_3_crops(case):
    """The middle of the largest table, read there; and the formula at the places of the crop."""
    n, (height, width) = case["largest"], case["size"]
    rows, columns = axis_places(n, height, "middle"), axis_places(n, width, "middle")
    largest = axes_sinusoidal(places(case, n).flip(-1), (4, 4))
    same(read_grid(largest, (n, n), rows, columns), case["table"])
    at = torch.cartesian_prod(rows, columns) * case["base_size"] / n
    same(axes_sinusoidal(at.flip(-1), (4, 4)), case["table"])


def test_videomae_numbers_all_patches_of_a_video():
    theirs = get_sinusoid_encoding_table(24, 16)[0]
    same(sinusoidal(torch.arange(24), 16), theirs, 1e-6)


# --- by reading a table


@pytest.mark.parametrize("case", kept("dinov2"), ids=lambda case: f"{case['size']} {case['offset']}")
def test_dinov2_by_its_authors(case):
    """Without registers at places that a tenth of a patch squeezes; with registers by size, and smoothed."""
    table, (height, width) = numbered(17, 4), case["size"]
    if case["antialias"]:
        ours = resample_grid(table, (4, 4), (height, width), prefix_rows=1, antialias=True)
    else:
        rows, columns = (
            (torch.arange(n, dtype=torch.float64) + 0.5) * 4 / (n + case["offset"]) - 0.5 for n in (height, width)
        )
        ours = torch.cat((table[:1], read_grid(table[1:], (4, 4), rows, columns)))
    same(ours, case["table"])


@pytest.mark.parametrize("size", [(3, 5), (6, 7), (9, 4), (1, 2)])
def test_dinov2_in_transformers_reads_by_size(size):
    config = Dinov2Config(image_size=8, patch_size=2, hidden_size=4, num_attention_heads=2)
    theirs = Dinov2Embeddings(config)
    theirs.position_embeddings.data = numbered(17, 4)[None]
    got = theirs.interpolate_pos_encoding(torch.zeros(1, 1 + size[0] * size[1], 4), 2 * size[0], 2 * size[1])[0]
    ours = read_grid(numbered(17, 4)[1:], (4, 4), *(axis_places(4, n) for n in size))
    same(torch.cat((numbered(17, 4)[:1], ours)), got.detach())


@pytest.mark.parametrize("case", kept("timm resample"), ids=lambda case: str(case["size"]))
def test_timm_smooths_where_the_grid_shrinks(case):
    ours = resample_grid(numbered(17, 4), (4, 4), tuple(case["size"]), prefix_rows=1, antialias=True)
    same(ours, case["table"])


def test_long_clip():
    (case,) = kept("long-clip")
    same(stretch_after(numbered(case["rows"], 2)), case["table"])
