"""Shaw's relative vectors and the skew: against loops, shapes, dtypes, gradients, memory, bad input."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from posenc_lib import Slots, attention, attention_weights, causal_mask
from posenc_lib.relative import ShawKeys, ShawValues, clipped, skew
from tests.support.flex import flex
from tests.support.memory import Largest
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


def test_one_table_for_all_heads():
    keys, values = filled(ShawKeys(4, 2, 2)), filled(ShawValues(4, 2, 2), seed=8)
    q, k, at = normal(2, 3, 5, 4), normal(2, 3, 5, 4, seed=1), torch.arange(5)
    bias, added = keys(q, k, at, at), values(k @ k.mT, at, at)
    assert bias.shape == (2, 3, 5, 5)
    for b in range(2):
        for h in range(3):
            torch.testing.assert_close(bias[b, h], keys_by_loops(q[b, h], keys.table, at, at, 2, 2), **TIGHT)
            expected = values_by_loops((k @ k.mT)[b, h], values.table, at, at, 2, 2)
            torch.testing.assert_close(added[b, h], expected, **TIGHT)


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


def test_it_is_the_content_bias_of_attention():
    keys, at = filled(ShawKeys(4, 2, 2)), torch.arange(6)
    q, k, v = (normal(2, 3, 6, 4, seed=s) for s in range(3))
    scores = (q[..., :, None, :] * (k[..., None, :, :] + keys.table[rows_of(6, 2, 2)])).sum(-1) / 2
    torch.testing.assert_close(attention(q, k, v, Slots(content_bias=keys)), scores.softmax(-1) @ v, **TIGHT)
    materialised = F.scaled_dot_product_attention(q, k, v, attn_mask=keys(q, k, at, at))
    torch.testing.assert_close(attention(q, k, v, Slots(content_bias=keys)), materialised, **TIGHT)


def test_both_terms_are_the_paper_s_equations():
    """Equations 3 and 4, with a vector added to each key and each value."""
    keys, values, at = filled(ShawKeys(4, 2, 2)), filled(ShawValues(5, 2, 2), seed=8), torch.arange(6)
    q, k, v = normal(6, 4), normal(6, 4, seed=1), normal(6, 5, seed=2)
    rows = rows_of(6, 2, 2)
    weights = torch.einsum("md,mnd->mn", q, k + keys.table[rows]).div(2).softmax(-1)
    expected = torch.einsum("mn,mnd->md", weights, v + values.table[rows])
    ours = attention_weights(q, k, Slots(content_bias=keys))
    torch.testing.assert_close(ours @ v + values(ours, at, at), expected, **TIGHT)


@pytest.mark.parametrize("heads", [None, 4])
def test_flex_attention_with_fewer_heads_of_keys_equals_the_materialised_bias(heads):
    keys = filled(ShawKeys(4, 3, 1, heads=heads))
    q, k, v = normal(2, 4, 5, 4), normal(2, 2, 7, 4, seed=1), normal(2, 2, 7, 4, seed=2)
    q_positions, k_positions = torch.tensor([9, 4, 4, 0, -3]), torch.tensor([3, 30, -8, 0, 1, 2, 5])
    where = {"q_positions": q_positions, "k_positions": k_positions}
    expected = attention(q, k, v, Slots(content_bias=keys), **where)
    with torch.no_grad():  # torch's tracer warns where it meets numbers that await a gradient
        out = flex(q, k, v, keys.score_mod(q, q_positions, k_positions), enable_gqa=True)
    torch.testing.assert_close(out, expected, **TIGHT)
    assert keys(q, k, q_positions, k_positions).shape == (2, 4, 5, 7)


def test_the_score_mod_holds_no_queries_by_keys():
    b, h, n, d = 2, 2, 64, 16
    keys, q, at = ShawKeys(d, 4, 4), torch.randn(b, h, n, d), torch.arange(n)
    with Largest() as largest:
        keys.score_mod(q, at, at)
    assert largest.numbers == q.numel() < n * n * h


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


def test_skew_keeps_the_dtype():
    for dtype in FLOATS:
        assert skew(torch.ones(2, 2, dtype=dtype)).dtype == dtype


# --- dtypes


def test_a_wide_table_keeps_its_precision_beside_narrow_queries():
    at = torch.arange(3)
    assert filled(ShawKeys(4, 1, 1))(torch.ones(3, 4), torch.ones(3, 4), at, at).dtype == torch.float64


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


def test_gradients_pass_the_skew():
    assert torch.autograd.gradcheck(skew, (normal(2, 5, 5).requires_grad_(),))


def test_its_repr_says_the_sizes():
    assert repr(ShawKeys(64, 8, 2)) == "ShawKeys(d=64, left=8, right=2)"
    assert repr(ShawValues(64, 8, 2, heads=4)) == "ShawValues(d=64, left=8, right=2, heads=4)"


# --- bad input


def test_the_smallest_tables_are_taken():
    assert ShawKeys(1, 0, 0, heads=1).table.shape == (1, 1, 1)
