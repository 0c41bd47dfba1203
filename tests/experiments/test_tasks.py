"""The four tasks draw what they say, and count the tokens that they say."""

from __future__ import annotations

import pytest
import torch

from bookkit.french_numbers import WORDS, french
from experiments import tasks
from experiments.tasks import TASKS


def drawn(name, count=6, times=1, training=False, seed=0):
    return TASKS[name].draw(count, times, training, torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", TASKS)
def test_tokens_are_in_the_vocabulary_and_something_counts(name, training):
    tokens, counts = drawn(name, training=training)
    assert counts.shape == tokens[:, 1:].shape
    assert counts.any(dim=1).all()
    assert 0 <= tokens.min() <= tokens.max() < TASKS[name].n_tokens


@pytest.mark.parametrize("times", [1, 2, 8])
@pytest.mark.parametrize("name", ["text", "copy", "needle"])
def test_texts_are_so_many_times_as_long_as_in_training(name, times):
    tokens, _ = drawn(name, times=times)
    assert tokens.shape[1] - 1 == times * TASKS[name].trained


@pytest.mark.parametrize("name", TASKS)
def test_no_text_of_training_is_longer_than_the_trained_length(name):
    assert max(drawn(name, training=True, seed=s)[0].shape[1] - 1 for s in range(40)) <= TASKS[name].trained


def test_text_predicts_the_same_bytes_whatever_stands_before_them():
    (short, counts), (long, more) = drawn("text"), drawn("text", times=8)
    assert torch.equal(short, long[:, -65:])
    assert torch.equal(short[:, 1:][counts], long[:, 1:][more])
    assert counts.sum(dim=1).tolist() == [16] * 6


def test_text_is_tested_on_other_files_than_it_is_trained_on():
    train, test = (bytes(tasks.source(part).numpy()) for part in (True, False))
    assert 5 * len(test) < len(train)
    assert test[10_000:10_400] not in train


def test_copy_asks_for_the_same_letters_again():
    tokens, counts = drawn("copy", times=2)
    assert torch.equal(tokens[:, :32], tokens[:, 33:])
    assert set(tokens[:, 32].tolist()) == {tasks.LETTERS}
    assert counts[0].tolist() == [False] * 56 + [True] * 8
    tokens, counts = drawn("copy", training=True)
    assert torch.equal(tokens[:, 1:][counts].view(6, -1), tokens[:, : tokens.shape[1] // 2])


def test_words_asks_for_the_digits_of_the_words():
    tokens, counts = drawn("words")
    for row, asked in zip(tokens, counts, strict=True):
        ends = (row == tasks.SIGN).nonzero().flatten().tolist()
        first, second = row[: ends[0]], row[ends[0] + 1 : ends[1]]
        said = [" ".join(WORDS[i] for i in part.tolist()) for part in (first, second)]
        digits = "".join(str(i - tasks.SIGN - 1) for i in row[ends[1] + 1 : ends[1] + 9].tolist())
        assert said == [" ".join(french(int(part))) for part in (digits[:4], digits[4:])]
        assert asked.nonzero().flatten().tolist() == [ends[1] + 6, ends[1] + 7]  # the last two of eight digits


def test_needle_asks_for_the_value_of_a_key_in_the_quarter_that_it_says():
    tokens, counts = drawn("needle", count=40, times=4)
    assert counts.nonzero()[:, 1].tolist() == [255] * 40
    for i, row in enumerate(tokens):
        pairs = [(place, *divmod(t, tasks.VALUES)) for place, t in enumerate(row[:-2].tolist()) if t < tasks.QUESTION]
        assert len({key for _, key, _ in pairs}) == tasks.NEEDLES == len(pairs)
        key, value = row[-2].item() - tasks.QUESTION, row[-1].item() - tasks.QUESTION - tasks.KEYS
        ((place, found),) = [(place, v) for place, k, v in pairs if k == key]
        assert found == value
        assert 255 * (i % 4) < 4 * (place + 1) <= 255 * (i % 4 + 1) + 4
