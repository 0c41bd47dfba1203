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
    vision_positions,
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
    with pytest.raises(ValueError, match=r"taking turns among \d+ pairs gives the axes .* sizes asks for"):
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
            ((4, 2), (3, 5), r"positions \[4, 2\] must be \[..., n, axes\], and freqs have 3 axes"),
            ((2,), (2, 5), r"positions \[2\] must be"),
            ((4, 2), (5,), r"freqs must be \[axes, pairs\], a row for each axis; got \[5\]"),
        ],
    )
    def test_axes_that_do_not_fit(self, positions, freqs, message):
        with pytest.raises(ValueError, match=message):
            axes_angles(torch.ones(positions), torch.ones(freqs))

    def test_positions_in_half_precision(self):
        with pytest.raises(TypeError, match=r"positions must be integers, or float32 or float64; got torch.bfloat16"):
            axes_angles(torch.ones(4, 2).bfloat16(), torch.ones(2, 3))

    def test_frequencies_that_are_not_finite(self):
        with pytest.raises(ValueError, match="freqs must be finite; got inf"):
            axes_angles(torch.ones(4, 2), torch.tensor([[1.0], [torch.inf]]))

    def test_axes_that_are_not_there(self):
        with pytest.raises(ValueError, match=r"axes are numbered 0 … 1; got 2"):
            axial_freqs(torch.ones(3), torch.tensor([0, 1, 2]), 2)
        with pytest.raises(ValueError, match=r"axis_of_pair \[2\] must name an axis for each of freqs \[3\]"):
            axial_freqs(torch.ones(3), torch.tensor([0, 1]), 2)
        with pytest.raises(TypeError, match="axes are numbered, so axis_of_pair must be integers"):
            axial_freqs(torch.ones(3), torch.ones(3), 2)

    def test_directions_that_do_not_fit(self):
        with pytest.raises(ValueError, match=r"directions \[2\] must be one for each of freqs \[3\]"):
            directed_freqs(torch.ones(3), torch.ones(2))
        with pytest.raises(ValueError, match="directions must be finite; got nan"):
            directed_freqs(torch.ones(1), torch.tensor([torch.nan]))

    @pytest.mark.parametrize("sizes", [(), 3, "12", None])
    def test_sections_without_sizes(self, sizes):
        with pytest.raises(TypeError, match="sizes must be a list of whole numbers"):
            chunked_sections(sizes)

    def test_a_section_of_no_pairs(self):
        with pytest.raises(ValueError, match="a size must be at least 1; got 0"):
            chunked_sections((3, 0))

    @pytest.mark.parametrize("size", [(3, 4), (4, 3)])
    def test_squares_that_do_not_fit(self, size):
        with pytest.raises(ValueError, match=r"an image of \d × \d patches cannot be cut into squares of 2 × 2"):
            grid_positions(*size, block=2)
        with pytest.raises(ValueError, match=r"\d × \d patches cannot be merged in squares of 2 × 2"):
            vision_positions([("image", size)])

    @pytest.mark.parametrize(
        "segment", [("audio", 3), ("text",), ("text", 3, 1.0), ("image", (2, 2), 1.0), "text", ["text", 3], ()]
    )
    def test_segments_of_another_form(self, segment):
        with pytest.raises(ValueError, match=r'a segment is \("text", n\), .*; got '):
            vision_positions([segment])

    @pytest.mark.parametrize("segment", [("image", (1, 2, 2)), ("video", (2, 2)), ("video", 2), ("image", "ab")])
    def test_sizes_of_another_form(self, segment):
        with pytest.raises((ValueError, TypeError), match=r"the size of a segment of kind|must be an integer"):
            vision_positions([segment])

    @pytest.mark.parametrize("step", [-1.0, float("nan"), float("inf")])
    def test_a_step_that_is_none(self, step):
        with pytest.raises(ValueError, match=r"step must (not be negative|be finite)"):
            vision_positions([("video", (2, 2, 2), step)])

    def test_no_segments(self):
        with pytest.raises(TypeError, match=r"segments must be a list of at least one; got \[\]"):
            vision_positions([])

    def test_an_unknown_start(self):
        with pytest.raises(ValueError, match="after must be one of largest, space; got 'time'"):
            vision_positions([("text", 1)], after="time")
