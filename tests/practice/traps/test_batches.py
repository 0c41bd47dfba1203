"""Batch and single prompt differ: each number of the page by another way."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch
from transformers.models.roberta.modeling_roberta import RobertaEmbeddings

from posenc_lib import attention_weights
from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import Rotary
from tests.practice.traps.page import freqs, given, off, pairs, says, softmax, traps, turned

Q, K, WORDS, ROWS = given()["q"][0], given()["k"][0], given()["words"], given()["rows"]


def test_left_padding():
    says("left-padding", off(ROWS[3:7], ROWS[0:4]))


def test_one_counter():
    products = np.conj(pairs(Q)) * pairs(K)
    says("one-counter", *((products * np.exp(1j * (2 - m) * freqs(128))).sum().real for m in (4, 7)))


def test_nan_row():
    """And the library says which query sees no key."""
    hidden = torch.zeros(1, 4, dtype=torch.bool)
    with pytest.raises(ValueError, match=r"no key"):
        attention_weights(torch.ones(1, 2), torch.ones(4, 2), mask=hidden)
    assert traps()["nan-row"].printed == ("nan",)


def test_hole():
    real = [0, 1, 4]  # the places of real tokens
    says("hole", 0.5 * (real.index(4) - real.index(1)), 0.5 * (4 - 1))


def test_rows_as_heads():
    """Sample b, head h: positions of the sample, or of the sample that has the head's number."""
    x, starts = ROWS[:20].reshape(2, 2, 5, 64), (0, 7)
    at = [[[turned(x[b, h], s + np.arange(5)) for s in starts] for h in (0, 1)] for b in (0, 1)]
    right, wrong = (np.array([[at[b][h][(b, h)[of]] for h in (0, 1)] for b in (0, 1)]) for of in (0, 1))
    says("rows-as-heads", off(wrong, right))
    of_samples, x = torch.tensor([[0], [7]]) + torch.arange(5), torch.from_numpy(x)
    with pytest.raises(ValueError, match=r"do not fit"):
        Rotary(geometric_freqs(64))(x, x, of_samples, of_samples)


def test_packing():
    places = np.array([0, 1, 2, 0, 1, 2])
    scores = turned(WORDS, places) @ turned(ROWS[:6], places).T / 8
    says("packing", softmax(scores[4, :5])[:3].sum())


def test_guessed_texts():
    """By hand: two zeros; and each id that does not follow begins a text."""
    ids = [0, 1, 2, 2, 2, 2, 4, 5, 0, 1, 2, 3]
    says("guessed-texts", ids.count(0), 1 + sum(b - a != 1 for a, b in itertools.pairwise(ids)))


def test_two_markers():
    """Equal weights: two of twelve tokens, or one of five, are markers."""
    says("two-markers", 2 / 12, 1 / 5)


def test_random_test():
    """Ten of 2,048 meet in one place once in 200 draws or so: here they do not."""
    draws = [np.sort(np.random.default_rng(seed).choice(2_048, 10, replace=False)) for seed in range(2_000)]
    pairs_of_draws = zip(draws[0::2], draws[1::2], strict=True)
    assert np.mean([(a == b).sum() for a, b in pairs_of_draws]) < 0.05
    says("random-test", 0)


def test_random_writing():
    """The tenth smallest of n numbers: its mean, and what is drawn."""
    generator = np.random.default_rng(0)
    means = [10 * 2_049 / (n + 1) - 1 for n in (10, 1_000)]
    for n, mean in zip((10, 1_000), means, strict=True):
        draws = [np.partition(generator.choice(2_048, n, replace=False), 9)[9] for _ in range(4_000)]
        assert np.mean(draws) == pytest.approx(mean, rel=0.02)
    says("random-writing", *means)


def test_rnn_padding():
    states = [0.0]
    for _ in range(7):
        states.append(math.tanh(0.9 * states[-1] + 0.5))
    says("rnn-padding", (states[5] - states[2]) / states[2])


def test_legacy_rows():
    """Distances from the pairs: the table's first less what the last query lies before it."""
    says("legacy-rows", *(1 + 5_000 - frames for frames in (50, 60)))


def test_packed_offset():
    """Transformers' own: the first token reads row 2 where nobody gives positions, and row 0 where a packer does."""
    first = RobertaEmbeddings.create_position_ids_from_input_ids(torch.tensor([[5]]), 1).item()
    says("packed-offset", first, off(ROWS[: 514 - first], ROWS[first:514]))


def test_row_factor():
    says("row-factor", 1 + 0.1 * math.log(2), 1)
