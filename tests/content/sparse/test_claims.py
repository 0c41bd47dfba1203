"""What the chapter proves about sparse attention, verified in numbers on the library's code."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib import Rotary, causal_mask, geometric_freqs
from posenc_lib.content import block_means, chosen_keys, indexer_scores
from tests.support.weights import normal

seeds = st.integers(0, 1_000)
PLACES = torch.arange(12)
MASK = causal_mask(PLACES, PLACES)


def indexed(seed, layout="half"):
    q, k, weights = normal(4, 12, 8, seed=seed), normal(1, 12, 8, seed=seed + 1), normal(4, 12, seed=seed + 2)
    q, k = Rotary(geometric_freqs(8), layout=layout)(q, k, PLACES, PLACES)
    return q, k[0], weights


@pytest.mark.claim("sparse.budget")
@given(seeds, st.integers(12, 40))
def test_up_to_the_budget_both_layouts_choose_all_that_is_visible(seed, budget):
    for layout in ("half", "interleaved"):
        assert torch.equal(chosen_keys(indexer_scores(*indexed(seed, layout)), budget, MASK), MASK)


@pytest.mark.claim("sparse.budget")
def test_beyond_it_they_choose_differently():
    right, wrong = (chosen_keys(indexer_scores(*indexed(0, layout)), 4, MASK) for layout in ("half", "interleaved"))
    assert torch.equal(right[:4], wrong[:4])
    assert not torch.equal(right[4:], wrong[4:])


@pytest.mark.claim("sparse.common-map")
@given(seeds)
def test_a_common_orthogonal_map_changes_no_score(seed):
    (q, k, weights), mapped = indexed(seed), torch.linalg.qr(normal(8, 8, seed=seed + 3)).Q
    same = indexer_scores(q @ mapped.mT, k @ mapped.mT, weights)
    torch.testing.assert_close(same, indexer_scores(q, k, weights), rtol=0, atol=1e-12)


@pytest.mark.claim("sparse.mean-of-turns")
@given(st.integers(1, 64), st.floats(0.01, 6.28))
def test_the_mean_of_keys_that_were_turned_first_is_short(size, theta):
    turns = torch.arange(size, dtype=torch.float64) * theta
    length = block_means(torch.stack((turns.cos(), turns.sin()), -1), size).norm().item()
    assert length * size * math.sin(theta / 2) == pytest.approx(abs(math.sin(size * theta / 2)), abs=1e-11)
