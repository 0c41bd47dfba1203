"""What every method has to keep in one layer of attention, whichever slots it fills: one suite over all of them."""

from __future__ import annotations

import pytest
import torch

from posenc_lib import attention, causal_mask
from tests.contract.method import D_MODEL, D, H, filled
from tests.contract.methods import METHODS, NO_METHOD
from tests.support.exported import exported

N = 12
MADE = {name: filled(make()) for name, make in METHODS.items()}
USED = {part for method in MADE.values() for part in method.uses}


def pick(condition):
    named = [pytest.param(method, id=name) for name, method in MADE.items() if condition(name, method)]
    return pytest.mark.parametrize("method", named)


every = pick(lambda name, method: True)
GENERATOR = torch.Generator().manual_seed(0)
X = torch.randn(N, D_MODEL, dtype=torch.float64, generator=GENERATOR)
WEIGHTS = torch.randn(3, D_MODEL, D_MODEL, dtype=torch.float64, generator=GENERATOR) / D_MODEL**0.5


@pytest.fixture(autouse=True)
def in_float64(float64):
    pass


def layer(method, x, positions, queries=slice(None), mask=None):
    """Self-attention of one layer, for the queries that are asked for."""
    embedded = method.embedded(x, positions)
    q, k, v = ((embedded @ w).unflatten(-1, (H, D)).transpose(-2, -3) for w in WEIGHTS)
    where = {"q_positions": positions[queries], "k_positions": positions}
    return attention(q[:, queries], k, v, method.slots, mask=mask, **where).transpose(-2, -3).flatten(-2)


def assert_close(a, b):
    torch.testing.assert_close(a, b, rtol=0, atol=1e-11)


def difference(a, b):
    return (a - b).abs().max()


@pytest.mark.parametrize("name", exported())
def test_an_exported_name_is_used_by_a_method_or_has_a_reason(name):
    used = exported()[name] in USED
    assert used or name in NO_METHOD, "add an entry to METHODS in tests/contract/methods.py, or a reason to NO_METHOD"
    assert not (used and name in NO_METHOD), "a method uses it: take it out of NO_METHOD"


def test_what_is_no_method_is_exported():
    assert NO_METHOD.keys() - exported().keys() == set()


@pick(lambda name, method: method.relative)
@pytest.mark.parametrize("shift", [1, -7, 1_000])
def test_a_shift_of_all_positions_changes_nothing(method, shift):
    positions = method.positions(N)
    assert_close(layer(method, X, positions + shift), layer(method, X, positions))


@pick(lambda name, method: not method.relative)
def test_a_shift_of_all_positions_is_seen_by_an_absolute_encoding(method):
    assert difference(layer(method, X, torch.arange(N) + 1), layer(method, X, torch.arange(N))) > 0.01


@pick(lambda name, method: name != "none")
def test_a_distance_that_changes_is_seen(method):
    assert difference(layer(method, X, torch.arange(N) * 2), layer(method, X, torch.arange(N))) > 0.01


@every
def test_permuted_pairs_of_token_and_position_permute_the_outputs(method):
    positions, order = method.positions(N), torch.randperm(N, generator=torch.Generator().manual_seed(1))
    assert_close(layer(method, X[order], positions[order]), layer(method, X, positions)[order])


@every
def test_permuted_tokens_alone_permute_the_outputs_of_none_only(method):
    positions, order = method.positions(N), torch.randperm(N, generator=torch.Generator().manual_seed(1))
    permuted, expected = layer(method, X[order], positions), layer(method, X, positions)[order]
    if method is MADE["none"]:
        assert_close(permuted, expected)
    else:
        assert difference(permuted, expected) > 0.01


@every
def test_one_cached_query_gives_the_last_row_of_the_full_pass(method):
    positions = method.positions(N)
    full = layer(method, X, positions, mask=causal_mask(positions, positions))
    assert_close(layer(method, X, positions, queries=slice(N - 1, N)), full[-1:])
