"""Stick-breaking: the weights by another route, orders and masks."""

from __future__ import annotations

import pytest
import torch

from posenc_lib.content import stick_breaking, stick_breaking_with_rest
from tests.support.weights import normal

PLACES = torch.arange(6)
SCATTERED = torch.tensor([7, 0, 30, 4, 9, 2])
BOTH = [stick_breaking, stick_breaking_with_rest]


def by_loop(scores, k_positions):
    """One query after another, the latest key first."""
    rows = []
    for row in scores:
        weights, left = torch.zeros(len(row), dtype=torch.float64), 1.0
        for n in sorted(range(len(row)), key=lambda n: -k_positions[n].item()):
            weights[n] = left * torch.sigmoid(row[n])
            left -= weights[n].item()
        rows.append(weights)
    return torch.stack(rows)


@pytest.mark.parametrize("k_positions", [PLACES, SCATTERED, SCATTERED - 100])
def test_it_is_what_a_loop_gives(k_positions):
    scores = 2 * normal(4, 6)
    made = stick_breaking(scores, torch.arange(4), k_positions)
    torch.testing.assert_close(made, by_loop(scores, k_positions), rtol=0, atol=1e-12)


def test_what_is_hidden_leaves_the_stick_whole():
    scores = normal(1, 6)
    scores[0, [1, 4]] = -torch.inf
    made, seen = stick_breaking(scores, torch.tensor([5]), PLACES), [0, 2, 3, 5]
    assert made[0, [1, 4]].tolist() == [0, 0]
    alone = stick_breaking(scores[:, seen], torch.tensor([3]), torch.arange(4))
    torch.testing.assert_close(made[:, seen], alone, rtol=0, atol=0)


def test_padding_at_the_place_of_the_own_token_gets_nothing():
    """Texts that are padded on the left may give their padding the position 0."""
    scores = torch.tensor([[-torch.inf, 0.0, 0.0]], dtype=torch.float64)
    made = stick_breaking_with_rest(scores, torch.tensor([0]), torch.tensor([0, 0, -1]))
    assert made.tolist() == [[0, 0.5, 0.5]]


def test_the_first_token_gets_its_own_value():
    scores = normal(6, 6).masked_fill(~torch.ones(6, 6).tril().bool(), -torch.inf)
    assert stick_breaking_with_rest(scores, PLACES, PLACES)[0].tolist() == [1, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("weights", BOTH)
def test_gradients_are_finite_where_keys_are_hidden(weights):
    scores = normal(6, 6).masked_fill(~torch.ones(6, 6).tril().bool(), -torch.inf).requires_grad_()
    weights(scores, PLACES, PLACES).square().sum().backward()
    assert scores.grad.isfinite().all()
    assert scores.grad.triu(1).eq(0).all()
    assert scores.grad.ne(0).any()


@pytest.mark.parametrize("size", [1e4, -1e4])
def test_large_scores_do_not_overflow(size):
    made = stick_breaking(torch.full((1, 6), size), torch.tensor([5]), PLACES)
    assert made[0].tolist() == [0, 0, 0, 0, 0, float(size > 0)]


def test_half_precision_is_summed_in_float32():
    made = stick_breaking(torch.full((1, 4_096), -8.0).bfloat16(), torch.tensor([4_095]), torch.arange(4_096))
    exact = stick_breaking(torch.full((1, 4_096), -8.0).double(), torch.tensor([4_095]), torch.arange(4_096))
    assert made.dtype == torch.float32
    torch.testing.assert_close(made.double(), exact, rtol=1e-4, atol=0)


@pytest.mark.parametrize("weights", BOTH)
def test_infinite_scores_are_a_share_of_one_or_none(weights):
    scores = normal(1, 6)
    scores[0, 3], scores[0, 1] = torch.inf, -torch.inf
    made = weights(scores, PLACES[-1:], PLACES)[0]
    torch.testing.assert_close(made[3:].sum().item(), 1.0, rtol=0, atol=1e-12)
    assert made[:3].tolist() == [0, 0, 0]


@pytest.mark.parametrize("weights", BOTH)
def test_a_score_that_is_no_number_reaches_those_behind_it(weights):
    made = weights(normal(1, 6).index_fill(1, torch.tensor([3]), torch.nan), PLACES[-1:], PLACES)[0]
    assert made[:4].isnan().all()
