"""What the chapter proves about residue numbers, verified in numbers on the library's code."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_lib.rotary import Rotary
from posenc_lib.shapes import chain_bins, gapped_residues, residue_bins
from tests.support.weights import normal

reaches = st.integers(0, 40)
lengths = st.integers(1, 50)
reals = st.floats(-500, 500)


def numbers(*values):
    return torch.tensor(values, dtype=torch.float64)


def across(first, second, gap, reach):
    """The bins of queries in the first chain with keys of the second, and the other way round."""
    at = gapped_residues(torch.tensor([0] * first + [1] * second), gap)
    bins = residue_bins(at[:, None] - at, reach)
    return bins[:first, first:], bins[first:, :first]


def score(theta, q, k, m, n):
    rotated_q, rotated_k = Rotary(numbers(theta))(q[None], k[None], numbers(m), numbers(n))
    return (rotated_q @ rotated_k.T).item()


@pytest.mark.claim("proteins.flip")
@given(reaches, st.lists(st.integers(-(2**40), 2**40), max_size=20))
def test_the_other_way_round_is_the_flipped_table(reach, distances):
    x = torch.tensor([*distances, *range(-reach - 1, reach + 2)])
    assert torch.equal(residue_bins(-x, reach), 2 * reach - residue_bins(x, reach))


@pytest.mark.claim("proteins.gap")
@given(lengths, lengths, reaches, st.integers(0, 100))
def test_which_gaps_are_wide_enough(first, second, reach, gap):
    ahead, _ = across(first, second, gap, reach)
    if gap >= reach - 1:
        assert ahead.eq(0).all()
    else:
        assert ahead[-1, 0] == reach - 1 - gap > 0


@pytest.mark.claim("proteins.order")
@given(lengths, lengths, reaches, st.integers(0, 100))
@settings(max_examples=40)
def test_the_order_shows_with_a_gap_and_not_with_a_bin(first, second, reach, more):
    gap = max(reach - 1, 0) + more
    ahead, _ = across(first, second, gap, reach)
    _, behind = across(second, first, gap, reach)  # the same queries, now after the keys
    assert ahead.eq(0).all()
    assert behind.eq(2 * reach).all()
    numbers_of, chains = (
        torch.tensor([*x, *y]) for x, y in ((range(first), range(second)), ([7] * first, [3] * second))
    )
    turned = numbers_of.roll(second), chains.roll(second)
    assert chain_bins(numbers_of, chains, reach)[:first, first:].eq(2 * reach + 1).all()
    assert chain_bins(*turned, reach)[second:, :second].eq(2 * reach + 1).all()


@pytest.mark.claim("proteins.turned")
@given(reals, reals, reals, st.floats(-7, 7), st.integers(0, 9))
@settings(max_examples=40)
def test_a_gap_turns_the_key(m, n, gap, theta, seed):
    q, k = normal(2, 2, seed=seed)
    turned, _ = Rotary(numbers(theta))(k[None], k[None], numbers(gap), numbers(0))
    assert score(theta, q, k, m, n + gap) == pytest.approx(score(theta, q, turned[0], m, n), abs=1e-8)


@pytest.mark.claim("proteins.apart")
@given(reals, st.floats(0.01, 6.27))
@settings(max_examples=40)
def test_neighbours_of_the_other_chain_can_be_told_apart(delta, theta):
    phi = (delta - 0.5) * theta + math.pi / 2
    q, k = numbers(1, 0), numbers(math.cos(phi), math.sin(phi))
    near, next_one = (score(theta, q, k, 0, -x) for x in (delta, delta - 1))
    assert near - next_one == pytest.approx(2 * math.sin(theta / 2), abs=1e-8)
    assert near - next_one > 0
