"""The claims of the chapter, in numbers, about the library's own functions."""

from __future__ import annotations

import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import (
    axes_angles,
    axial_freqs,
    chunked_sections,
    directed_freqs,
    grid_positions,
    interleaved_sections,
    rotate,
    vision_positions,
)
from tests.support.weights import normal

LAYOUTS = pytest.mark.parametrize("layout", ["interleaved", "half"])
places = st.tuples(*[st.integers(-1_000, 1_000)] * 3)


def score(q, k, q_place, k_place, freqs, layout="interleaved", dtype=torch.int64):
    angles = axes_angles(torch.as_tensor([q_place, k_place], dtype=dtype), freqs)
    q, k = rotate(q, angles[:1], layout=layout), rotate(k, angles[1:], layout=layout)
    return (q @ k.T).item()


@pytest.mark.claim("axes.difference")
@LAYOUTS
@given(places, places, places)
def test_the_score_is_a_function_of_the_difference(layout, m, n, shift):
    freqs, (q, k) = normal(3, 4, seed=1), normal(2, 1, 8)
    here = score(q, k, m, n, freqs, layout)
    there = score(q, k, *([a + b for a, b in zip(place, shift, strict=True)] for place in (m, n)), freqs, layout)
    difference = [a - b for a, b in zip(m, n, strict=True)]
    assert there == pytest.approx(here, abs=1e-9)
    assert score(q, k, difference, [0, 0, 0], freqs, layout) == pytest.approx(here, abs=1e-9)


@pytest.mark.claim("axes.difference")
@LAYOUTS
@pytest.mark.parametrize("axes", [1, 2, 3])
@given(st.data())
def test_between_whole_places_too(axes, layout, data):
    place = st.lists(st.floats(-1_000, 1_000), min_size=axes, max_size=axes)
    m, n, shift = (data.draw(place) for _ in range(3))
    freqs, (q, k) = normal(axes, 4, seed=2), normal(2, 1, 8)
    real = {"layout": layout, "dtype": torch.float64}
    here = score(q, k, m, n, freqs, **real)
    moved = ([a + b for a, b in zip(at, shift, strict=True)] for at in (m, n))
    assert score(q, k, *moved, freqs, **real) == pytest.approx(here, abs=1e-9)
    difference = [a - b for a, b in zip(m, n, strict=True)]
    assert score(q, k, difference, [0.0] * axes, freqs, **real) == pytest.approx(here, abs=1e-9)


@pytest.mark.claim("axes.diagonal")
def test_equal_frequencies_see_the_sum_of_row_and_column():
    freqs = directed_freqs(geometric_freqs(8), torch.full((4,), math.pi / 4, dtype=torch.float64))
    q, k = normal(2, 1, 8)
    here = score(q, k, [3, 5], [4, 9], freqs)
    for s in (1, -2, 7):
        assert score(q, k, [3, 5], [4 + s, 9 - s], freqs) == pytest.approx(here, abs=1e-12)
        assert abs(score(q, k, [3, 5], [4 + s, 9 + s], freqs) - here) > 1e-3


@pytest.mark.claim("axes.diagonal")
@LAYOUTS
@pytest.mark.parametrize("u", [1.0, -2.0, 0.37])
def test_other_frequencies_have_a_diagonal_of_their_own(u, layout):
    """By u θ_x rows up and u θ_y columns to the right, in the pair with these two frequencies."""
    theta_y, theta_x = 0.3, 1.1
    freqs = torch.tensor([[theta_y], [theta_x]], dtype=torch.float64)
    x = normal(1, 2)
    here, there, elsewhere = (
        rotate(x, axes_angles(torch.tensor([place], dtype=torch.float64), freqs), layout=layout)
        for place in ([3.0, 5.0], [3 - u * theta_x, 5 + u * theta_y], [3 - u * theta_y, 5 + u * theta_x])
    )
    torch.testing.assert_close(there, here, rtol=0, atol=1e-12)
    assert (elsewhere - here).abs().max() > 0.01


def plane(freqs, q, k, size):
    """The scores of the query at 0, 0 with the same key at every patch."""
    n = size * size
    angles = axes_angles(grid_positions(size, size), freqs)
    keys = rotate(k.expand(n, -1), angles)
    return (keys @ q.T).view(size, size)


@pytest.mark.claim("axes.no-diagonal")
@pytest.mark.parametrize("h", [1, 2, 4])
def test_an_axial_score_is_off_by_one_somewhere(h):
    """At best: by least squares over all rows and columns, then by a search, and 0 is as near."""
    t = torch.arange(2 * h, dtype=torch.float64)
    wave = (math.pi * (t[:, None] + t) / h).cos()
    assert wave.abs().max() == 1  # what a score of 0 is off by
    for seed in range(20):
        freqs = axial_freqs(normal(8, seed=seed).abs(), chunked_sections((4, 4)), 2)
        scores = plane(freqs, *normal(2, 1, 16, seed=seed + 100), 2 * h)
        exact = scores[0, 0] + scores[h, h] - scores[0, h] - scores[h, 0]
        assert exact.item() == pytest.approx(0, abs=1e-12)  # opposite corners add up to the same
        for share in (0.0, 0.1, 1.0):
            off = (wave - share * scores).abs()
            assert off[::h, ::h].max() >= 1 - 1e-12  # at one of the four corners
            assert off[::h, ::h].shape == (2, 2)
    rows, columns = wave.mean(1, keepdim=True), wave.mean(0, keepdim=True)
    best = rows + columns - wave.mean()  # the nearest sum of a row and a column, in the mean square
    assert (wave - best)[::h, ::h].abs().max() >= 1 - 1e-12


@pytest.mark.claim("axes.no-diagonal")
def test_a_mixed_score_is_the_wave_itself():
    h = 4
    freqs = torch.full((2, 1), math.pi / h, dtype=torch.float64)
    one = torch.tensor([[1.0, 0.0]], dtype=torch.float64)
    t = torch.arange(2 * h, dtype=torch.float64)
    torch.testing.assert_close(
        plane(freqs, one, one, 2 * h), (math.pi * (t[:, None] + t) / h).cos(), rtol=0, atol=1e-12
    )


@pytest.mark.claim("axes.equal-positions")
@pytest.mark.parametrize(
    "owners",
    [
        chunked_sections((16, 24, 24)),
        interleaved_sections((24, 20, 20)),
        torch.full((64,), 2),
        torch.randint(0, 3, (64,), generator=torch.Generator().manual_seed(0)),
    ],
    ids=["chunked", "taking turns", "width alone", "at random"],
)
def test_three_equal_positions_are_one(owners):
    m, freqs = torch.arange(-5_000, 5_000, 7), geometric_freqs(128, 1e6)
    three = axes_angles(m[:, None].expand(-1, 3), axial_freqs(freqs, owners, 3))
    assert three.equal(position_angles(m, freqs))


@pytest.mark.claim("axes.width-hardly-turns")
def test_the_widths_of_qwen2_vl_hardly_turn():
    freqs = geometric_freqs(128, 1e6)
    widths = {name: freqs[owners == 2] for name, owners in sections().items()}
    turned = {name: (100 * each).max().item() for name, each in widths.items()}
    assert turned["chunked"] == pytest.approx(0.017783, abs=1e-6)
    assert turned["chunked"] < 0.018
    assert turned["taking turns"] > 60
    wavelengths = 2 * math.pi / widths["chunked"]
    assert [round(x.item()) for x in (wavelengths.min(), wavelengths.max())] == [35_333, 5_063_256]


def sections():
    return {"chunked": chunked_sections((16, 24, 24)), "taking turns": interleaved_sections((24, 20, 20))}


@pytest.mark.claim("axes.width-hardly-turns")
def test_a_hundred_columns_on_the_score_has_hardly_changed():
    """By at most the angle, times the lengths of the two pairs."""
    freqs = axial_freqs(geometric_freqs(128, 1e6), sections()["chunked"], 3)
    for seed in range(5):
        q, k = normal(2, 1, 128, seed=seed)
        near, far = (score(q, k, [0, 0, 0], [0, 0, column], freqs) for column in (0, 100))
        pairs = [x.view(64, 2).norm(dim=-1)[40:] for x in (q, k)]
        assert abs(far - near) <= 0.018 * (pairs[0] * pairs[1]).sum().item()
        assert far != near


@pytest.mark.claim("axes.prefix")
@LAYOUTS
@given(places, places, places)
def test_a_token_without_a_place_sees_the_place_of_the_patch(layout, m, n, shift):
    """Unrotated it scores as from the place 0; a shift changes that score, and none between two patches."""
    freqs, (q, k) = normal(3, 4, seed=1), normal(2, 1, 8)
    angles = axes_angles(torch.tensor([n]), freqs)
    unrotated = (q @ rotate(k, angles, layout=layout).T).item()
    assert score(q, k, [0, 0, 0], n, freqs, layout) == pytest.approx(unrotated, abs=1e-9)
    moved_m, moved_n = ([a + b for a, b in zip(place, shift, strict=True)] for place in (m, n))
    assert score(q, k, moved_m, moved_n, freqs, layout) == pytest.approx(score(q, k, m, n, freqs, layout), abs=1e-9)


@pytest.mark.claim("axes.prefix")
@LAYOUTS
@pytest.mark.parametrize("shift", [[1, 0, 0], [0, 1, 0], [7, 7, 7]])
def test_for_such_a_token_a_shift_of_the_image_is_seen(layout, shift):
    freqs, (q, k) = normal(3, 4, seed=1), normal(2, 1, 8)
    here = score(q, k, [0, 0, 0], [2, 5, 1], freqs, layout)
    there = score(q, k, [0, 0, 0], [2 + shift[0], 5 + shift[1], 1 + shift[2]], freqs, layout)
    assert abs(there - here) > 0.05


def test_axes_in_turns_are_not_interleaved_pairs():
    """Words see a wrong layout, and no wrong share of the pairs; an image sees both."""
    ids = vision_positions([("text", 3), ("image", (4, 6)), ("text", 2)])
    x, freqs = normal(11, 128), geometric_freqs(128, 1e6)
    made = {
        (name, layout): rotate(x, axes_angles(ids, axial_freqs(freqs, owners, 3)), layout=layout)
        for name, owners in sections().items()
        for layout in ("interleaved", "half")
    }
    words, image = torch.tensor([1, 2, 9, 10]), torch.arange(4, 9)  # but the first of each: all places are equal there
    for a, b in itertools.combinations(made, 2):
        off = (made[a] - made[b]).abs().amax(-1)
        assert (off[image] > 0.05).any()
        assert (off[words] > 0.05).all() == (a[1] != b[1])
        assert a[1] != b[1] or (off[words] == 0).all()
