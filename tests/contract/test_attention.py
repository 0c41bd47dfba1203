"""What every method has to keep in one layer of attention, whichever slots it fills: one suite over all of them."""

from __future__ import annotations

import pytest
import torch

from posenc_lib import attention, causal_mask
from tests.contract.layer import N, X, assert_close, difference, heads, layer, projected
from tests.contract.method import D_MODEL, D, H
from tests.contract.methods import every, having
from tests.support.weights import normal

SCATTERED = torch.tensor([[0, 1, 2, 3, 4, 5], [5, 6, 20, 22, 23, 7], [0, 10, 11, 3, 1, 9]])
"""Positions of three samples, whose gaps differ, or a shift alone would not show."""

others = having(lambda method: method.uses or not method.relative)  # than none
measured = having(lambda method: (method.uses or not method.relative) and not method.ordinal)


@having(lambda method: method.relative)
@pytest.mark.parametrize("shift", [1, -7, 1_000])
def test_a_shift_of_all_positions_changes_nothing(method, shift):
    positions = method.positions(N)
    assert_close(layer(method, X, positions + shift), layer(method, X, positions))


@having(lambda method: not method.relative)
def test_a_shift_of_all_positions_is_seen_by_an_absolute_encoding(method):
    assert difference(layer(method, X, torch.arange(N) + 1), layer(method, X, torch.arange(N))) > 0.01


@measured
def test_a_distance_that_changes_is_seen(method):
    assert difference(layer(method, X, torch.arange(N) * 2), layer(method, X, torch.arange(N))) > 0.01


@having(lambda method: method.ordinal)
def test_where_only_the_order_counts_a_distance_that_changes_is_not_seen(method):
    assert_close(layer(method, X, torch.arange(N) * 2 + 7), layer(method, X, torch.arange(N)))


@every
def test_permuted_pairs_of_token_and_position_permute_the_outputs(method):
    positions, order = method.positions(N), torch.randperm(N, generator=torch.Generator().manual_seed(1))
    assert_close(layer(method, X[order], positions[order]), layer(method, X, positions)[order])


@every
def test_permuted_tokens_alone_permute_the_outputs_of_none_only(method, name):
    positions, order = method.positions(N), torch.randperm(N, generator=torch.Generator().manual_seed(1))
    permuted, expected = layer(method, X[order], positions), layer(method, X, positions)[order]
    if name == "none":
        assert_close(permuted, expected)
    else:
        assert difference(permuted, expected) > 0.01


@every
def test_one_cached_query_gives_the_last_row_of_the_full_pass(method):
    positions = method.positions(N)
    full = layer(method, X, positions, mask=causal_mask(positions, positions))
    assert_close(layer(method, X, positions, queries=slice(N - 1, N)), full[-1:])


@every
def test_samples_with_positions_of_their_own_give_what_each_gives_alone(method):
    x = normal(3, 6, D_MODEL)
    together = layer(method, x, SCATTERED[:, None])
    for i, positions in enumerate(SCATTERED):
        assert_close(together[i], layer(method, x[i], positions))


@others
def test_the_positions_of_another_sample_give_something_else(method):
    x = normal(3, 6, D_MODEL)
    assert difference(layer(method, x, SCATTERED[:, None])[1], layer(method, x[1], SCATTERED[0])) > 0.01


@every
def test_keys_with_positions_of_their_own_meet_queries_that_share_theirs(method):
    q, k, v = (heads(normal(3, 6, D_MODEL, seed=seed)) for seed in range(3))
    orders = torch.tensor([[0, 1, 2, 3, 4, 5], [5, 3, 1, 0, 2, 4], [1, 0, 3, 2, 5, 4]])
    together = attention(q, k, v, method.slots, k_positions=orders[:, None])
    for i, order in enumerate(orders):
        assert_close(together[i], attention(q[i], k[i], v[i], method.slots, k_positions=order))


@every
def test_a_text_padded_on_the_left_gives_what_it_gives_alone(method):
    """Each text counts from 0; under a causal mask the queries of the padding see everything, and are dropped."""
    x, lengths = normal(3, 6, D_MODEL), torch.tensor([6, 4, 1])
    positions = torch.arange(6) - (6 - lengths)[:, None, None]
    real, positions = positions >= 0, positions.clamp(min=0)
    mask = (causal_mask(positions, positions) & real[..., None, :]) | ~real[..., :, None]
    padded = layer(method, x, positions, mask=mask)
    for i, n in enumerate(lengths.tolist()):
        own = torch.arange(n)
        assert_close(padded[i, 6 - n :], layer(method, x[i, 6 - n :], own, mask=causal_mask(own, own)))


@having(lambda method: not method.key_heads)
def test_fewer_heads_of_keys_give_what_repeated_ones_give(method):
    positions = method.positions(N)
    q, k, v = projected(method, X, positions)
    k, v, where = k[:1], v[:1], {"q_positions": positions, "k_positions": positions}
    repeated = attention(q, k.expand(H, N, D), v.expand(H, N, D), method.slots, **where)
    assert_close(attention(q, k, v, method.slots, **where), repeated)


@having(lambda method: method.key_heads)
def test_fewer_heads_of_keys_are_refused_where_each_learns_something(method):
    q, k, v = projected(method, X, torch.arange(N))
    with pytest.raises(ValueError, match=rf"^q and k must be \[\.\.\., h, n, d\] with h, d = \[{H}, {D}\]; got"):
        attention(q, k[:1], v[:1], method.slots)


@every
def test_no_queries_give_no_rows(method):
    assert layer(method, X, method.positions(N), queries=slice(0)).shape == (0, D_MODEL)
    assert layer(method, X[:0], method.positions(N)[:0]).shape == (0, D_MODEL)


@every
def test_no_queries_or_no_keys_leave_a_slot_its_shape(method):
    for n_q, n_k in ((0, 3), (3, 0), (0, 0)):
        q, k, v, weights = (normal(2, H, *shape) for shape in ((n_q, D), (n_k, D), (n_k, D), (n_q, n_k)))
        at, slots = (torch.arange(n_q), torch.arange(n_k)), method.slots
        if slots.transform is not None:
            assert [x.shape[:-1] for x in slots.transform(q, k, *at)] == [q.shape[:-1], k.shape[:-1]]
        if slots.bias is not None:
            assert slots.bias(*at).shape[-2:] == (n_q, n_k)
        if slots.content_bias is not None:
            assert slots.content_bias(q, k, *at).shape == (2, H, n_q, n_k)
        if slots.weights is not None:
            assert slots.weights(weights, *at).shape == weights.shape
        if slots.average is not None:
            assert slots.average(weights, v, *at).shape == q.shape
        if slots.value_bias is not None:
            assert slots.value_bias(weights, *at).shape == q.shape
