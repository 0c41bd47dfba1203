"""Rotation by several axes: by another route, its gradient, its positions, and what it refuses."""

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


def test_positions_of_each_sample():
    positions, freqs = torch.randint(0, 99, (2, 1, 4, 3)), normal(3, 4)
    together = axes_angles(positions, freqs)
    assert together.shape == (2, 1, 4, 4)
    exactly(together[1, 0], axes_angles(positions[1, 0], freqs))


def test_the_angles_are_computed_in_float64_also_under_autocast():
    positions, freqs = torch.tensor([[1_000_003, 7]]), torch.tensor([[0.9, 0.3], [0.1, 0.7]])
    wide = (positions.double() @ freqs.double()).float()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        angles = axes_angles(positions, freqs)
    assert angles.dtype == torch.float32
    assert angles.equal(wide)


def test_frequencies_can_be_learned():
    freqs = normal(2, 3).requires_grad_()
    positions = grid_positions(2, 3)
    assert torch.autograd.gradcheck(lambda f: rotate(torch.ones(6, 6).double(), axes_angles(positions, f)), (freqs,))


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


@pytest.mark.parametrize("sizes", [(2, 4, 4), (1, 3, 1), (16, 24, 24)])
def test_turns_that_do_not_come_out(sizes):
    """Transformers gives such sections another number of pairs than they ask for, and says nothing."""
    with pytest.raises(ValueError, match=r"taking turns gives the axes .* of \d+ pairs; sizes asks for"):
        interleaved_sections(sizes)


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
    @pytest.mark.parametrize(
        ("positions", "freqs", "message"),
        [
            ((4, 2), (3, 5), r"positions must be \[\.\.\., n, axes\], and freqs have 3 axes; got \[4, 2\]"),
            ((2,), (2, 5), r"positions must be .*; got \[2\]"),
            ((4, 2), (5,), r"freqs must have at least 2 axes; got \[5\]"),
            ((4, 2), (1, 2, 5), r"freqs must be \[axes, pairs\], a row for each axis; got \[1, 2, 5\]"),
        ],
    )
    def test_axes_that_do_not_fit(self, positions, freqs, message):
        with pytest.raises(ValueError, match=message):
            axes_angles(torch.ones(positions), torch.ones(freqs))

    def test_frequencies_that_are_not_finite(self):
        with pytest.raises(ValueError, match="freqs must be finite; got inf"):
            axes_angles(torch.ones(4, 2), torch.tensor([[1.0], [torch.inf]]))

    def test_positions_that_merge_in_the_dtype_of_the_angles(self):
        """At 2**24 + 1 a frequency of 1 would turn by 2**24 radians in float32."""
        far = torch.tensor([[2**24 + 1]])
        assert axes_angles(far, torch.ones(1, 1).double()).item() == 2**24 + 1
        with pytest.raises(
            ValueError, match=r"^positions must be at most 2\*\*24 .* got 16777217\. Pass freqs in float"
        ):
            axes_angles(far, torch.ones(1, 1))
        assert axes_angles(far - 1, torch.ones(1, 1)).item() == 2**24

    def test_axes_that_are_not_there(self):
        for axis in (-1, 2):
            with pytest.raises(ValueError, match=rf"the table has axes 0 … 1; got {axis}"):
                axial_freqs(torch.ones(3), torch.tensor([0, 1, axis]), 2)
        with pytest.raises(ValueError, match=r"freqs and axis_of_pair must be equally long; got freqs \[3\], axis"):
            axial_freqs(torch.ones(3), torch.tensor([0, 1]), 2)
        with pytest.raises(TypeError, match="axes are numbered, so axis_of_pair must be integers"):
            axial_freqs(torch.ones(3), torch.ones(3), 2)

    def test_directions_that_do_not_fit(self):
        with pytest.raises(ValueError, match=r"freqs and directions must be equally long; got freqs \[3\], directions"):
            directed_freqs(torch.ones(3), torch.ones(2))
        with pytest.raises(ValueError, match="directions must be finite; got nan"):
            directed_freqs(torch.ones(1), torch.tensor([torch.nan]))

    @pytest.mark.parametrize("sections", [chunked_sections, interleaved_sections])
    @pytest.mark.parametrize("sizes", [(), 3, "12", None])
    def test_sections_without_sizes(self, sections, sizes):
        with pytest.raises(TypeError, match="sizes must be a list of whole numbers"):
            sections(sizes)

    @pytest.mark.parametrize("sections", [chunked_sections, interleaved_sections])
    def test_a_section_of_no_pairs(self, sections):
        with pytest.raises(ValueError, match="a size must be at least 1; got 0"):
            sections((3, 0))

    @pytest.mark.parametrize("size", [(3, 4), (4, 3)])
    def test_squares_that_do_not_fit(self, size):
        with pytest.raises(ValueError, match=r"^\d × \d patches cannot be cut into squares of 2 × 2$"):
            grid_positions(*size, block=2)
