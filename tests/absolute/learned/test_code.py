"""Tables of learned positions: lookup, longer tables by blocks and by interpolation."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib.absolute import Learned, hierarchical, resample, resample_grid

FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
TIGHT = {"rtol": 0, "atol": 1e-12}


def table(n=6, d=5):
    return torch.randn(n, d, dtype=torch.float64, generator=torch.Generator().manual_seed(n))


# --- the table


def test_each_position_gets_its_row():
    rows, module = table(), Learned(table())
    got = module(torch.tensor([5, 0, 3, 3]))
    assert got.tolist() == [rows[5].tolist(), rows[0].tolist(), rows[3].tolist(), rows[3].tolist()]


def test_narrow_integers_reach_every_position_that_blocks_serve():
    positions = torch.arange(256)
    assert hierarchical(table(16), positions.to(torch.uint8)).equal(hierarchical(table(16), positions))


# --- blocks


def by_blocks(p, alpha):
    """Su's formula as it is printed, counting from 1."""
    n = len(p)
    u = [(p[i] - alpha * p[0]) / (1 - alpha) for i in range(n)]
    q = [None] * n**2
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            q[(i - 1) * n + j - 1] = alpha * u[i - 1] + (1 - alpha) * u[j - 1]
    return torch.stack(q)


@pytest.mark.parametrize("alpha", [0.01, 0.3, 0.4, 0.6, 0.9])
def test_blocks_equal_the_printed_formula(alpha):
    got = hierarchical(table(), torch.arange(36), alpha)
    torch.testing.assert_close(got, by_blocks(table(), alpha), **TIGHT)


def test_alpha_is_bert4keras_unless_given():
    torch.testing.assert_close(hierarchical(table(), torch.arange(36)), by_blocks(table(), 0.4), **TIGHT)


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_first_block_is_the_table_to_the_last_bit(dtype):
    rows = (100 * table()).to(dtype)
    assert hierarchical(rows, torch.arange(6), 0.7).equal(rows)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_rounded_once(dtype):
    rows, positions = table().to(dtype), torch.arange(36)
    assert hierarchical(rows, positions).equal(hierarchical(rows.float(), positions).to(dtype))


@given(st.integers(1, 7), st.floats(0.01, 0.99).filter(lambda a: abs(a - 0.5) > 0.01))
def test_blocks_of_independent_rows_are_all_different(n, alpha):
    """In independent directions no sum of two rows is another one."""
    q = hierarchical(torch.eye(n, dtype=torch.float64), torch.arange(n**2), alpha)
    assert n == 1 or torch.pdist(q).min() > 1e-3


# --- straight lines


def by_lines(p, n):
    rows = []
    for j in range(n):
        t = min(max(len(p) / n * (j + 0.5) - 0.5, 0), len(p) - 1)
        low = min(math.floor(t), len(p) - 2) if len(p) > 1 else 0
        rows.append(p[low] + (t - low) * (p[min(low + 1, len(p) - 1)] - p[low]))
    return torch.stack(rows)


@pytest.mark.parametrize(("n_old", "n"), [(6, 12), (6, 6), (6, 4), (6, 1), (1, 4), (5, 13), (7, 3)])
def test_resampling_equals_an_explicit_loop(n_old, n):
    torch.testing.assert_close(resample(table(n_old), n), by_lines(table(n_old), n), **TIGHT)


def test_the_same_length_changes_nothing():
    assert resample(table(), 6).equal(table())
    assert resample_grid(table(), (2, 3), (2, 3)).equal(table())


# --- grids


def cubic(x, a):
    """Keys' kernel."""
    x = abs(x)
    if x <= 1:
        return (a + 2) * x**3 - (a + 3) * x**2 + 1
    return a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a if x < 2 else 0.0


def axis(n_old, n, antialias):
    """The weights [n, n_old] along one axis. Without antialias rows past the border repeat the outermost one."""
    weights = torch.zeros(n, n_old, dtype=torch.float64)
    for j in range(n):
        t = n_old / n * (j + 0.5) - 0.5
        if antialias:
            width = max(n_old / n, 1.0)
            for k in range(n_old):
                weights[j, k] = cubic((k - t) / width, -0.5)
            weights[j] /= weights[j].sum()
        else:
            for k in range(math.floor(t) - 1, math.floor(t) + 3):
                weights[j, min(max(k, 0), n_old - 1)] += cubic(k - t, -0.75)
    return weights


def by_kernel(p, old, new, antialias=False):
    vertical, horizontal = axis(old[0], new[0], antialias), axis(old[1], new[1], antialias)
    return torch.einsum("yh,xw,hwd->yxd", vertical, horizontal, p.unflatten(0, old)).flatten(0, 1)


GRIDS = [((3, 4), (6, 8)), ((3, 4), (5, 5)), ((7, 5), (3, 4)), ((1, 6), (2, 9)), ((4, 4), (1, 1)), ((3, 4), (3, 4))]


@pytest.mark.parametrize(("old", "new"), GRIDS)
@pytest.mark.parametrize("antialias", [False, True])
def test_grids_equal_an_explicit_loop(old, new, antialias):
    rows = table(old[0] * old[1])
    got = resample_grid(rows, old, new, antialias=antialias)
    torch.testing.assert_close(got, by_kernel(rows, old, new, antialias), rtol=0, atol=1e-12)


def test_antialias_is_off_unless_asked_for_and_is_another_table_also_upwards():
    rows, grids = table(12), ((3, 4), (6, 8))
    assert resample_grid(rows, *grids).equal(resample_grid(rows, *grids, antialias=False))
    assert (resample_grid(rows, *grids) - resample_grid(rows, *grids, antialias=True)).abs().max() > 0.05


@pytest.mark.parametrize("prefix_rows", [0, 1, 2])
def test_prefix_rows_stay_and_do_not_mix_with_patches(prefix_rows):
    rows = table(12 + prefix_rows)
    got = resample_grid(rows, (3, 4), (6, 8), prefix_rows=prefix_rows)
    assert len(got) == 48 + prefix_rows
    assert got[:prefix_rows].equal(rows[:prefix_rows])
    assert got[prefix_rows:].equal(resample_grid(rows[prefix_rows:], (3, 4), (6, 8)))


def test_a_grid_of_the_same_size_with_other_sides_is_another_table():
    """The trap that nobody can catch: 16 rows are 4 × 4 as well as 2 × 8."""
    square, flat = (resample_grid(table(16), grid, (6, 6)) for grid in ((4, 4), (2, 8)))
    assert (square - flat).abs().max() > 0.5


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("double", [lambda t: resample(t, 12), lambda t: resample_grid(t, (2, 3), (4, 6))])
def test_longer_tables_have_the_dtype_and_are_rounded_once(double, dtype):
    rows = table().to(dtype)
    got, wide = double(rows), double(rows if dtype == torch.float64 else rows.float())
    assert got.dtype == dtype
    assert got.equal(wide.to(dtype))
