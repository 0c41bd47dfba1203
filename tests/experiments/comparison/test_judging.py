"""The rules have three answers, and pairs are tested with a correction for all that are asked."""

from __future__ import annotations

import pytest

from experiments.comparison import judging, records
from experiments.comparison.contestants import CONTESTANTS
from experiments.comparison.questions import PAIRS, predictions
from experiments.comparison.readings import SCALED
from experiments.comparison.streams import CHOOSING_SEED
from experiments.comparison.tasks import TASKS


@pytest.mark.parametrize(("spread", "said"), [(0.001, "yes"), (0.05, "open")])
def test_a_winner_by_one_seed_is_open(spread, said):
    values = [0.96 + spread * (i - 4.5) for i in range(10)]
    assert judging.verdict(values, 0.95) == said
    assert judging.verdict([0.984] + [0.945] * 4, 0.95) == "open"  # a rule that one seed of five had decided
    assert judging.verdict([0.9, 0.91, 0.92], 0.95) == "no"


def line(task, seed, *numbers, rate=4e-3, status="trained"):
    about = {"task": task, "contestant": "rotary", "seed": seed, "rate": rate, "share": 1.0, "status": status}
    return about | {"numbers": [["rotary", *number] for number in numbers]}


def written(folder, task, values):
    for seed, (near, far, learning) in enumerate(values):
        learned = "accuracy to judge learning", 1, learning
        records.append(folder, line(task, seed, ("accuracy", 1, near), ("accuracy", 8, far), learned))


def test_rules_read_the_texts_that_are_for_them(tmp_path):
    written(tmp_path, "copy", [(0.5, 0.6, 0.99), (0.5, 0.61, 0.98), (0.5, 0.62, 1.0)])
    records.append(tmp_path, line("copy", CHOOSING_SEED, ("accuracy", 8, 0.0), rate=8e-3))
    assert judging.learned("copy", "rotary", tmp_path) == "yes"  # though the texts of the report are worse
    assert judging.holds("copy", "rotary", "rotary", tmp_path) == "yes"
    written(tmp_path, "words", [(1.0, 0.2, 0.9), (1.0, 0.3, 0.9), (1.0, 0.1, 0.91)])
    assert judging.learned("words", "rotary", tmp_path) == "no"
    assert judging.holds("words", "rotary", "rotary", tmp_path) == "no"


def test_text_is_judged_by_loss_beside_pairs_of_bytes(tmp_path):
    for seed in range(3):
        measured = line(
            "text", seed, ("loss", 1, 1.5), ("loss", 8, 1.58 + seed / 100), ("loss to judge learning", 1, 1.5)
        )
        measured["numbers"].append(["pairs of bytes", "loss to judge learning", 1, 2.3])
        records.append(tmp_path, measured)
    assert judging.learned("text", "rotary", tmp_path) == "yes"
    assert judging.holds("text", "rotary", "rotary", tmp_path) == "open"


def test_a_seed_that_diverged_is_a_no(tmp_path):
    written(tmp_path, "copy", [(1.0, 1.0, 1.0), (1.0, 1.0, 0.99), (1.0, 1.0, 1.0)])
    records.append(tmp_path, line("copy", CHOOSING_SEED, status="diverged at step 7"))
    assert judging.holds("copy", "rotary", "rotary", tmp_path) == "yes"
    records.append(tmp_path, line("copy", 3, status="diverged at step 7"))
    assert {judging.learned("copy", "rotary", tmp_path), judging.holds("copy", "rotary", "rotary", tmp_path)} == {"no"}


def test_holm_stops_at_the_first_that_is_not_kept():
    assert judging.holm({"a": 0.01, "b": 0.02, "c": 0.03, "d": 0.9}) == {"a": True, "b": False, "c": False, "d": False}
    assert all(judging.holm({str(i): 2 / 2**10 for i in range(25)}).values())
    assert not any(judging.holm({str(i): 2 / 2**10 for i in range(26)}).values())


def test_ten_seeds_suffice_for_the_pairs_that_are_asked():
    assert len(PAIRS) <= 25  # the smallest p-value that ten seeds can give is 1/512
    for task, times, one, other in PAIRS:
        assert task in TASKS
        assert times in (1, 2, 4, 8)
        assert all(CONTESTANTS["rotary" if name in SCALED else name].seeds == 10 for name in (one, other))
    assert len(set(PAIRS)) == len(PAIRS)


def test_pairs_are_compared_seed_by_seed():
    found = judging.compared({"far": [0.3 + i / 100 for i in range(10)], "near": [0.1, -0.1] * 5})
    assert found["far"]["p"] == 2 / 2**10
    assert (found["far"]["differs"], found["near"]["differs"]) == (True, False)
    assert found["far"]["interval"][0] < found["far"]["mean"] < found["far"]["interval"][1]
    assert judging.paired({0: 1.0, 1: 2.0, 2: 5.0}, {2: 1.0, 1: 2.0}) == [0.0, 4.0]


def test_everything_is_predicted_with_a_reason():
    found = predictions()
    assert set(found) == {(task, name) for task in TASKS for name in (*CONTESTANTS, *SCALED)}
    for said, learned, why in found.values():
        assert said in ("holds", "falls")
        assert learned in ("yes", "no")
        assert len(why) > 15
