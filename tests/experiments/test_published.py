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
from experiments.comparison.streams import CHOOSING_SEED
from experiments.comparison.tasks import TASKS, TIMES
from tests.experiments.comparison.support import line
from tests.experiments.conftest import PROBES

CELLS = [(task, reading) for task in TASKS for reading in published.READINGS]


def judged_alike(folder, out) -> None:
    for rule in ("learned", "holds"):
        ours = {cell: getattr(runs, rule)(*cell, out) for cell in CELLS}
        assert ours == {cell: getattr(judging, rule)(*cell, folder) for cell in CELLS}


def paired_alike(folder, out) -> None:
    ours, theirs = runs.planned_pairs(out), pairs.verdicts(folder)
    differs = runs.holm({asked: its.p for asked, its in ours.items()})
    assert len(ours) == len(PAIRS) == 24
    for pair, (found, kept, expected) in theirs.items():
        its = ours[pair[:4]]
        assert (its.differences, its.p, differs[pair[:4]]) == (found.differences, found.p, kept)
        assert its.interval == found.interval
        assert (its.sign == pair.expected) == expected


def test_a_page_judges_as_the_protocol_does(both):
    judged_alike(*both)
    for rule in (runs.learned, runs.holds):
        assert {rule(*cell, both[1]).said for cell in CELLS} >= {"yes", "no", "open"}
    assert sum(runs.gone(*cell, both[1]) > 0 for cell in CELLS) > 3


def test_a_page_tests_the_same_pairs(both):
    paired_alike(*both)
    assert {kept for _, kept, _ in pairs.verdicts(both[0]).values()} == {True, False}


def test_nothing_is_concluded_from_two_codes(both, tmp_path):
    _, out = both
    rows = runs.rows("pairs", out)
    published.write({name: runs.rows(name, out) for name in TASKS} | {"pairs": [rows[0] | {"mixed": "yes"}]}, tmp_path)
    assert [its.p for its in runs.planned_pairs(tmp_path).values()] == [1.0]


def test_two_that_are_equal_have_no_sign(both, tmp_path):
    """At the ceiling of a task all seeds can be right; the judges then say that nothing is as expected."""
    row = {"status": "trained", "8": 1.0}
    published.write({"needle": [row | {"reading": reading} for reading in ("alibi", "none")] * 10}, tmp_path)
    assert runs.pair("needle", 8, "alibi", "none", tmp_path).sign == "equal"
    assert not any(pairs.as_expected(pair, 0.0) for pair in PAIRS)


KINDS = {None: runs.BLIND, True: runs.BLIND[:2], False: runs.BLIND[2:]}


@pytest.mark.parametrize("blind", KINDS)
def test_a_page_counts_the_same_hits(both, blind):
    folder, out = both
    for tasks in (tuple(TASKS), ("text", "needle")):
        theirs = hits.of_holding(tasks, blind, folder)
        assert runs.hits(tasks, KINDS[blind], out) == (theirs.right, theirs.falls, theirs.judged, theirs.asked)


def test_what_is_blind_but_for_a_constant(both):
    """Of the 63 blind predictions 23 are of models that the first comparison had with another constant."""
    found = {kind: runs.hits(blind=[kind], folder=both[1])[3] for kind in runs.BLIND}
    assert found == {"yes": 40, "but for a constant": 23, "no": 57}
    assert runs.hits(("text", "needle"), ["yes"], both[1])[3] == 20


def test_who_learned_stands_first_and_is_ranked(both):
    _, out = both
    for task in TASKS:
        order = runs.ranked(task, out)
        said = [runs.learned(task, reading, out).said == "yes" for reading in order]
        assert sorted(order) == sorted(runs.NAMES)
        assert said == sorted(said, reverse=True)
        far = [sum(runs.values(task, reading, 8, out)) / len(runs.values(task, reading, 8, out)) for reading in order]
        best = far[: sum(said)]
        assert best == sorted(best, reverse=task != "text")
        rest = [[*runs.NAMES].index(reading) for reading in order[sum(said) :]]
        assert 0 < len(rest) < 30
        assert rest == sorted(rest)


def test_a_row_with_failed_seeds_says_so(both):
    _, out = both
    for cell in CELLS:
        row = runs.row(*cell, out)
        if failed := runs.gone(*cell, out):
            assert row["8"].endswith(f", {failed} failed")
            assert "±" not in "".join(row.values())
        else:
            assert row["8"] == runs.spread(runs.values(*cell, 8, out))
    assert any(runs.gone(*cell, out) for cell in CELLS)


def test_marks_of_rates(tmp_path):
    for rates, last in (({5e-4: 1.0, 1e-3: 2.0, 2e-3: 3.0, 4e-3: 4.0, 8e-3: 5.0}, True),
                        ({2e-3: 2.0, 4e-3: 1.0, 8e-3: 1.01}, False)):  # fmt: skip
        (tmp_path / "text").mkdir(exist_ok=True)
        lines = [line("text", "none", CHOOSING_SEED, [("none", "loss", 1, loss)], rate) for rate, loss in rates.items()]
        (tmp_path / "text/none.jsonl").write_text("".join(json.dumps(its) + "\n" for its in lines))
        assert published.choice("text", "none", tmp_path)["marks"] == ("last allowed" if last else "second near")


def test_nothing_is_published_by_judges_that_were_changed(both, monkeypatch):
    monkeypatch.setattr(published, "unfrozen", lambda: "what judges them has changed since it was frozen")
    with pytest.raises(NotAsPlanned, match="what judges them has changed"):
        published.published(both[0])


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
    assert {seeds: judging.QUANTILE[seeds] for seeds in (3, 5, 10)} == runs.QUANTILE


def planned() -> bool:
    """Whether each planned run has a record."""
    return not plan.all_missing(TASKS, CONTESTANTS, records.FOLDER, False, 1.0)


def test_nothing_is_published_before_all_runs_are_there_and_then_all_is():
    if not planned():
        with pytest.raises(NotAsPlanned, match="missing"):
            published.published()
        assert not runs.FOLDER.exists()
        return
    judged_alike(records.FOLDER, runs.FOLDER)
    paired_alike(records.FOLDER, runs.FOLDER)
    for name, rows in published.published().items():
        shown = [{k: "" if v is None else str(v) for k, v in row.items()} for row in rows]
        assert runs.rows(name) == shown
