"""Scores at the ids of a map: by complex numbers, beside plain rotary, and in attention."""

from __future__ import annotations

from functools import partial

import pytest
import torch

from posenc_lib import attention_weights, causal_mask
from posenc_lib.extension import MappedRotary, mapped_scores, rerope_ids, self_extend_ids
from posenc_lib.pairs import geometric_freqs, join_pairs
from posenc_lib.relative.distance import pair_distances
from posenc_lib.rotary import Rotary
from tests.support.weights import normal

FREQS = geometric_freqs(8)
M = torch.arange(12)


def by_complex_numbers(q, k, ids):
    q, k = (torch.complex(x[..., 0::2], x[..., 1::2]) for x in (q, k))
    turn = torch.exp(1j * ids[..., None] * FREQS)
    return torch.einsum("...mi,...ni,...mni->...mn", q, k.conj(), turn.expand(*q.shape[:-2], *turn.shape[-3:])).real


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_scores_are_those_of_complex_numbers_at_any_ids(shape):
    q, k = normal(*shape, 5, 8), normal(*shape, 7, 8, seed=1)
    ids = 40 * normal(5, 7, seed=2)
    torch.testing.assert_close(mapped_scores(q, k, FREQS, ids), by_complex_numbers(q, k, ids))
    if shape == (2, 3):
        ids = 40 * normal(2, 1, 5, 7, seed=3)
        torch.testing.assert_close(mapped_scores(q, k, FREQS, ids), by_complex_numbers(q, k, ids))


def test_plain_distances_give_the_scores_of_rotary_in_both_layouts():
    q, k = normal(2, 12, 8), normal(2, 12, 8, seed=1)
    for layout in ("interleaved", "half"):
        turned_q, turned_k = Rotary(FREQS, layout)(q, k, M, M)
        scores = mapped_scores(q, k, FREQS, pair_distances(M, M), layout=layout)
        torch.testing.assert_close(scores, turned_q @ turned_k.mT)
    halves = [join_pairs(x[..., 0::2], x[..., 1::2], "half") for x in (q, k)]
    ids = rerope_ids(M, M, 4)
    torch.testing.assert_close(mapped_scores(*halves, FREQS, ids, layout="half"), mapped_scores(q, k, FREQS, ids))


def test_the_value_for_attention_gives_the_softmax_of_these_scores():
    q, k = normal(2, 12, 8), normal(2, 12, 8, seed=1)
    ids, mask = partial(self_extend_ids, window=3, group=2), causal_mask(M, M)
    weights = attention_weights(q, k, MappedRotary(FREQS, ids).slots(), mask=mask)
    scores = mapped_scores(q, k, FREQS, ids(M, M)) / 8**0.5
    torch.testing.assert_close(weights, scores.masked_fill(~mask, -torch.inf).softmax(-1))


def test_half_precision_is_computed_in_float32_and_gradients_reach_q_and_k():
    q, k = normal(4, 8).bfloat16().requires_grad_(), normal(12, 8, seed=1).bfloat16().requires_grad_()
    ids = rerope_ids(M[:4] + 300, M, 290)
    scores = mapped_scores(q, k, FREQS, ids)
    assert scores.dtype == torch.float32
    torch.testing.assert_close(scores, mapped_scores(q.float(), k.float(), FREQS, ids))
    scores.sum().backward()
    assert q.grad.abs().min() > 0
    assert k.grad.abs().min() > 0


def test_frequencies_in_float32_do_not_make_the_angles_coarse():
    """At the id 2**24 + 1, a frequency of 1 would turn by a radian less."""
    q, k, far = normal(1, 8), normal(1, 8, seed=1), torch.tensor([[2**24 + 1]])
    freqs = FREQS.float()
    torch.testing.assert_close(
        mapped_scores(q, k, freqs, far), mapped_scores(q, k, freqs.double(), far), rtol=0, atol=0
    )
