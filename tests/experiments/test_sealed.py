"""The comparison is sealed: its code, protocol and records are as they were frozen, and its tables follow from them.

Its own tests stand in the history, at the commit that froze it. Whoever changes what is sealed freezes anew, with a
reason: see experiments/comparison/frozen.py.
"""

from __future__ import annotations

import pytest

from bookkit.pages import runs
from experiments import published
from experiments.comparison import frozen, judging, pairs, plan, records
from experiments.comparison.contestants import CONTESTANTS
from experiments.comparison.evidence import NotAsPlanned
from experiments.comparison.questions import PAIRS, SHOWN, predictions
from experiments.comparison.readings import SCALED
from experiments.comparison.tasks import TASKS, TIMES

CELLS = [(task, reading) for task in TASKS for reading in published.READINGS]


def test_nothing_has_changed_since_it_was_frozen_and_no_run_is_missing():
    assert frozen.unfrozen() == ""
    assert plan.all_missing(TASKS, CONTESTANTS, records.FOLDER, False, 1.0) == []


@pytest.mark.parametrize("part", ["PROTOCOL.md", "comparison/judging.py", "comparison/records/text/alibi.jsonl"])
def test_a_changed_letter_breaks_the_seal(part, tmp_path, monkeypatch):
    changed = tmp_path / "changed"
    changed.write_bytes(b"x" + (frozen.ROOT / "experiments" / part).read_bytes())
    read = frozen.Path.read_bytes
    whole = frozen.ROOT / "experiments" / part
    monkeypatch.setattr(frozen.Path, "read_bytes", lambda file: read(changed if file == whole else file))
    for made in (frozen.maker, frozen.judge, frozen.records):
        monkeypatch.setattr(frozen, made.__name__, made.__wrapped__)
    assert "has changed since it was frozen" in frozen.unfrozen()


def test_the_tables_that_pages_read_are_made_of_the_records():
    for name, rows in published.published().items():
        assert runs.rows(name) == [{k: "" if v is None else str(v) for k, v in row.items()} for row in rows]


def test_a_page_judges_as_the_protocol_does():
    for rule in ("learned", "holds"):
        assert {cell: getattr(runs, rule)(*cell) for cell in CELLS} == {
            cell: getattr(judging, rule)(*cell) for cell in CELLS
        }
    assert {runs.holds(*cell).said for cell in CELLS} == {"yes", "no", "open", "not asked"}


def test_a_page_tests_the_same_pairs():
    ours, theirs = runs.planned_pairs(), pairs.verdicts()
    differs = runs.holm({asked: its.p for asked, its in ours.items()})
    assert len(ours) == len(PAIRS) == 24
    for pair, (found, kept, expected) in theirs.items():
        its = ours[pair[:4]]
        assert (its.differences, its.p, its.interval) == (found.differences, found.p, found.interval)
        assert differs[pair[:4]] == kept
        assert (its.sign == pair.expected) == expected


def test_a_page_counts_the_hits_of_the_predictions():
    said = {cell: (its.said == "holds", judging.holds(*cell).said) for cell, its in predictions().items()}
    judged = [(told, found == "yes") for told, found in said.values() if found in ("yes", "no")]
    right, fell = sum(a == b for a, b in judged), sum(not held for _, held in judged)
    assert runs.hits() == (right, fell, len(judged), len(said))
    assert {kind: runs.hits(blind=[kind])[3] for kind in runs.BLIND} == {"yes": 40, "but for a constant": 23, "no": 57}


def test_seeds_that_failed_or_come_of_two_codes_conclude_nothing(tmp_path):
    tables = {name: [dict(row) for row in runs.rows(name)] for name in ("text", "pairs")}
    next(row for row in tables["text"] if row["reading"] == "alibi")["status"] = "diverged at step 3"
    tables["pairs"] = [row | {"mixed": "yes"} for row in tables["pairs"] if row["task"] == "text"]
    published.write(tables, tmp_path)
    assert runs.learned("text", "alibi", tmp_path) == ("no", 9, 10)
    assert runs.row("text", "alibi", tmp_path)["8"].endswith(", 1 failed")
    assert {its.p for its in runs.planned_pairs(tmp_path).values()} == {1.0}


def test_nothing_is_published_by_judges_that_were_changed(monkeypatch):
    monkeypatch.setattr(published, "unfrozen", lambda: "what judges them has changed since it was frozen")
    with pytest.raises(NotAsPlanned, match="what judges them has changed"):
        published.published()


def test_a_page_names_whom_the_protocol_names():
    assert (tuple(TASKS), TIMES, tuple(SCALED)) == (runs.TASKS, runs.TIMES, runs.SCALED)
    assert list(runs.NAMES) == list(published.READINGS)
    assert {name: runs.NAMES[name].lower() for name in SHOWN} == {k: v.lower() for k, v in SHOWN.items()}
    assert [getattr(runs, name) == getattr(judging, name) for name in ("LEARNED", "KEPT", "MORE", "LEVEL")] == [
        True
    ] * 4
    assert {seeds: judging.QUANTILE[seeds] for seeds in (3, 5, 10)} == runs.QUANTILE
