"""The picture of any two readings says and draws what the tables hold, whatever is chosen."""

from __future__ import annotations

import random
from math import isnan
from statistics import mean

import pytest

from bookkit.figures.any_two import any_two
from bookkit.movable.still import points
from bookkit.pages import runs


@pytest.fixture(scope="module")
def shown():
    return any_two()


def chosen(draw: random.Random) -> dict[str, int]:
    return {"t": draw.randrange(4), "a": draw.randrange(30), "b": draw.randrange(30), "l": draw.randrange(4)}


@pytest.mark.parametrize("seed", range(6))
def test_it_says_means_and_who_is_better_in_how_many_seeds(shown, seed):
    at, names = chosen(random.Random(seed)), list(runs.NAMES)
    task = runs.TASKS[at["t"]]
    one, other = (runs.values(task, names[at[who]], 2 ** at["l"]) for who in "ab")
    pairs = list(zip(one, other, strict=False))
    wins = sum(a < b if task == "text" else a > b for a, b in pairs)
    assert list(shown.says(**at).values()) == pytest.approx([mean(one), mean(other), wins, len(pairs)], abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_it_has_a_dot_for_each_seed_and_length_and_none_for_others(shown, seed):
    at, names = chosen(random.Random(seed)), list(runs.NAMES)
    task = runs.TASKS[at["t"]]
    for look, who in (("a", names[at["a"]]), ("b", names[at["b"]])):
        (cloud,) = (mark for mark in shown.marks if (mark.kind, mark.look) == ("dots", look))
        found = [p["y"] for p in points(cloud, shown.values(**at)) if not isnan(p["x"])]
        numbers = [runs.values(task, who, n) for n in runs.TIMES]
        expected = [
            max(0, (5 - its) / 4) if task == "text" else its for seed in zip(*numbers, strict=True) for its in seed
        ]
        assert found == pytest.approx(expected, abs=1e-3)
        assert len(found) == 4 * len(runs.values(task, who, 8))


def test_its_answer_counts_seeds(shown):
    better = {
        n: sum(a < b for a, b in zip(*(runs.values("text", who, n) for who in ("shaw 16", "alibi")), strict=True))
        for n in (1, 8)
    }
    assert f"smaller loss in {better[1]} of 10 seeds, at eight times the length in {better[8]}." in shown.answer
