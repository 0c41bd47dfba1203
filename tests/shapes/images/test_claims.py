"""What the chapter proves about tables for images, verified in numbers on the library's code."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_lib.absolute import resample_grid
from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import grid_positions
from posenc_lib.shapes import axes_sinusoidal, axis_places, cubic_weights, read_grid
from tests.support.weights import normal

sides = st.integers(1, 9)
wide = st.floats(-300, 300)


@pytest.mark.claim("images.split")
@given(st.integers(1, 6), *[wide] * 4)
def test_the_inner_product_is_a_kernel_of_rows_and_one_of_columns(pairs, y, x, y_k, x_k):
    d = 2 * pairs
    p = axes_sinusoidal(torch.tensor([[y, x], [y_k, x_k]], dtype=torch.float64), (d, d), dtype=torch.float64)
    freqs = geometric_freqs(d)
    kernels = ((y - y_k) * freqs).cos().sum() + ((x - x_k) * freqs).cos().sum()
    torch.testing.assert_close(p[0] @ p[1], kernels, rtol=0, atol=1e-10)


@pytest.mark.claim("images.order")
@given(sides, sides)
def test_a_table_by_columns_exchanges_the_names_on_squares_and_is_wrong_elsewhere(height, width):
    """Token by token, as a table that counts column by column has them: (column, row)."""
    by_columns, own = grid_positions(width, height), grid_positions(height, width)
    if height == width:
        assert by_columns.equal(own)  # the column is y, the row is x
    if height > 1:
        assert (by_columns[width].tolist() == [1, 0]) == (height == width)


@pytest.mark.claim("images.middle")
@given(st.integers(1, 40), st.integers(0, 40))
def test_a_crop_is_centred_to_half_a_patch(new, more):
    at = axis_places(new + more, new, "middle")
    off = (at[0] + at[-1]) / 2 - (new + more - 1) / 2
    assert abs(off) <= 0.5
    assert (off == 0) == (more % 2 == 0)
    assert (at >= 0).all()
    assert (at <= new + more - 1).all()


@pytest.mark.claim("images.mirror")
@settings(deadline=None, max_examples=40)
@given(sides, sides, sides, sides, st.floats(-2, 2))
def test_resizing_commutes_with_flips_along_both_axes(h, w, new_h, new_w, a):
    grid = normal(h, w, 2, seed=5)

    def resized(image):
        table = read_grid(image.reshape(-1, 2), (h, w), axis_places(h, new_h), axis_places(w, new_w), a=a)
        return table.view(new_h, new_w, 2)

    for axes in ([0], [1], [0, 1]):
        torch.testing.assert_close(resized(grid.flip(axes)), resized(grid).flip(axes), rtol=0, atol=1e-10)


def test_resizing_does_not_commute_with_shifts():
    """Not even in the middle, where no edge is felt, unless the shift is a whole number of new patches."""
    grid = normal(12, 1, seed=5)

    def resized(column, new):
        return resample_grid(column, (12, 1), (new, 1))

    for new, whole in ((18, False), (24, True)):
        moved = resized(grid.roll(1, 0), new)
        shifts = [(moved - resized(grid, new).roll(step, 0))[6:-6].abs().max().item() for step in range(5)]
        assert (min(shifts) < 1e-12) == whole


@pytest.mark.claim("images.round-trip")
@pytest.mark.parametrize("n", [9, 16])
def test_twice_as_fine_and_back(n):
    column = normal(n, 2, seed=6)
    back = resample_grid(resample_grid(column, (n, 1), (2 * n, 1)), (2 * n, 1), (n, 1))
    for j in range(3, n - 3):
        sides, next_sides = column[j - 1] + column[j + 1], column[j - 2] + column[j + 2]
        expected = (4074 * column[j] + 56 * sides - 45 * next_sides) / 4096
        torch.testing.assert_close(back[j], expected, rtol=0, atol=1e-12)


@pytest.mark.claim("images.tenth")
@given(st.integers(1, 50), st.integers(1, 50), st.floats(1e-3, 0.9))
def test_with_a_tenth_mirrored_places_do_not_add_up(n, new, epsilon):
    """The places at which torch reads with a factor, from a table that counts its rows."""
    at = (torch.arange(new, dtype=torch.float64) + 0.5) * n / (new + epsilon) - 0.5
    missing = n * epsilon / (new + epsilon)
    torch.testing.assert_close(
        at + at.flip(0), torch.full((new,), n - 1 - missing, dtype=torch.float64), rtol=0, atol=1e-10
    )
    even = axis_places(n, new)
    torch.testing.assert_close(even + even.flip(0), torch.full((new,), n - 1, dtype=torch.float64), rtol=0, atol=1e-10)
    lopsided = cubic_weights(at, n)
    if n > 1:
        assert (lopsided - lopsided.flip(0, 1)).abs().max() > 1e-7
