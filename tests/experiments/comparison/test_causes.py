"""Each cause that is told has one formula and one rule, and its answer follows from the records."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.comparison import causes, evidence
from experiments.comparison.causes import CAUSES
from experiments.comparison.contestants import CONTESTANTS
from experiments.comparison.readings import AS_MANY, CHANGED, CLIPPED, FILLED, HIDDEN, PHASES, PLAIN
from tests.experiments.comparison.support import written

PROTOCOL = Path(causes.__file__).parents[1] / "PROTOCOL.md"
T5_128, T5_32, T5_MORE, ROTARY, ROTARY_14, NONE, NONE_MORE, SHAW, ALIBI, ANGLES, KERPLE, MATCH, HEAD, COUNT = CAUSES


def found(tmp_path, told, far, changed, name=None, near=1.5, learning=None):
    """The answer, where all seeds have nearly these numbers."""
    cause = CAUSES[told]
    name, measure = name or cause.contestants[0], "loss" if cause.task == "text" else "accuracy"
    learning = learning or (1.5 if cause.task == "text" else 1.0)
    seeds = CONTESTANTS[name].seeds
    more = [
        (f"{name}: {what}", measure, times, value) if times else (name, what, 1, value)
        for (what, times), value in changed.items()
    ]
    written(tmp_path, cause.task, name, [(near, far + i / 1000, learning) for i in range(seeds)], more=more)
    return causes.answer(told, name, tmp_path)[0]


CASES = [
    (T5_128, 3.0, {(FILLED, 8): 2.2, (HIDDEN, 8): 1.5}, "supported"),
    (T5_128, 3.0, {(FILLED, 8): 1.5, (HIDDEN, 8): 1.5}, "refuted"),  # the first alone restores
    (T5_128, 3.0, {(FILLED, 8): 2.9, (HIDDEN, 8): 1.5}, "refuted"),  # it takes away too little
    (T5_128, 3.0, {(FILLED, 8): 2.2, (HIDDEN, 8): 1.8}, "refuted"),
    (T5_128, 3.0, {(FILLED, 8): None, (HIDDEN, 8): 1.5}, "open"),  # not finite: this intervention is void
    (T5_128, 1.5, {(FILLED, 8): 1.5, (HIDDEN, 8): 1.5}, "not asked"),  # it holds
    (T5_32, 2.1, {(HIDDEN, 8): 1.55}, "supported"),
    (T5_MORE, 2.1, {(AS_MANY, 8): 1.7}, "supported"),
    (T5_MORE, 2.1, {(AS_MANY, 8): 1.9}, "refuted"),
    (ROTARY, 3.3, {(CLIPPED, 8): 1.8, (PHASES, 8): 1.9}, "supported"),
    (ROTARY, 3.3, {(CLIPPED, 8): 1.8, (PHASES, 8): 2.1}, "refuted"),  # they differ by 0.3
    (ROTARY, 3.3, {(CLIPPED, 8): 2.1, (PHASES, 8): 1.8}, "refuted"),
    (ROTARY, 3.3, {(CLIPPED, 8): 2.6, (PHASES, 8): 2.6}, "refuted"),
    (ROTARY_14, 3.3, {(CLIPPED, 8): 2.6}, "supported"),
    (ROTARY_14, 3.3, {(CLIPPED, 8): 1.6}, "refuted"),
    (NONE, 2.5, {(HIDDEN, 8): 1.7}, "refuted"),
    (NONE_MORE, 2.5, {(AS_MANY, 8): 1.7}, "supported"),
    (SHAW, 1.5, {(HIDDEN, 8): 1.45}, "supported"),
    (SHAW, 1.5, {(HIDDEN, 8): 1.65}, "refuted"),
    (SHAW, 1.5, {(HIDDEN, 8): 1.35}, "refuted"),  # either way
    (SHAW, 2.5, {(HIDDEN, 8): 2.5}, "not asked"),  # it does not hold
]  # fmt: skip


@pytest.mark.parametrize(("told", "far", "changed", "said"), CASES)
def test_causes_in_text(told, far, changed, said, tmp_path):
    assert found(tmp_path, told, far, changed) == said


SHARES = [
    (ALIBI, 0.7, {(CLIPPED, 8): 0.95}, "supported"),
    (ALIBI, 0.7, {(CLIPPED, 8): 0.8}, "refuted"),
    (ALIBI, 0.95, {(CLIPPED, 8): 0.95}, "not asked"),
    (ANGLES, 0.5, {(PLAIN, 1): 0.95, (PLAIN, 8): 0.95}, "supported"),
    (ANGLES, 0.5, {(PLAIN, 1): 0.5, (PLAIN, 8): 0.95}, "refuted"),
    (KERPLE, 0.95, {(CLIPPED, 8): 0.93}, "supported"),
    (KERPLE, 0.95, {(CLIPPED, 8): 0.88}, "refuted"),
]  # fmt: skip


@pytest.mark.parametrize(("told", "far", "changed", "said"), SHARES)
def test_causes_in_the_needle(told, far, changed, said, tmp_path):
    assert found(tmp_path, told, far, changed, near=1.0) == said


@pytest.mark.parametrize("name", causes.COPIERS)
@pytest.mark.parametrize(("matches", "silent", "least", "said"), [
    (0.9, 0.4, 0.8, ("supported", "supported")), (0.7, 0.4, 0.8, ("refuted", "supported")),
    (0.9, 0.4, 0.3, ("supported", "refuted")), (0.9, 0.85, 0.8, ("refuted", "refuted")),
])  # fmt: skip
def test_who_copies_by_matching(name, matches, silent, least, said, tmp_path):
    probe = {causes.MATCHES: matches, causes.COUNTS: 0.1, causes.SILENT: silent, causes.OTHERS: 0.9}
    probe = {(what, 0): value for what, value in (probe | {causes.WORST_OTHER: least}).items()}
    assert found(tmp_path, MATCH, 0.1, probe, name=name, near=1.0) == said[0]
    assert causes.answer(HEAD, name, tmp_path)[0] == said[1]


def test_what_did_not_learn_is_not_asked_for_causes(tmp_path):
    probe = {(causes.MATCHES, 0): 0.1, (causes.COUNTS, 0): 0.9}
    assert found(tmp_path / "a", COUNT, 0.1, probe, near=1.0) == "supported"
    assert found(tmp_path / "b", COUNT, 0.1, probe, near=0.5, learning=0.5) == "not asked"


def test_the_protocol_tells_each_cause_once_in_the_words_of_the_code():
    protocol = PROTOCOL.read_text(encoding="utf-8")
    assert all(protocol.count(f"| {told} |") == 1 for told in CAUSES)
    rows = protocol.split("| Told cause |")[1].split("\n\n")[0].splitlines()[2:]
    assert len(rows) == len(CAUSES)


def test_no_claim_names_a_reading_that_its_contestant_lacks(monkeypatch):
    asked = set()
    monkeypatch.setattr(evidence.Cell, "values", lambda its, *given: asked.add(given[2:]) or [0.0] * 10)
    for cause in CAUSES.values():
        for name in cause.contestants:
            read = causes.Read(evidence.Cell(cause.task, name, []))
            for claim in cause.claims:
                claim(read)
    changed = [reading[0].split(": ") for reading in asked if reading and ": " in reading[0]]
    assert len(changed) == 13
    assert all(what in CHANGED[name] for name, what in changed)
