"""Shaw's relative vectors and the skew: against loops, as the paper writes them, and how they begin."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib import Slots, attention_weights, causal_mask
from posenc_lib.relative import ShawKeys, ShawValues, clipped, skew
from tests.support.weights import normal

TIGHT = {"rtol": 0, "atol": 1e-12}
FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


def filled(module, seed=7):
    """The module in float64 with numbers large enough to be seen."""
    module = module.double()
    module.table.data = normal(*module.table.shape, seed=seed)
    return module


def row_of(n, m, left, right):
    """The paper's clip of its own distance, key minus query, in Python's integers."""
    return max(-left, min(n - m, right)) + left


def rows_of(n, left, right):
    """For n queries and n keys."""
    return torch.tensor([[row_of(j, i, left, right) for j in range(n)] for i in range(n)])


def keys_by_loops(q, table, q_positions, k_positions, left, right):
    """One query, key and feature at a time; q is [n, d]."""
    out = torch.zeros(len(q_positions), len(k_positions), dtype=torch.float64)
    for i, m in enumerate(q_positions.tolist()):
        for j, n in enumerate(k_positions.tolist()):
            for f in range(q.shape[-1]):
                out[i, j] += q[i, f] * table[row_of(n, m, left, right), f] / math.sqrt(q.shape[-1])
    return out


def values_by_loops(weights, table, q_positions, k_positions, left, right):
    out = torch.zeros(len(q_positions), table.shape[-1], dtype=torch.float64)
    for i, m in enumerate(q_positions.tolist()):
        for j, n in enumerate(k_positions.tolist()):
            out[i] += weights[i, j] * table[row_of(n, m, left, right)]
    return out


# --- clip


@given(st.integers(-(10**12), 10**12), st.integers(0, 300), st.integers(0, 300))
def test_the_row_is_the_paper_s_clip(x, left, right):
    assert clipped(torch.tensor([x]), left, right).tolist() == [row_of(0, x, left, right)]


def test_the_rows_run_from_the_farthest_past_to_the_farthest_future():
    assert clipped(torch.arange(3, -4, -1), 2, 1).tolist() == [0, 0, 1, 2, 3, 3, 3]


# --- keys and values against loops

positions = st.lists(st.integers(-9, 9), min_size=1, max_size=5).map(torch.tensor)
reach = st.integers(0, 6)


@given(positions, positions, reach, reach)
def test_keys_equal_loops_at_any_positions(q_positions, k_positions, left, right):
    keys = filled(ShawKeys(3, left, right))
    q, k = normal(len(q_positions), 3), normal(len(k_positions), 3, seed=1)
    expected = keys_by_loops(q, keys.table, q_positions, k_positions, left, right)
    torch.testing.assert_close(keys(q, k, q_positions, k_positions), expected, **TIGHT)


@given(positions, positions, reach, reach)
def test_values_equal_loops_at_any_positions(q_positions, k_positions, left, right):
    values = filled(ShawValues(3, left, right))
    weights = normal(len(q_positions), len(k_positions)).softmax(-1)
    expected = values_by_loops(weights, values.table, q_positions, k_positions, left, right)
    torch.testing.assert_close(values(weights, q_positions, k_positions), expected, **TIGHT)


@pytest.mark.parametrize("batch", [(), (2,)])
def test_a_table_for_each_head(batch):
    keys, values = filled(ShawKeys(4, 2, 1, heads=3)), filled(ShawValues(2, 2, 1, heads=3), seed=8)
    assert keys.table.shape == (3, 4, 4)
    assert values.table.shape == (3, 4, 2)
    q, k, at = normal(*batch, 3, 5, 4), normal(*batch, 3, 5, 4, seed=1), torch.arange(5)
    bias, added = keys(q, k, at, at), values(k @ k.mT, at, at)
    for h in range(3):
        one_q, one_weights = q[..., h, :, :].reshape(-1, 5, 4)[-1], (k @ k.mT)[..., h, :, :].reshape(-1, 5, 5)[-1]
        expected = keys_by_loops(one_q, keys.table[h], at, at, 2, 1)
        torch.testing.assert_close(bias[..., h, :, :].reshape(-1, 5, 5)[-1], expected, **TIGHT)
        expected = values_by_loops(one_weights, values.table[h], at, at, 2, 1)
        torch.testing.assert_close(added[..., h, :, :].reshape(-1, 5, 2)[-1], expected, **TIGHT)


# --- in attention


def test_both_terms_are_the_paper_s_equations():
    """Equations 3 and 4, with a vector added to each key and each value."""
    keys, values, at = filled(ShawKeys(4, 2, 2)), filled(ShawValues(5, 2, 2), seed=8), torch.arange(6)
    q, k, v = normal(6, 4), normal(6, 4, seed=1), normal(6, 5, seed=2)
    rows = rows_of(6, 2, 2)
    weights = torch.einsum("md,mnd->mn", q, k + keys.table[rows]).div(2).softmax(-1)
    expected = torch.einsum("mn,mnd->md", weights, v + values.table[rows])
    ours = attention_weights(q, k, Slots(content_bias=keys))
    torch.testing.assert_close(ours @ v + values(ours, at, at), expected, **TIGHT)


# --- skew


@given(st.integers(1, 7), st.integers(0, 5))
def test_skew_equals_loops(n_q, more):
    n_k = n_q + more
    x = normal(2, n_q, n_k)
    expected = torch.zeros_like(x)
    for i in range(n_q):
        for j in range(i + more + 1):
            expected[:, i, j] = x[:, i, n_q - 1 - i + j]
    assert skew(x).equal(expected)


def test_skew_turns_distances_into_keys():
    distances = torch.arange(6, -1.0, -1).expand(3, 7)
    assert skew(distances).tolist() == [
        [4, 3, 2, 1, 0, 0, 0],
        [5, 4, 3, 2, 1, 0, 0],
        [6, 5, 4, 3, 2, 1, 0],
    ]


def test_skewed_scores_are_shaw_s_under_a_causal_mask():
    """The table of the Music Transformer: one row a distance from n - 1 to 0, none clipped."""
    keys, at = filled(ShawKeys(4, 6, 0)), torch.arange(7)
    q, k = normal(2, 7, 4), normal(2, 7, 4, seed=1)
    mask = causal_mask(at, at)
    expected = keys(q, k, at, at).masked_fill(~mask, 0)
    torch.testing.assert_close(skew(q @ keys.table.T / 2), expected, **TIGHT)
    weights = attention_weights(q, k, Slots(content_bias=lambda q, *_: skew(q @ keys.table.T / 2)), mask=mask)
    torch.testing.assert_close(weights, attention_weights(q, k, Slots(content_bias=keys), mask=mask), **TIGHT)


def test_skew_of_nothing():
    assert skew(torch.zeros(0, 0)).shape == (0, 0)
    assert skew(torch.zeros(0, 3)).shape == (0, 3)


# --- dtypes


def test_values_come_in_the_dtype_of_the_table():
    for dtype in FLOATS:
        values, at = filled(ShawValues(16, 4, 4)).to(dtype), torch.arange(9)
        weights = normal(9, 9).softmax(-1).to(torch.promote_types(dtype, torch.float32))
        added = values(weights, at, at)
        assert added.dtype == dtype
        expected = values_by_loops(weights.double(), values.table.double(), at, at, 4, 4)
        torch.testing.assert_close(added.double(), expected, rtol=0, atol=8 * torch.finfo(dtype).eps)


# --- parameters


def test_the_tables_are_parameters_of_small_numbers():
    torch.manual_seed(0)
    for module in (ShawKeys(64, 16, 16), ShawValues(64, 16, 16, heads=8)):
        assert [name for name, _ in module.named_parameters()] == ["table"]
        assert module.table.shape[-2:] == (33, 64)
        assert module.table.std().item() == pytest.approx(0.02, rel=0.1)
        assert abs(module.table.mean().item()) < 2e-3


def test_its_repr_says_the_sizes():
    assert repr(ShawKeys(64, 8, 2)) == "ShawKeys(d=64, left=8, right=2)"
    assert repr(ShawValues(64, 8, 2, heads=4)) == "ShawValues(d=64, left=8, right=2, heads=4)"


# --- bad input


def test_the_smallest_tables_are_taken():
    assert ShawKeys(1, 0, 0, heads=1).table.shape == (1, 1, 1)
