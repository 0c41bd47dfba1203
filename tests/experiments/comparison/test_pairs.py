"""Pairs are tested with a correction for all that are asked, and no seed is dropped from one."""

from __future__ import annotations

import pytest

from experiments.comparison import pairs, records
from experiments.comparison.contestants import CONTESTANTS
from experiments.comparison.evidence import NotAsPlanned, owner
from experiments.comparison.questions import PAIRS, Pair
from experiments.comparison.readings import SCALED
from experiments.comparison.tasks import TASKS
from tests.experiments.comparison.support import line, written

FOX = Pair("text", 8, "fox", "alibi", "better")


def test_holm_stops_at_the_first_that_is_not_kept():
    assert pairs.holm({"a": 0.01, "b": 0.02, "c": 0.03, "d": 0.9}) == {"a": True, "b": False, "c": False, "d": False}
    assert all(pairs.holm({str(i): 2 / 2**10 for i in range(25)}).values())
    assert not any(pairs.holm({str(i): 2 / 2**10 for i in range(26)}).values())


def test_ten_seeds_suffice_for_the_pairs_that_are_asked():
    assert len(PAIRS) <= 25  # the smallest p-value that ten seeds can give is 1/512
    for pair in PAIRS:
        assert pair.task in TASKS
        assert pair.times in (1, 2, 4, 8)
        assert all(CONTESTANTS[owner(name)].seeds == 10 for name in (pair.one, pair.other))
        assert pair.expected in ("better", "worse")
    assert len({pair[:4] for pair in PAIRS}) == len(PAIRS)
    assert Pair("text", 8, "fire 16", "alibi", "better") in PAIRS  # of 512 tokens the threshold is never passed
    assert {name for name in SCALED if any(name == pair.one for pair in PAIRS)} == {"yarn"}


def test_pairs_are_compared_seed_by_seed_and_with_the_expected_sign(tmp_path):
    written(tmp_path, "text", "alibi", [(1.5, 1.5 + i / 10, 1.5) for i in range(10)])
    written(tmp_path, "text", "fox", [(1.5, 1.2 + i / 9, 1.5) for i in range(10)])
    ((its, differs, expected),) = pairs.verdicts(tmp_path, (FOX,)).values()
    assert its.differences == pytest.approx([-0.3 + i / 90 for i in range(10)])
    assert its.interval[0] < its.mean < its.interval[1]
    assert (its.p, differs, expected, its.learned) == (2 / 2**10, True, True, ("yes", "yes"))
    assert not pairs.as_expected(FOX, 0.1)
    assert pairs.as_expected(Pair("copy", 4, "alibi", "shaw 16", "better"), 0.1)


def test_a_seed_that_diverged_stays_in_its_pair_as_the_worst(tmp_path):
    written(tmp_path, "text", "alibi", [(1.5, 1.5, 1.5)] * 10)
    written(tmp_path, "text", "fox", [(1.5, 1.2 + i / 100, 1.5) for i in range(9)])
    records.append(tmp_path, line("text", "fox", 9, status="diverged at step 9"))
    its = pairs.compared(FOX, tmp_path)
    assert (len(its.differences), its.gone, its.interval, its.learned) == (10, 1, None, ("no", "yes"))
    assert its.mean > 0  # nine better ones do not make up for it
    assert its.p > 0.5


def test_numbers_of_two_codes_are_not_compared(tmp_path):
    written(tmp_path, "text", "alibi", [(1.5, 1.5, 1.5)] * 10)
    written(tmp_path, "text", "fox", [(1.5, 1.2, 1.5)] * 10, source="another")
    ((its, differs, _),) = pairs.verdicts(tmp_path, (FOX,)).values()
    assert (its.mixed, its.p, differs) == (True, 1.0, False)


def test_no_pair_is_tested_before_all_its_seeds_are_there(tmp_path):
    written(tmp_path, "text", "alibi", [(1.5, 1.5, 1.5)] * 10)
    written(tmp_path, "text", "fox", [(1.5, 1.2, 1.5)] * 9)
    with pytest.raises(NotAsPlanned, match="fox, seed 9"):
        pairs.verdicts(tmp_path, (FOX,))


def test_one_tie_or_one_seed_of_the_other_sign_does_not_pass(tmp_path):
    for last in (1.5, 1.51):
        folder = tmp_path / str(last)
        written(folder, "text", "alibi", [(1.5, 1.5, 1.5)] * 10)
        written(folder, "text", "fox", [(1.5, 1.2, 1.5)] * 9 + [(1.5, last, 1.5)])
        assert pairs.compared(FOX, folder).p == 4 / 2**10 > 0.05 / len(PAIRS)
