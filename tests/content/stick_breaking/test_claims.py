"""What the chapter proves about stick-breaking, verified in numbers on the library's code."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib.content import stick_breaking, stick_breaking_with_rest
from posenc_lib.relative import Alibi
from tests.support.weights import normal

N = 12
LAST, PLACES = torch.tensor([N - 1]), torch.arange(N)
seeds = st.integers(0, 1_000)
scores = st.floats(-6, 6)


def nearest_first(row):
    return stick_breaking(row[None], torch.tensor([len(row) - 1]), torch.arange(len(row)))[0].flip(0)


@pytest.mark.claim("stick-breaking.sum")
@given(seeds, st.integers(1, 40))
def test_the_weights_and_the_rest_make_one(seed, n):
    row = 3 * normal(n, seed=seed)
    weights, rest = nearest_first(row), (1 - row.sigmoid()).prod()
    assert weights.sum().item() == pytest.approx(1 - rest.item(), abs=1e-12)
    assert (weights >= 0).all()
    assert weights.sum() <= 1 + 1e-12


@pytest.mark.claim("stick-breaking.sum")
@given(seeds)
def test_the_own_token_gets_the_rest(seed):
    row = normal(1, N, seed=seed)
    weights = stick_breaking_with_rest(row, LAST, PLACES)[0]
    assert weights[-1].item() == pytest.approx((1 - row[0, :-1].sigmoid()).prod().item(), abs=1e-12)
    assert weights.sum().item() == pytest.approx(1, abs=1e-12)


@pytest.mark.claim("stick-breaking.odds")
@given(seeds, st.integers(0, N - 1), scores)
def test_a_score_is_a_bet_against_all_that_lies_further_back(seed, t, z):
    row = normal(N, seed=seed)
    row[N - 1 - t] = z
    weights = nearest_first(row)
    beyond = 1 - weights[: t + 1].sum()
    assert (weights[t] / beyond).item() == pytest.approx(math.exp(z), rel=1e-6)


@pytest.mark.claim("stick-breaking.alibi")
@given(st.floats(0.05, 3), st.integers(1, 60))
def test_equal_scores_give_alibis_weights_but_for_a_factor(s, n):
    share = 1 - math.exp(-s)
    row = torch.full((n,), math.log(share / (1 - share)), dtype=torch.float64)
    weights = nearest_first(row)
    expected = share * torch.exp(-s * torch.arange(n, dtype=torch.float64))
    torch.testing.assert_close(weights, expected, rtol=1e-9, atol=1e-15)
    bias = Alibi(torch.tensor([s], dtype=torch.float64))(torch.tensor([n - 1]), torch.arange(n))
    alibi = bias[0, 0].softmax(-1).flip(0)
    torch.testing.assert_close(alibi, weights / (1 - math.exp(-s * n)), rtol=1e-9, atol=1e-15)


@pytest.mark.claim("stick-breaking.alibi")
def test_the_two_scores_that_the_page_names():
    assert math.log(2) == pytest.approx(0.69, abs=0.005)
    share = 1 - math.exp(-1 / 16)
    assert math.log(share / (1 - share)) == pytest.approx(-2.74, abs=0.005)


@pytest.mark.claim("stick-breaking.nearer")
@given(seeds, st.integers(0, N - 2), scores)
def test_of_two_neighbours_alike_the_nearer_gets_more(seed, t, z):
    row = normal(N, seed=seed)
    row[N - 1 - t] = row[N - 2 - t] = z
    weights = nearest_first(row)
    assert (weights[t] / weights[t + 1]).item() == pytest.approx(1 + math.exp(z), rel=1e-9)
    soft = row.softmax(-1).flip(0)
    assert soft[t].item() == soft[t + 1].item()
