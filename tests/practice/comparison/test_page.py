"""What the page says of the runs: from its tables, and the order of the first picture once more, in a short form."""

from __future__ import annotations

from statistics import mean

import pytest

from bookkit.comparison import numbers
from experiments.contestants import RESCALED, TRAINED
from experiments.harness import Run, result

TASKS = ("copy", "text")


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    """A seventh of the training: loss by reading and length."""
    found = {}
    for method in ("alibi", "rotary", "sinusoidal"):
        record = result(Run("text", method, 0, 4e-3, share=0.15), tmp_path_factory.mktemp("runs"))
        found |= {(reading, times): value for times, reading, what, value in record["numbers"] if what == "loss"}
    return found


def loss_far(short, reading):
    return short[reading, 8] - short[reading, 1]


def test_a_short_form_shows_the_order_of_the_picture(short):
    assert loss_far(short, "alibi") < 0.05
    assert 0.1 < loss_far(short, "yarn") < loss_far(short, "rotary") - 0.2


@pytest.mark.parametrize("task", TASKS)
def test_every_contestant_is_in_the_table_with_three_seeds_at_four_lengths(task):
    found = numbers(task)
    assert {*TRAINED, *RESCALED} <= set(found)
    for reading in (*TRAINED, *RESCALED):
        assert {times: len(seeds) for times, seeds in found[reading].items()} == dict.fromkeys((1, 2, 4, 8), 3)


def far(task, reading, times=8):
    return mean(numbers(task)[reading][times].values())
