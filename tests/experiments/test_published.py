"""The tables that pages read say what the judges of the protocol say, whatever the records are."""

from __future__ import annotations

import json
import random

import pytest

from bookkit import runs
from experiments import published
from experiments.comparison import hits, judging, pairs, plan, records
from experiments.comparison.contestants import CONTESTANTS
from experiments.comparison.evidence import NotAsPlanned
from experiments.comparison.questions import PAIRS, SHOWN, predictions
from experiments.comparison.readings import CHANGED, SCALED
from experiments.comparison.streams import CHOOSING_SEED
from experiments.comparison.tasks import TASKS, TIMES
from tests.experiments.comparison.support import line

PROBES = ("without that head", "without another head, the mean", "without another head, the least",
          "begun in the middle: matches", "begun in the middle: counts")  # fmt: skip


def drawn(task: str, name: str, draw: random.Random) -> list:
    """Numbers of a run, near the borders of the rules, so that each answer comes up."""
    measure, best = ("loss", 2.2) if task == "text" else ("accuracy", 0.95)
    at_trained = [("pairs of bytes", "loss to judge learning", 1, 2.3)] if task == "text" else []
    at_trained += [(name, f"{measure} to judge learning", 1, best + draw.gauss(0.02, 0.02))]
    found, shift = [], draw.choice((0.0, 0.1, 0.5))
    for reading in (name, *(SCALED if name == "rotary" else ())):
        for times in TIMES if reading == name else TIMES[1:]:
            value = best + (shift if task == "text" else -shift) * (times > 1) + draw.gauss(0, 0.02)
            found.append((reading, measure, times, None if draw.random() < 0.002 else value))
        found += [(reading, part, 8, draw.random()) for part in published.parts(task)]
    found += [(f"{name}: {what}", measure, times, best) for what in CHANGED.get(name, {}) for times in (1, 8)]
    return at_trained + found + [(name, probe, 1, draw.random()) for probe in PROBES if task == "copy"]


def invented(folder, draw: random.Random, gone: float = 0.004) -> None:
    for task in TASKS:
        (folder / task).mkdir()
        for name, contestant in CONTESTANTS.items():
            losses = {rate: abs(rate - 4e-3) for rate in plan.RATES}
            lines = [line(task, name, CHOOSING_SEED, [(name, "loss", 1, loss)], rate) for rate, loss in losses.items()]
            sure = draw.random() < 0.8  # a contestant whose seeds agree
            of_cell = draw.random()
            for seed in range(contestant.seeds):
                own = random.Random(of_cell if sure else draw.random())
                status = "diverged at step 3" if draw.random() < gone else "trained"
                numbers = drawn(task, name, own) if status == "trained" else []
                numbers = [[*its[:3], its[3] and its[3] + draw.gauss(0, 0.003)] for its in numbers]
                lines.append(line(task, name, seed, numbers, status=status) | {"parameters": 7, "ms a step": 1.5})
            text = "".join(json.dumps(its) + "\n" for its in lines)
            (folder / task / f"{name}.jsonl").write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """Records, and the tables that are made of them."""
    folder, out = tmp_path_factory.mktemp("records"), tmp_path_factory.mktemp("tables")
    invented(folder, random.Random(1))
    published.write(published.published(folder), out)
    return folder, out


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
