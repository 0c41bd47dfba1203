"""Tables for images: by other routes, at the edges, in half precision."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional as F

from posenc_lib import sinusoidal
from posenc_lib.absolute import resample_grid
from posenc_lib.rotary import grid_positions
from posenc_lib.shapes import axes_sinusoidal, axis_places, read_grid, stretch_after
from tests.support.weights import normal


def as_image(table, grid):
    return table.T.unflatten(1, grid)[None]


# --- sines and cosines


def test_the_table_of_three_by_five_by_a_loop():
    by_loop = [
        [wave(at * 100.0 ** (-2 * i / 4)) for at in (y, x) for wave in (math.sin, math.cos) for i in range(2)]
        for y in range(3)
        for x in range(5)
    ]
    made = axes_sinusoidal(grid_positions(3, 5), (4, 4), base=100.0, dtype=torch.float64)
    torch.testing.assert_close(made, torch.tensor(by_loop, dtype=torch.float64), rtol=0, atol=1e-12)


def test_interleaved_is_the_sinusoid_of_each_axis():
    at = torch.tensor([[3, 1], [0, 7]])
    made = axes_sinusoidal(at, (4, 6), layout="interleaved")
    assert made.equal(torch.cat((sinusoidal(at[:, 0], 4), sinusoidal(at[:, 1], 6)), dim=-1))


# --- places


@pytest.mark.parametrize("n", [1, 3, 5, 14])
@pytest.mark.parametrize("new", [1, 2, 3, 5, 14, 24])
def test_places_are_those_at_which_torch_reads(n, new):
    """A table that counts its rows says where it is read, but for the edges, where torch repeats the last row."""
    count = torch.arange(n, dtype=torch.float64)[None, None]
    for keep, corners in (("edges", False), ("corners", True)):
        read = F.interpolate(count, size=new, mode="linear", align_corners=corners)[0, 0]
        torch.testing.assert_close(axis_places(n, new, keep).clamp(0, n - 1), read, rtol=0, atol=1e-12)


@pytest.mark.parametrize("keep", ["step", "middle", "edges", "corners"])
def test_the_old_size_is_where_it_was(keep):
    torch.testing.assert_close(axis_places(5, 5, keep), torch.arange(5.0).double(), rtol=0, atol=1e-15)


# --- reading a table


@pytest.mark.parametrize("old", [(4, 4), (3, 5), (1, 6)])
@pytest.mark.parametrize("new", [(3, 5), (8, 8), (2, 9), (1, 1)])
def test_reading_is_torchs_bicubic(old, new):
    table = normal(old[0] * old[1], 3, seed=1)
    for keep, corners in (("edges", False), ("corners", True)):
        ours = read_grid(table, old, axis_places(old[0], new[0], keep), axis_places(old[1], new[1], keep))
        theirs = F.interpolate(as_image(table, old), size=new, mode="bicubic", align_corners=corners)
        torch.testing.assert_close(ours, theirs[0].flatten(1).T, rtol=0, atol=1e-12)
    at_edges = read_grid(table, old, axis_places(old[0], new[0]), axis_places(old[1], new[1]))
    torch.testing.assert_close(at_edges, resample_grid(table, old, new), rtol=0, atol=1e-12)


@pytest.mark.parametrize("old", [(4, 4), (5, 4)])
def test_where_the_grid_grows_a_smoothed_table_has_the_other_parameter_alone(old):
    """In the middle: at the edges torch with antialias leaves out the rows that are not there."""
    table, new = normal(old[0] * old[1], 3, seed=1), (16, 20)
    ours = read_grid(table, old, axis_places(old[0], 16), axis_places(old[1], 20), a=-0.5)
    theirs = resample_grid(table, old, new, antialias=True)
    middle = (slice(6, 10), slice(9, 11))
    torch.testing.assert_close(ours.unflatten(0, new)[middle], theirs.unflatten(0, new)[middle], rtol=0, atol=1e-12)


def test_a_crop_is_exact_in_half_precision():
    table = normal(36, 4, seed=1).bfloat16()
    crop = read_grid(table, (6, 6), axis_places(6, 3, "middle"), axis_places(6, 5, "middle"))
    assert crop.dtype == torch.bfloat16
    assert crop.equal(table.view(6, 6, 4)[1:4, 0:5].flatten(0, 1))


# --- the factor instead of the size


@pytest.mark.parametrize(
    ("n", "misses"),
    [
        (14, [(61, 60), (115, 114), (122, 121)]),
        (16, []),
        (37, [(39, 38), (43, 42), (78, 77), (86, 85), (115, 114), (123, 122)]),
    ],
)
def test_a_factor_gives_one_patch_too_few(n, misses):
    """The list of dinov2's pull request 378, for images of up to 150 patches a side."""
    row = torch.zeros(1, 1, n, 1)
    made = {new: F.interpolate(row, scale_factor=(new / n, 1.0), mode="bicubic").shape[2] for new in range(1, 151)}
    assert [(new, got) for new, got in made.items() if got != new] == misses


@pytest.mark.parametrize("n", [14, 16, 37])
def test_with_a_tenth_the_number_is_right_and_the_places_move(n):
    column = normal(n, 1, seed=3)
    for new in (10, 24, 61):
        theirs = F.interpolate(as_image(column, (n, 1)), scale_factor=((new + 0.1) / n, 1.0), mode="bicubic")
        assert theirs.shape[2] == new
        at = (torch.arange(new, dtype=torch.float64) + 0.5) * n / (new + 0.1) - 0.5
        torch.testing.assert_close(
            read_grid(column, (n, 1), at, torch.zeros(1).double()), theirs[0, :, :, 0].T, rtol=0, atol=1e-9
        )


# --- longer texts


def test_long_clip_makes_248_rows_of_77():
    table = normal(77, 3, seed=4)
    long = stretch_after(table)
    assert len(long) == 248
    assert long[:20].equal(table[:20])
    torch.testing.assert_close(long[20::4], table[20:], rtol=0, atol=0)
    torch.testing.assert_close(long[20:245].diff(dim=0), table[20:].diff(dim=0).repeat_interleave(4, 0)[:224] / 4)
    torch.testing.assert_close(long[-3:] - long[-4:-1], (table[-1] - table[-2]).expand(3, 3) / 4)


def test_a_factor_of_one_changes_nothing():
    table = normal(7, 3, seed=4)
    assert stretch_after(table, kept=2, factor=1).equal(table)
