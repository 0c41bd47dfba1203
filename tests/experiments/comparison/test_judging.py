"""The rules have three answers, are asked of who learned, and see all planned seeds or none."""

from __future__ import annotations

from math import inf, log

import pytest

from experiments.comparison import evidence, frozen, hits, judging, records
from experiments.comparison.contestants import CONTESTANTS
from experiments.comparison.evidence import NotAsPlanned
from experiments.comparison.questions import predictions
from experiments.comparison.readings import SCALED
from experiments.comparison.streams import CHOOSING_SEED
from experiments.comparison.tasks import TASKS
from tests.experiments.comparison.support import chosen, line, written


@pytest.mark.parametrize(("spread", "said"), [(0.001, "yes"), (0.05, "open")])
def test_a_winner_by_one_seed_is_open(spread, said):
    values = [0.96 + spread * (i - 4.5) for i in range(10)]
    assert judging.verdict(values, 0.95).said == said
    assert judging.verdict([0.984] + [0.945] * 4, 0.95) == ("open", 1, 5)  # a rule that one seed of five had decided
    assert judging.verdict([0.9, 0.91, 0.92], 0.95) == ("no", 0, 3)


def test_one_seed_of_ten_that_fails_leaves_it_open_and_is_counted():
    assert judging.verdict([0.995] * 9 + [0.16], 0.95) == ("open", 9, 10)
    assert judging.verdict([0.995] * 10, 0.95) == ("yes", 10, 10)
    assert [round(judging.failing(seeds), 3) for seeds in (10, 5)] == [0.259, 0.451]


def test_who_stays_at_chance_is_not_asked_whether_it_holds(tmp_path):
    written(tmp_path, "words", "alibi", [(0.10, 0.10, 0.10 + i / 1000) for i in range(10)])
    assert judging.learned("words", "alibi", tmp_path).said == "no"
    assert judging.holds("words", "alibi", tmp_path).said == "not asked"


def test_rules_read_the_texts_that_are_for_them(tmp_path):
    written(tmp_path, "copy", "t5 64", [(0.5, 0.6 + i / 100, 0.99) for i in range(5)])
    assert judging.learned("copy", "t5 64", tmp_path).said == "yes"  # though the texts of the report are worse
    assert judging.holds("copy", "t5 64", tmp_path) == ("yes", 5, 5)
    written(tmp_path, "words", "t5 64", [(1.0, 0.2 + i / 100, 0.99) for i in range(5)])
    assert judging.holds("words", "t5 64", tmp_path) == ("no", 0, 5)


def test_text_is_judged_by_loss_beside_pairs_of_bytes(tmp_path):
    written(tmp_path, "text", "t5 64", [(1.5, 1.57 + i / 60, 1.5) for i in range(5)])
    assert judging.learned("text", "t5 64", tmp_path).said == "yes"
    assert judging.holds("text", "t5 64", tmp_path).said == "open"


def test_other_frequencies_are_rotary_s(tmp_path):
    more = [("yarn", "accuracy", 8, 0.95)]
    written(tmp_path, "needle", "rotary", [(1.0, 0.5, 1.0)] * 10, more=more)
    assert judging.learned("needle", "yarn", tmp_path).said == "yes"
    assert [judging.holds("needle", name, tmp_path).said for name in ("rotary", "yarn")] == ["no", "yes"]


def test_a_seed_that_diverged_or_failed_is_a_no_and_all_rates_diverged_too(tmp_path):
    written(tmp_path, "copy", "t5 64", [(1.0, 1.0, 1.0)] * 4)
    records.append(tmp_path, line("copy", "t5 64", 4, status="failed: KeyError: 'x'"))
    assert judging.learned("copy", "t5 64", tmp_path) == ("no", 4, 5)
    assert judging.holds("copy", "t5 64", tmp_path).said == "not asked"
    for rate in (5e-4, 1e-3, 2e-3, 4e-3, 8e-3):
        records.append(tmp_path, line("needle", "t5 64", CHOOSING_SEED, rate=rate, status="diverged at step 7"))
    assert judging.learned("needle", "t5 64", tmp_path) == ("no", 0, 5)


def test_a_number_that_is_not_finite_takes_no_other_with_it(tmp_path):
    void = [("t5 64: far keys hidden", "loss", 8, None)]
    written(tmp_path, "text", "t5 64", [(1.5, None, 1.5)] * 5, more=void)
    its = evidence.cell("text", "t5 64", tmp_path)
    assert its.gone == 0
    assert its.values("loss", 8) == [log(256) + 10] * 5
    assert its.values("loss", 8, "t5 64: far keys hidden") == [None] * 5
    assert judging.holds("text", "t5 64", tmp_path).said == "no"
    with pytest.raises(KeyError):
        its.values("loss", 8, "t5 64: far keys hiden")
    assert judging.verdict([inf, 1.0]).said == "open"


GOOD = [(1.0, 1.0, 1.0)] * 5
UNPLANNED = {
    "a seed is missing": lambda folder: written(folder, "copy", "t5 64", GOOD[:4]),
    "seed 5 of five": lambda folder: written(folder, "copy", "t5 64", [*GOOD, GOOD[0]]),
    "another rate": lambda folder: (
        written(folder, "copy", "t5 64", GOOD), records.append(folder, line("copy", "t5 64", 0, rate=2e-3))),
    "a share of the steps": lambda folder: (
        written(folder, "copy", "t5 64", GOOD), records.append(folder, line("copy", "t5 64", 0, share=0.5))),
    "a rate that is not allowed": lambda folder: (
        written(folder, "copy", "t5 64", GOOD),
        records.append(folder, line("copy", "t5 64", CHOOSING_SEED, rate=3e-3))),
    "a run twice": lambda folder: (
        written(folder, "copy", "t5 64", GOOD), records.append(folder, line("copy", "t5 64", 0))),
    "no rate is chosen": lambda folder: records.append(folder, line("copy", "t5 64", CHOOSING_SEED)),
    "nothing at all": lambda folder: None,
}  # fmt: skip


@pytest.mark.parametrize("case", UNPLANNED)
def test_what_is_not_as_planned_is_not_judged(case, tmp_path):
    UNPLANNED[case](tmp_path)
    with pytest.raises(NotAsPlanned):
        judging.learned("copy", "t5 64", tmp_path)


def test_numbers_by_a_code_that_was_never_frozen_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "FOLDER", tmp_path)
    monkeypatch.setattr(frozen, "LIST", tmp_path / "frozen.txt")
    chosen(tmp_path, "copy", "t5 64")
    with pytest.raises(NotAsPlanned, match=r"never frozen: \{'one'\}"):
        judging.learned("copy", "t5 64", tmp_path)
    monkeypatch.setattr(frozen, "frozen", lambda: [["2026-11-26", "abc", "def", "the first version"]])
    written(tmp_path, "words", "t5 64", GOOD, source="maker abc, torch 2", choose=False)
    assert len(evidence.counted("words", "t5 64", tmp_path)) == 5


def test_a_run_that_failed_by_another_code_may_be_there_before_its_repetition(tmp_path):
    chosen(tmp_path, "copy", "t5 64")
    records.append(tmp_path, line("copy", "t5 64", 0, status="failed: KeyError: 'x'") | {"source": "older"})
    written(tmp_path, "copy", "t5 64", GOOD, choose=False)
    assert judging.learned("copy", "t5 64", tmp_path) == ("yes", 5, 5)


def test_everything_is_predicted_with_a_reason_and_what_was_known_is_not_blind():
    found = predictions()
    assert set(found) == {(task, name) for task in TASKS for name in (*CONTESTANTS, *SCALED)}
    for its in found.values():
        assert its.said in ("holds", "falls")
        assert its.learned in ("yes", "no")
        assert len(its.why) > 15
    seen = {name for _, name in found if not any(found[task, name].blind for task in TASKS)}
    assert len(seen) == 14
    assert not found["text", "t5 64"].blind
    assert not any(found[cell].blind for cell in [("needle", "none"), ("copy", "none"), ("words", "random positions")])
    assert sum(its.blind for its in found.values()) == len(found) - 4 * 14 - 1


def test_hits_are_counted_apart_and_beside_those_of_a_rule_that_says_falls(monkeypatch):
    said = {("text", "alibi"): "yes", ("needle", "none"): "no", ("needle", "path"): "open", ("copy", "path"): "no"}
    monkeypatch.setattr(hits, "holds", lambda *cell: judging.Answer(said.get(cell[:2], "not asked")))
    assert hits.of_holding(("text", "needle")) == hits.Hits(right=1, falls=1, judged=2, asked=60)
    assert hits.of_holding(("copy", "words"), blind=True) == hits.Hits(right=1, falls=1, judged=1, asked=32)
    monkeypatch.setattr(hits, "learned", lambda *cell: judging.Answer("yes"))
    assert hits.of_learning() == hits.Hits(right=103, falls=0, judged=104, asked=104)
