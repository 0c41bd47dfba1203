"""What the page says of the runs: its design from the protocol, its numbers from the tables."""

from __future__ import annotations

import re

import jupytext
import pytest

from bookkit import runs
from experiments.comparison.contestants import CONTESTANTS, D_MODEL, HEADLINE, HEADS, LAYERS, VARIANT
from experiments.comparison.judging import failing
from experiments.comparison.questions import PAIRS, SHOWN, predictions
from experiments.comparison.tasks import JUDGED, LENGTH, TASKS
from posenc_lib.relative import t5_edges
from tools.chapters import ROOT

PAGE = ROOT / "book" / "practice" / "comparison.md"
TEXT = " ".join(PAGE.read_text(encoding="utf-8").split())
PROTOCOL = (ROOT / "experiments" / "PROTOCOL.md").read_text(encoding="utf-8")


def outputs() -> str:
    cells = jupytext.read(PAGE.with_suffix(".ipynb")).cells
    shown = [out for cell in cells if cell.cell_type == "code" for out in cell.outputs]
    return "\n".join(out.get("text") or out.get("data", {}).get("text/plain", "") for out in shown)


def html() -> str:
    cells = jupytext.read(PAGE.with_suffix(".ipynb")).cells
    shown = [out for cell in cells if cell.cell_type == "code" for out in cell.outputs]
    return "\n".join(out.get("data", {}).get("text/html", "") for out in shown)


# --- The design -------------------------------------------------------------------------------------------------------


def test_the_models_and_tasks_are_those_of_the_protocol():
    assert f"four layers of {D_MODEL} features in {HEADS} heads" in TEXT
    assert (LAYERS, LENGTH, JUDGED) == (4, 64, 2048)
    assert f"at least {JUDGED:,} judged tokens" in TEXT
    assert f"({max(task.trained for task in TASKS.values())} tokens at most)" in TEXT


def test_how_many_take_part():
    seeds = [its.seeds for its in CONTESTANTS.values()]
    assert (len(seeds), seeds.count(HEADLINE), seeds.count(VARIANT)) == (26, 19, 7)
    assert "Twenty-six models are trained: nineteen with ten seeds, and with five those six that differ" in TEXT
    assert (len(runs.NAMES), len(PAIRS), len(predictions())) == (30, 24, 120)
    assert "Thirty readings make 435 pairs in each task" in TEXT
    assert 30 * 29 // 2 == 435


def test_what_ten_and_five_good_seeds_leave_open():
    assert "up to 26 %, five of five up to 45 %" in TEXT
    assert [round(100 * failing(seeds)) for seeds in (10, 5)] == [26, 45]


def test_each_departure_from_a_paper_is_told():
    assert set(SHOWN) == {"fox", "path", "cope"}
    for name in ("*FoX*", "*PaTH*", "*CoPE*", "*FIRE 16*"):
        assert name in TEXT


def test_each_later_change_of_the_protocol_stands_on_the_page():
    last = PROTOCOL.split("## Changes after the first run")[1]
    dates = re.findall(r"\d{4}-\d\d-\d\d", last)
    assert [date for date in dates if date not in TEXT] == []


# --- The numbers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", runs.TASKS)
def test_a_table_has_each_reading_with_what_the_rules_say(task):
    shown = html()
    for reading in runs.NAMES:
        cells = list(runs.row(task, reading).values())
        assert f'<th scope="row">{cells[0]}</th>' + "".join(f"<td>{cell}</td>" for cell in cells[1:]) in shown


def test_all_pairs_and_causes_are_shown_whole():
    shown = html()
    for task, times, one, other, _ in PAIRS:
        assert f"<td>{runs.NAMES[one]} − {runs.NAMES[other]}</td>" in shown
        assert f'<th scope="row">{task}, {times} ×</th>' in shown
    found = runs.planned_pairs()
    differs = runs.holm({asked: its.p for asked, its in found.items()})
    for asked, its in found.items():
        said = "differs" if differs[asked] else "not shown"
        assert f"<td>{its.p:.4f}</td><td>{said}</td>" in shown
    answers = runs.rows("causes")
    assert len(answers) == 19
    for row in answers:
        held = runs.holds(row["task"], row["contestant"])
        claims = row["claims"].replace(" ", ", ").replace(":", " ")
        about = (runs.NAMES[row["contestant"]], held, row["answer"], claims)
        assert "".join(f"<td>{told}</td>" for told in about) in shown


def test_hits_are_shown_beside_those_of_falls():
    for tasks in (("text", "needle"), runs.TASKS):
        for blind in (runs.BLIND, runs.BLIND[:2], runs.BLIND[:1]):
            right, falls, judged, asked = runs.hits(tasks, blind)
            assert f"{judged} of {asked} judged: {right} right; 'falls': {falls}" in outputs()


def test_each_wrong_prediction_is_shown_with_its_reason():
    shown = html()
    for row in runs.rows("predictions"):
        found = runs.holds(row["task"], row["reading"])
        wrong = (row["said"], found.said) in {("holds", "no"), ("falls", "yes")}
        about = f"<td>{runs.NAMES[row['reading']]}</td><td>{row['said']}</td><td>{found}</td>"
        assert (f'<th scope="row">{row["task"]}</th>{about}' in shown) == wrong


def test_which_buckets_no_training_reached():
    edges = {reach: t5_edges(32, reach, bidirectional=False).tolist() for reach in (32, 64, 128)}
    unseen = {reach: [edge for edge in found if edge > 63] for reach, found in edges.items()}
    assert {reach: len(found) for reach, found in unseen.items()} == {32: 0, 64: 0, 128: 5}


def test_how_many_seeds_a_pair_needs():
    assert next(n for n in range(1, 13) if 2 / 2**n <= 0.05 / len(PAIRS)) == 10
    assert "is below that from $n = 10$ on" in TEXT
