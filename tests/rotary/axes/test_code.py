"""Rotation by several axes: by another route, its sections, its positions, and what it refuses."""

from __future__ import annotations

import cmath

import pytest
import torch

from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import (
    axes_angles,
    axial_freqs,
    chunked_sections,
    directed_freqs,
    grid_positions,
    interleaved_sections,
    normalised_positions,
    rotate,
)
from tests.support.weights import normal


def exactly(a, b):
    torch.testing.assert_close(a, b, rtol=0, atol=1e-12)


# --- angles and frequencies


@pytest.mark.parametrize("axes", [1, 2, 3, 5])
def test_rotating_by_loops_over_complex_numbers(axes):
    positions, freqs, x = normal(6, axes, seed=1) * 50, normal(axes, 4, seed=2), normal(6, 8)
    rotated = rotate(x, axes_angles(positions, freqs))
    for row, place, result in zip(x, positions, rotated, strict=True):
        for i in range(4):
            turn = sum(place[a].item() * freqs[a, i].item() for a in range(axes))
            z = complex(row[2 * i], row[2 * i + 1]) * cmath.exp(1j * turn)
            assert complex(*result[2 * i : 2 * i + 2].tolist()) == pytest.approx(z, abs=1e-11)


def test_one_axis_is_the_rotary_encoding():
    m, freqs = torch.arange(-5, 5), geometric_freqs(8)
    assert axes_angles(m[:, None], freqs[None]).equal(position_angles(m, freqs))


def test_the_angles_are_computed_in_float64_also_under_autocast():
    positions, freqs = torch.tensor([[1_000_003, 7]]), torch.tensor([[0.9, 0.3], [0.1, 0.7]])
    wide = (positions.double() @ freqs.double()).float()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        angles = axes_angles(positions, freqs)
    assert angles.dtype == torch.float32
    assert angles.equal(wide)


def test_a_pair_sees_the_axis_that_it_has():
    freqs = axial_freqs(geometric_freqs(8), torch.tensor([1, 0, 1, 2]), 3)
    positions = torch.tensor([[10, 20, 30]])
    expected = torch.tensor([[20.0, 10.0, 20.0, 30.0]]).double() * geometric_freqs(8)
    exactly(axes_angles(positions, freqs), expected)


def test_a_direction_is_along_an_axis_at_a_right_angle():
    freqs = directed_freqs(torch.tensor([2.0, 3.0, 4.0]), torch.tensor([0.0, torch.pi / 2, torch.pi / 4]))
    root = 4 / 2**0.5
    torch.testing.assert_close(freqs, torch.tensor([[0, 3, root], [2, 0, root]]), rtol=0, atol=1e-6)


# --- sections


def test_sections_of_released_models():
    """As in the configurations of Qwen2-VL, of Qwen3-VL, and of Qwen3.5."""
    chunked = chunked_sections((16, 24, 24)).tolist()
    assert chunked == [0] * 16 + [1] * 24 + [2] * 24
    turns = interleaved_sections((24, 20, 20)).tolist()
    assert turns == [0, 1, 2] * 20 + [0] * 4
    assert interleaved_sections((11, 11, 10)).tolist() == [0, 1, 2] * 10 + [0, 1]


# --- positions


@pytest.mark.parametrize(("h", "w", "block"), [(1, 1, 1), (3, 2, 1), (2, 4, 2), (6, 9, 3)])
def test_a_grid_by_a_loop(h, w, block):
    patches = [
        [row + r, column + c]
        for row in range(0, h, block)
        for column in range(0, w, block)
        for r in range(block)
        for c in range(block)
    ]
    assert grid_positions(h, w, block=block).tolist() == patches


def test_one_patch_in_normalised_units():
    """Two over the number of patches: half as much where the image has twice as many."""
    for n in (14, 28):
        steps = normalised_positions(n, n).view(n, n, 2)
        exactly(steps[1, 0] - steps[0, 0], torch.tensor([2 / n, 0], dtype=torch.float64))
        exactly(steps[0, 0], -steps[-1, -1])
    wide = normalised_positions(2, 8)
    assert wide.abs().amax(0).tolist() == [0.5, 0.875]


# --- errors


@pytest.mark.usefixtures("as_in_use")
class TestErrors:
    def test_positions_that_merge_in_the_dtype_of_the_angles(self):
        """At 2**24 + 1 a frequency of 1 would turn by 2**24 radians in float32."""
        far = torch.tensor([[2**24 + 1]])
        assert axes_angles(far, torch.ones(1, 1).double()).item() == 2**24 + 1
        with pytest.raises(
            ValueError, match=r"^positions must be at most 2\*\*24 .* got 16777217\. Pass freqs in float"
        ):
            axes_angles(far, torch.ones(1, 1))
        assert axes_angles(far - 1, torch.ones(1, 1)).item() == 2**24
