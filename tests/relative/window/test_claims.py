"""What the chapter proves about windows, verified in numbers; and the popular wrong multiplier, which fails."""

from __future__ import annotations

import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib.relative import (
    WindowBias,
    coarse_cells,
    log_spaced_offsets,
    resample_window_table,
    window_bias,
    window_index,
)

sides = st.integers(1, 6)
SMALL = list(itertools.product(range(1, 7), repeat=2))


def rows(window):
    return (2 * window[0] - 1) * (2 * window[1] - 1)


def index_with(multiplier, window):
    """The index of the table, with another number than 2w - 1 for each row of the grid."""
    h, w = window
    y, x = torch.arange(h * w) // w, torch.arange(h * w) % w
    up, left = y[:, None] - y, x[:, None] - x
    return (up + h - 1) * multiplier + left + w - 1


def distinct(index):
    return len(index.unique())


def pair(down, right, window):
    """A query and a key at this offset."""
    y, x = max(-down, 0), max(-right, 0)
    return y * window[1] + x, (y + down) * window[1] + x + right


# --- the table


@pytest.mark.claim("window.table-size")
@given(sides, sides)
def test_the_table_has_a_row_for_each_offset_and_less_than_four_a_cell(h, w):
    cells = list(itertools.product(range(h), range(w)))
    offsets = {(q[0] - k[0], q[1] - k[1]) for q in cells for k in cells}
    table = WindowBias(1, (h, w)).table
    assert len(table) == len(offsets) == rows((h, w)) < 4 * h * w


@pytest.mark.claim("window.one-distance")
@given(sides, sides)
def test_the_row_grows_with_one_distance(h, w):
    """The number of cell (y, x) is (2w - 1)y + x."""
    numbers = torch.tensor([(2 * w - 1) * y + x for y, x in itertools.product(range(h), range(w))])
    middle = rows((h, w)) // 2
    distance = numbers[:, None] - numbers
    assert window_index((h, w)).equal(middle + distance)
    assert distance.abs().max() == middle


def test_the_numbers_of_the_cells_alone_confuse_offsets():
    """In a 3 × 3 window a key one cell back is one to the left, or one up and two to the right."""
    cells = torch.arange(9)
    one = (cells[:, None] - cells == 1).nonzero()
    offsets = {(int(q) // 3 - int(k) // 3, int(q) % 3 - int(k) % 3) for q, k in one}
    assert offsets == {(0, 1), (1, -2)}


# --- which multipliers


@pytest.mark.claim("window.one-to-one")
@pytest.mark.parametrize("window", SMALL)
def test_multipliers_of_2w_minus_1_and_more_tell_all_offsets_apart(window):
    w = window[1]
    assert window_index(window).equal(index_with(2 * w - 1, window))
    for multiplier in range(2 * w - 1, 2 * w + 5):
        assert distinct(index_with(multiplier, window)) == rows(window)


@pytest.mark.claim("window.one-to-one")
@given(sides, sides)
def test_cells_of_one_offset_share_a_row_and_others_do_not(h, w):
    index = window_index((h, w))
    for (q, k), (r, s) in itertools.islice(itertools.product(itertools.product(range(h * w), repeat=2), repeat=2), 400):
        same = (k // w - q // w, k % w - q % w) == (s // w - r // w, s % w - r % w)
        assert bool(index[q, k] == index[r, s]) == same


@pytest.mark.claim("window.collision")
@pytest.mark.parametrize("window", [(h, w) for h, w in SMALL if h > 1 and w > 1])
def test_smaller_multipliers_give_two_offsets_one_row(window):
    """(0, w - 1) and (1, w - 1 - M): one row of the grid on, and M columns back."""
    w = window[1]
    for multiplier in range(1, 2 * w - 1):
        index = index_with(multiplier, window)
        assert index[pair(0, w - 1, window)] == index[pair(1, w - 1 - multiplier, window)]
        assert distinct(index) < rows(window)


@pytest.mark.claim("window.range")
@pytest.mark.parametrize("window", SMALL)
def test_the_largest_index_is_the_last_row_with_2w_minus_1_only(window):
    h, w = window
    for multiplier in range(1, 2 * w + 5):
        index = index_with(multiplier, window)
        assert index.min() == 0
        assert index.max() - (rows(window) - 1) == (2 * h - 2) * (multiplier - (2 * w - 1))
        fills = index.unique().equal(torch.arange(rows(window)))
        assert fills == (h == 1 or multiplier == 2 * w - 1)


@pytest.mark.claim("window.shared-rows")
@pytest.mark.parametrize("window", SMALL)
def test_too_small_a_multiplier_loses_this_many_rows(window):
    h, w = window
    for multiplier in range(1, 2 * w):
        lost = rows(window) - distinct(index_with(multiplier, window))
        assert lost == (2 * h - 2) * (2 * w - 1 - multiplier)


@pytest.mark.claim("window.collision")
@pytest.mark.claim("window.shared-rows")
@pytest.mark.parametrize("window", [(3, 5), (2, 3), (4, 4)])
def test_the_module_tells_apart_what_a_smaller_multiplier_would_not(window):
    """A table that holds its own row numbers: what is read of it through each of the two indices."""
    (h, w), cells = window, torch.arange(window[0] * window[1])
    module = WindowBias(1, window).double().requires_grad_(False)
    module.table[:, 0] = torch.arange(rows(window))
    read = module(cells, cells)[0]
    for multiplier in range(1, 2 * w - 1):
        by_hand = module.table[index_with(multiplier, window), 0]
        one, other = pair(0, w - 1, window), pair(1, w - 1 - multiplier, window)
        assert by_hand[one] == by_hand[other]
        assert read[one] != read[other]
        assert distinct(read) - distinct(by_hand) == (2 * h - 2) * (2 * w - 1 - multiplier)


# --- the popular 2h - 1


@pytest.mark.claim("window.shared-rows")
@pytest.mark.parametrize(("window", "lost"), [((3, 5), 16), ((2, 3), 4), ((7, 12), 120), ((4, 4), 0)])
def test_with_2h_minus_1_a_wide_window_shares_rows(window, lost):
    h, w = window
    assert rows(window) - distinct(index_with(2 * h - 1, window)) == lost == 4 * (h - 1) * (w - h)


@pytest.mark.claim("window.range")
@pytest.mark.parametrize(("window", "largest"), [((5, 3), 76), ((3, 2), 22), ((4, 4), 48)])
def test_with_2h_minus_1_a_tall_window_leaves_the_table(window, largest):
    h, w = window
    index = index_with(2 * h - 1, window)
    assert index.max() == largest == rows(window) - 1 + 4 * (h - 1) * (h - w)
    if h == w:
        assert index.equal(window_index(window))
    else:
        with pytest.raises(IndexError, match="out of bounds"):
            torch.zeros(rows(window), 2)[index]


# --- shifts, grids, other windows


@given(st.integers(2, 5), st.integers(2, 5))
def test_a_shift_of_query_and_key_changes_nothing(h, w):
    table = torch.randn(rows((h, w)), 2, dtype=torch.float64)
    cells = torch.arange(h * w)
    bias = window_bias(table, (h, w), cells, cells).unflatten(-1, (h, w)).unflatten(1, (h, w))
    assert bias[:, 1:, 1:, 1:, 1:].equal(bias[:, :-1, :-1, :-1, :-1])


def test_a_query_on_a_finer_grid_does_not_know_its_place_in_the_cell():
    table = torch.randn(15, 2, dtype=torch.float64)
    queries = coarse_cells(torch.arange(24), (4, 6), (2, 3))
    bias = window_bias(table, (2, 3), queries, torch.arange(6)).unflatten(1, (4, 6))
    assert bias[:, 0, 0].equal(bias[:, 1, 1])
    assert not bias[:, 0, 1].equal(bias[:, 0, 2])


@pytest.mark.claim("window.resampled-offset")
@pytest.mark.parametrize(("old", "new"), [((7, 7), (12, 12)), ((6, 8), (9, 5)), ((20, 20), (31, 31))])
def test_an_offset_reads_the_old_table_in_proportion(old, new):
    """Bicubic interpolation bends a straight line by half of t(1 - t)(2t - 1) between two points, as the chapter on
    learned positions proves. So a table that holds its own offsets shows what is read, to the last digits."""
    (h, w), (new_h, new_w) = old, new
    down = torch.arange(1 - h, h, dtype=torch.float64)[:, None].expand(-1, 2 * w - 1)
    right = torch.arange(1 - w, w, dtype=torch.float64).expand(2 * h - 1, -1)
    read = resample_window_table(torch.stack((down, right), -1).flatten(0, 1), old, new)
    for y, x in itertools.product(range(1 - new_h, new_h), range(1 - new_w, new_w)):
        wanted = y * (2 * h - 1) / (2 * new_h - 1), x * (2 * w - 1) / (2 * new_w - 1)
        got = read[(y + new_h - 1) * (2 * new_w - 1) + x + new_w - 1].tolist()
        for value, exact, side in zip(got, wanted, old, strict=True):
            if abs(exact) <= side - 3:  # nearer to the end, it repeats points that are not there
                t = exact - math.floor(exact)
                assert value == pytest.approx(exact - t * (1 - t) * (2 * t - 1) / 2, abs=1e-10)
    middle = rows(new) // 2
    torch.testing.assert_close(read[middle], torch.zeros(2, dtype=torch.float64), rtol=0, atol=1e-12)


@pytest.mark.claim("window.log-spaced")
@pytest.mark.usefixtures("float64")
def test_twice_the_offset_adds_less_than_a_third():
    for window in ((3, 5), (8, 8), (129, 2)):
        column = log_spaced_offsets(window)[:, 0].unique()
        positive = column[column > 0]
        for steps in range(1, len(positive) // 2 + 1):
            gain = positive[2 * steps - 1] - positive[steps - 1]
            assert 0 < gain < 1 / 3


@pytest.mark.claim("window.log-spaced")
@pytest.mark.usefixtures("float64")
def test_the_scale_is_odd_and_its_end_is_log_8_of_9():
    offsets = log_spaced_offsets((4, 6))
    assert offsets.equal(-offsets.flip(0))
    assert offsets.max().item() == pytest.approx(math.log(9, 8), rel=1e-15)
    wider = log_spaced_offsets((16, 16), (8, 8)).max().item()
    assert wider == pytest.approx(math.log(1 + 8 * 15 / 7, 8), rel=1e-15)
