"""The tables that pages read say what the judges of the protocol say, whatever the records are."""

from __future__ import annotations

import json

import pytest

from bookkit import runs
from experiments import published
from experiments.comparison import hits, judging, pairs, plan, records
from experiments.comparison.contestants import CONTESTANTS
from experiments.comparison.evidence import NotAsPlanned
from experiments.comparison.questions import PAIRS, SHOWN, predictions
from experiments.comparison.readings import CHANGED, SCALED
from experiments.comparison.tasks import TASKS, TIMES
from tests.experiments.conftest import PROBES

CELLS = [(task, reading) for task in TASKS for reading in published.READINGS]


def test_a_page_judges_as_the_protocol_does(both):
    folder, out = both
    for rule in ("learned", "holds"):
        ours = {cell: getattr(runs, rule)(*cell, out) for cell in CELLS}
        assert ours == {cell: getattr(judging, rule)(*cell, folder) for cell in CELLS}
        assert {its.said for its in ours.values()} >= {"yes", "no", "open"}
    assert sum(runs.gone(*cell, out) > 0 for cell in CELLS) > 3


def test_a_page_tests_the_same_pairs(both):
    folder, out = both
    ours, theirs = runs.planned_pairs(out), pairs.verdicts(folder)
    differs = runs.holm({asked: its.p for asked, its in ours.items()})
    assert len(ours) == len(PAIRS) == 24
    for pair, (found, kept, expected) in theirs.items():
        its = ours[pair[:4]]
        assert (its.differences, its.p, differs[pair[:4]]) == (found.differences, found.p, kept)
        assert its.interval == found.interval
        assert (its.better == (pair.expected == "better")) == expected
    assert {kept for _, kept, _ in theirs.values()} == {True, False}


def test_nothing_is_concluded_from_two_codes(both, tmp_path):
    _, out = both
    rows = runs.rows("pairs", out)
    published.write({name: runs.rows(name, out) for name in TASKS} | {"pairs": [rows[0] | {"mixed": "yes"}]}, tmp_path)
    assert [its.p for its in runs.planned_pairs(tmp_path).values()] == [1.0]


@pytest.mark.parametrize("blind", [None, True, False])
def test_a_page_counts_the_same_hits(both, blind):
    folder, out = both
    for tasks in (tuple(TASKS), ("text", "needle")):
        theirs = hits.of_holding(tasks, blind, folder)
        assert runs.hits(tasks, blind, out) == (theirs.right, theirs.falls, theirs.judged, theirs.asked)


def test_what_was_changed_and_by_place_is_there(both):
    folder, out = both
    kept = {(row["task"], row["contestant"], row["what"]) for row in runs.rows("changed", out)}
    for asked in ("text", "needle"):
        assert {what for task, name, what in kept if (task, name) == (asked, "none")} == set(CHANGED["none"])
    assert {what for task, name, what in kept if (task, name) == ("copy", "xpos")} == set(PROBES)
    seeds = [json.loads(its) for its in (folder / "text" / "rotary.jsonl").read_text().splitlines()[3:]]
    written = [{tuple(number[:3]): number[3] for number in seed["numbers"]} for seed in seeds]
    curves = [[its.get(("yarn", f"loss in {i}/32", 8), runs.WORST) for i in range(1, 33)] for its in written]
    assert runs.curve("yarn", out) == curves
    assert len(runs.values("needle", "yarn", "accuracy in quarter 4", out)) == 10


def test_a_page_names_whom_the_protocol_names():
    assert (tuple(TASKS), TIMES, tuple(SCALED)) == (runs.TASKS, runs.TIMES, runs.SCALED)
    assert list(runs.NAMES) == list(published.READINGS)
    assert {task for task, _ in predictions()} == set(runs.TASKS)
    assert {name: runs.NAMES[name].lower() for name in SHOWN} == {k: v.lower() for k, v in SHOWN.items()}
    for name in ("LEARNED", "KEPT", "MORE", "LEVEL"):
        assert getattr(runs, name) == getattr(judging, name)
    assert {seeds: judging.QUANTILE[seeds] for seeds in (5, 10)} == runs.QUANTILE


def planned() -> bool:
    """Whether each planned run has a record."""
    return not plan.all_missing(TASKS, CONTESTANTS, records.FOLDER, False, 1.0)


def test_nothing_is_published_before_all_runs_are_there_and_then_all_is():
    if not planned():
        with pytest.raises(NotAsPlanned, match="missing"):
            published.published()
        assert not runs.FOLDER.exists()
        return
    for name, rows in published.published().items():
        shown = [{k: "" if v is None else str(v) for k, v in row.items()} for row in rows]
        assert runs.rows(name) == shown
