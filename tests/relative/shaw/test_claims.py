"""What the chapter proves about relative vectors and the skew, in numbers, on the library's own functions."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from posenc_lib import Slots, attention, attention_weights
from posenc_lib.relative import ShawKeys, ShawValues, clipped, skew
from tests.support.weights import normal

TIGHT = {"rtol": 0, "atol": 1e-12}
reach = st.integers(0, 5)
lengths = st.integers(1, 8)


def filled(module, seed=7):
    module = module.double()
    module.table.data = normal(*module.table.shape, seed=seed)
    return module


def one_hot_rows(n, left, right):
    """Z: for each query, one row a key, with a 1 where its distance has its row in the table."""
    at = torch.arange(n)
    return F.one_hot(clipped(at[:, None] - at, left, right), left + right + 1).double()


@pytest.mark.claim("shaw.content-position")
@given(n=lengths, left=reach, right=reach)
def test_a_vector_added_to_the_key_adds_one_number_of_its_row_to_the_score(n, left, right):
    keys, q, k, at = filled(ShawKeys(4, left, right)), normal(n, 4), normal(n, 4, seed=1), torch.arange(n)
    with_vectors = k + one_hot_rows(n, left, right) @ keys.table  # [n_q, n_k, d]
    expected = (q[:, None] * with_vectors).sum(-1) / 2
    torch.testing.assert_close(q @ k.T / 2 + keys(q, k, at, at), expected, **TIGHT)
    by_row = q @ keys.table.T / 2
    picked = (one_hot_rows(n, left, right) @ by_row[:, :, None]).squeeze(-1)
    torch.testing.assert_close(keys(q, k, at, at), picked, **TIGHT)


@pytest.mark.claim("shaw.values")
@given(n=lengths, left=reach, right=reach)
def test_a_vector_added_to_each_value_is_added_by_the_weight_of_its_row(n, left, right):
    values, v, at = filled(ShawValues(3, left, right)), normal(n, 3), torch.arange(n)
    weights = normal(n, n, seed=1).softmax(-1)
    Z = one_hot_rows(n, left, right)
    expected = (weights[:, :, None] * (v + Z @ values.table)).sum(1)
    torch.testing.assert_close(weights @ v + values(weights, at, at), expected, **TIGHT)
    of_row = (weights[:, None] @ Z).squeeze(1)
    torch.testing.assert_close(of_row.sum(-1), torch.ones(n, dtype=torch.float64), **TIGHT)
    torch.testing.assert_close(values(weights, at, at), of_row @ values.table, **TIGHT)


@pytest.mark.claim("shaw.clip")
@given(K=reach, s=st.integers(0, 10**6), t=st.integers(0, 10**6))
def test_all_distances_beyond_the_reach_have_one_row(K, s, t):
    past, future = clipped(torch.tensor([K + s, K + t]), K, K), clipped(torch.tensor([-K - s, -K - t]), K, K)
    assert future.tolist() == [2 * K, 2 * K]
    assert past.tolist() == [0, 0]
    near = torch.arange(K, -K - 1, -1)
    assert clipped(near, K, K).equal(torch.arange(2 * K + 1))


@pytest.mark.claim("shaw.clip")
def test_tokens_beyond_the_reach_may_change_places():
    """Query 0 with reach 2: exchange the tokens at 4 and 6, and it sees no difference; at 1 and 6 it does."""
    keys, values, at = filled(ShawKeys(4, 2, 2)), filled(ShawValues(4, 2, 2), seed=8), torch.arange(8)
    q, k, v = (normal(8, 4, seed=s) for s in range(3))

    def first(order):
        weights = attention_weights(q, k[order], Slots(content_bias=keys))
        return (weights @ v[order] + values(weights, at, at))[0]

    far, near = at.clone(), at.clone()
    far[[4, 6]], near[[1, 6]] = at[[6, 4]], at[[6, 1]]
    torch.testing.assert_close(first(far), first(at), **TIGHT)
    assert (first(near) - first(at)).abs().max() > 0.1


@pytest.mark.claim("shaw.single-row")
@pytest.mark.parametrize("shared", [0, 3])
def test_one_row_for_all_distances_says_nothing(shared):
    """A reach of 0, or a larger one with the same vector in all rows: weights stay, outputs move by that vector."""
    keys, values, at = filled(ShawKeys(4, shared, shared)), filled(ShawValues(5, shared, shared)), torch.arange(6)
    keys.table.data, values.table.data = (x.table[:1].expand_as(x.table).clone() for x in (keys, values))
    q, k, v = normal(6, 4), normal(6, 4, seed=1), normal(6, 5, seed=2)
    weights = attention_weights(q, k, Slots(content_bias=keys))
    assert keys(q, k, at, at).abs().max() > 0.1
    torch.testing.assert_close(weights, attention_weights(q, k), **TIGHT)
    torch.testing.assert_close(weights @ v + values(weights, at, at), attention(q, k, v) + values.table[0], **TIGHT)


@pytest.mark.claim("shaw.single-row")
def test_two_different_rows_say_something():
    keys = filled(ShawKeys(4, 1, 0))
    q, k = normal(6, 4), normal(6, 4, seed=1)
    assert (attention_weights(q, k, Slots(content_bias=keys)) - attention_weights(q, k)).abs().max() > 0.01


@pytest.mark.claim("shaw.skew")
@given(n_q=lengths, more=st.integers(0, 5))
def test_each_key_gets_the_column_of_its_distance(n_q, more):
    """Column c of x holds 1000 i + (its distance); where a key is no later than its query, its distance stands."""
    n_k = n_q + more
    row, column = torch.arange(n_q)[:, None], torch.arange(n_k)
    x = (1000 * row + (n_k - 1) - column).double()
    positions = row + more
    distance = positions - column
    expected = (1000 * row + distance).where(distance >= 0, 0).double()
    assert skew(x).equal(expected)


@pytest.mark.claim("shaw.skew-future")
@given(n_q=st.integers(2, 8), more=st.integers(0, 5))
def test_without_a_zero_later_keys_would_get_numbers_of_the_next_query(n_q, more):
    n_k = n_q + more
    x = normal(n_q, n_k)
    trick = F.pad(x, (1, 0)).flatten()[n_q:].view(n_q, n_k)
    for i in range(n_q - 1):
        for j in range(i + more + 1, n_k):
            c = j - (i + more) - 2  # of the next row; -1 is the padding
            assert trick[i, j] == (x[i + 1, c] if c >= 0 else 0)
            assert skew(x)[i, j] == 0
    assert trick.tril(more).equal(skew(x))
