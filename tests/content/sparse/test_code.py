"""Sparse attention: scores and choices by a plain loop."""

from __future__ import annotations

import pytest
import torch

from posenc_lib import causal_mask
from posenc_lib.content import block_means, chosen_keys, indexer_scores
from tests.support.weights import normal


def test_scores_are_what_a_loop_gives():
    q, k, weights = normal(3, 4, 5, seed=1), normal(6, 5, seed=2), normal(3, 4, seed=3)
    by_loop = [
        [sum(weights[h, m] * max(0.0, q[h, m] @ k[n] / 5**0.5) for h in range(3)) for n in range(6)] for m in range(4)
    ]
    torch.testing.assert_close(indexer_scores(q, k, weights), torch.tensor(by_loop, dtype=torch.float64))


def test_scores_of_half_precision_are_made_in_float32():
    q, k, weights = (x.bfloat16() for x in (normal(3, 4, 5, seed=1), normal(6, 5, seed=2), normal(3, 4, seed=3)))
    assert torch.equal(indexer_scores(q, k, weights), indexer_scores(q.float(), k.float(), weights.float()))


@pytest.mark.parametrize("budget", [1, 3, 9])
def test_the_best_visible_keys_are_chosen_and_of_equal_ones_the_earlier(budget):
    scores, places = normal(2, 9, 9, seed=4).round(), torch.arange(9)
    chosen = chosen_keys(scores, budget, causal_mask(places, places))
    for sample in range(2):
        for m in range(9):
            order = sorted(range(m + 1), key=lambda n: (-scores[sample, m, n].item(), n))
            assert sorted(order[:budget]) == chosen[sample, m].nonzero()[:, 0].tolist()


@pytest.mark.parametrize(("n", "blocks"), [(7, 2), (6, 2), (2, 0), (0, 0)])
def test_blocks_that_are_not_complete_are_left_out(n, blocks):
    k = normal(n, 4, seed=5)
    by_loop = [k[3 * j : 3 * j + 3].mean(0) for j in range(blocks)]
    torch.testing.assert_close(block_means(k, 3), torch.stack(by_loop) if blocks else k.new_empty(0, 4))
