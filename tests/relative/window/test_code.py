"""The bias of a window: against loops, for any cells, for another grid, another window."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from posenc_lib.relative import (
    WindowBias,
    coarse_cells,
    log_spaced_offsets,
    resample_window_table,
    window_bias,
    window_index,
)

FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
WINDOWS = ((1, 1), (1, 4), (4, 1), (2, 3), (3, 2), (3, 5), (5, 3), (4, 4))
windows = st.tuples(st.integers(1, 5), st.integers(1, 5))


def rows(window):
    return (2 * window[0] - 1) * (2 * window[1] - 1)


def table_for(window, heads=2, dtype=torch.float64):
    return torch.randn(rows(window), heads, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).to(dtype)


def by_loops(table, window, q_positions, k_positions):
    """Two dimensions throughout: a grid of the table, and an offset up and left for each pair."""
    h, w = window
    grid = table.reshape(2 * h - 1, 2 * w - 1, -1).tolist()
    bias = [
        [
            [grid[m // w - n // w + h - 1][m % w - n % w + w - 1][head] for n in k_positions.tolist()]
            for m in q_positions.tolist()
        ]
        for head in range(table.shape[1])
    ]
    return torch.tensor(bias, dtype=table.dtype)


def exactly(a, b):
    torch.testing.assert_close(a, b, rtol=0, atol=0)


# --- the bias


@pytest.mark.parametrize("window", WINDOWS)
def test_the_whole_window_equals_loops(window):
    cells, table = torch.arange(window[0] * window[1]), table_for(window)
    bias = window_bias(table, window, cells, cells)
    exactly(bias, by_loops(table, window, cells, cells))
    exactly(bias, table[window_index(window)].movedim(-1, 0))


def test_the_index_of_a_small_window_by_hand():
    """Query (row, column) = (0, 0): the key to the right is one column on, the row of the table one less."""
    wanted = [[4, 3, 1, 0], [5, 4, 2, 1], [7, 6, 4, 3], [8, 7, 5, 4]]
    assert window_index((2, 2)).tolist() == wanted
    assert window_index((1, 1)).tolist() == [[0]]


@given(windows, st.data())
def test_any_cells_equal_loops(window, data):
    cells = st.lists(st.integers(0, window[0] * window[1] - 1), min_size=1, max_size=6).map(torch.tensor)
    q_positions, k_positions = data.draw(cells), data.draw(cells)
    table = table_for(window)
    bias = window_bias(table, window, q_positions, k_positions)
    exactly(bias, by_loops(table, window, q_positions, k_positions))


@pytest.mark.parametrize("whole", ["queries", "keys"])
def test_all_cells_on_one_side_only(whole):
    some, cells, table = torch.tensor([14, 0, 7]), torch.arange(15), table_for((3, 5))
    pair = (cells, some) if whole == "queries" else (some, cells)
    exactly(window_bias(table, (3, 5), *pair), by_loops(table, (3, 5), *pair))


def test_cells_in_another_order_are_not_taken_for_the_whole_window():
    table, cells = table_for((3, 5)), torch.arange(15)
    for order in (cells.flip(0), cells.roll(1)):
        exactly(window_bias(table, (3, 5), order, order), by_loops(table, (3, 5), order, order))


def test_no_index_is_made_for_the_whole_window(monkeypatch):
    """O(n) numbers before the result: the table, and the positions."""
    monkeypatch.setattr("posenc_lib.relative.window.toeplitz_bias", lambda *_: pytest.fail("an index was made"))
    cells = torch.arange(12)
    assert window_bias(table_for((3, 4)), (3, 4), cells, cells).shape == (2, 12, 12)


def test_small_integers_do_not_wrap():
    """Cell 120 of an 11 × 11 window gets the number 220, and differences may be negative: 8 bits do not hold both."""
    table, cells = table_for((11, 11)), torch.tensor([0, 120, 60])
    for dtype in (torch.uint8, torch.int8, torch.int16):
        bias = window_bias(table, (11, 11), cells.to(dtype), cells.to(dtype))
        assert bias.equal(by_loops(table, (11, 11), cells, cells)), dtype


# --- the module


def test_the_table_begins_as_small_random_numbers():
    torch.manual_seed(0)
    table = WindowBias(8, (16, 16)).table
    assert table.std().item() == pytest.approx(0.02, rel=0.05)
    assert abs(table.mean().item()) < 1e-3


# --- another grid


@pytest.mark.parametrize(("fine", "coarse"), [((4, 6), (2, 3)), ((3, 5), (3, 5)), ((6, 4), (2, 1)), ((2, 9), (1, 3))])
def test_queries_on_a_finer_grid_equal_repetition(fine, coarse):
    """repeat_interleave along the rows and the columns of the queries, as UTNet writes it."""
    table, keys = table_for(coarse), torch.arange(coarse[0] * coarse[1])
    queries = coarse_cells(torch.arange(fine[0] * fine[1]), fine, coarse)
    repeated = table[window_index(coarse)].unflatten(0, coarse)
    for axis in (0, 1):
        repeated = repeated.repeat_interleave(fine[axis] // coarse[axis], dim=axis)
    exactly(window_bias(table, coarse, queries, keys), repeated.flatten(0, 1).movedim(-1, 0))


def test_coarse_cells_of_any_positions():
    assert coarse_cells(torch.tensor([[23, 0], [9, 3]]), (4, 6), (2, 3)).tolist() == [[5, 0], [1, 1]]
    assert coarse_cells(torch.tensor([127], dtype=torch.int8), (8, 16), (4, 8)).tolist() == [31]


# --- another window


@pytest.mark.parametrize(("old", "new"), [((7, 7), (12, 12)), ((3, 5), (4, 9)), ((5, 3), (2, 6)), ((1, 4), (1, 2))])
def test_resampling_equals_torch_head_by_head(old, new):
    table = table_for(old, heads=3)
    got = resample_window_table(table, old, new)
    assert got.shape == (rows(new), 3)
    for head in range(3):
        image = table[:, head].reshape(1, 1, 2 * old[0] - 1, 2 * old[1] - 1)
        size = (2 * new[0] - 1, 2 * new[1] - 1)
        wanted = F.interpolate(image, size=size, mode="bicubic", align_corners=False)
        exactly(got[:, head], wanted.flatten())


@pytest.mark.parametrize("dtype", FLOATS)
def test_resampling_to_the_same_window_changes_nothing(dtype):
    table = table_for((3, 5), dtype=dtype)
    exactly(resample_window_table(table, (3, 5), (3, 5)), table)


@pytest.mark.parametrize(("window", "trained"), [((3, 5), None), ((3, 5), (2, 4)), ((1, 4), None), ((16, 16), (8, 8))])
def test_log_spaced_offsets_equal_loops(window, trained):
    def scaled(offset, size):
        return math.copysign(math.log(1 + 8 * abs(offset) / max(size - 1, 1), 8), offset)

    s_h, s_w = trained or window
    (h, w) = window
    wanted = [[scaled(y, s_h), scaled(x, s_w)] for y in range(1 - h, h) for x in range(1 - w, w)]
    got = log_spaced_offsets(window, trained)
    assert got.dtype == torch.float32
    torch.testing.assert_close(got.double(), torch.tensor(wanted, dtype=torch.float64), rtol=2**-24, atol=0)


@pytest.mark.usefixtures("float64")
def test_log_spaced_offsets_come_in_the_default_dtype():
    got = log_spaced_offsets((2, 2))
    assert got.dtype == torch.float64
    assert got[0, 0].item() == pytest.approx(-math.log(9, 8), rel=1e-15)
