"""The accuracy of the checker: each planted fault gets the verdict of its row, and no right variant is accused."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import posenc_checks
from posenc_checks import Report, check_rotary
from posenc_checks.rules import FAULTS
from tests.checks.corpus import Planted, planted
from tests.checks.variants import variant
from tests.corpus.checks.planted.pieces import rope
from tools.chapters import ROOT
from tools.verdicts import AFTERWARDS, CHECKS, KINDS

PATHS = [*ROOT.glob("book/*/*.md")]
RIGHT = [f"{kind}, right" for kind in CHECKS if kind != "no biases"]


def said(fault: str, report: Report) -> str:
    """Named if the report has this fault and no other; a trap may have another beside it."""
    found = [each.fault for each in report.findings]
    if report.faults == [fault] or (not report.faults and fault in found):
        return "named"
    return {True: "correct", False: "noticed", None: "cannot tell"}[report.ok]


def faults_of_a_report(planted: Planted, report: Report) -> list[str]:
    """What a report of a named fault lacks."""
    fault = FAULTS[planted.row["fault"]]
    findings = [each for each in report.findings if each.fault == planted.row["fault"]]
    kept = {
        "a verdict of its level": report.ok is (fault.level == "trap"),
        "nothing unknown": report.unknown == [],
        "one finding": len(findings) == 1,
        "a number as evidence": all(re.search(r"\d|layout: |all zeros", each.evidence) for each in findings),
        "a smallest example": all(each.smallest for each in findings),
        "its sentence": fault.says in " ".join(report.text().split()),
    }
    return [f"{planted.name}: not {what}" for what, held in kept.items() if not held]


@pytest.mark.parametrize("kind", KINDS)
def test_a_planted_fault_is_noticed_and_named(kind):
    reports = {each: each.report() for each in planted(kind)}
    verdicts = {each.name: said(each.row["fault"], report) for each, report in reports.items()}
    assert verdicts == {each.name: each.row["said"] for each in reports}
    assert [lack for each, report in reports.items() for lack in faults_of_a_report(each, report)] == []


def test_what_was_planted_afterwards_is_reported_as_it_came_out():
    """No aim: the checker was not changed for these."""
    found = {each.name: said(each.row["fault"], each.report()) for each in planted(AFTERWARDS)}
    assert found == {each.name: each.row["said"] for each in planted(AFTERWARDS)}


@pytest.mark.parametrize("kind", RIGHT)
def test_what_stands_beside_a_fault_is_right(kind):
    reports = {each.name: each.report() for each in planted(kind)}
    assert {name: report.text() for name, report in reports.items() if not report.ok or report.findings} == {}


def test_what_is_no_bias_is_not_judged_as_one():
    reports = {each.name: each.report() for each in planted("no biases")}
    taken = "it was taken for a bias, but looks like "
    judged = {
        name: report.text()
        for name, report in reports.items()
        if report.ok is not None or report.findings or not report.unknown[0].startswith(taken)
    }
    assert judged == {}


def test_a_name_with_another_beside_it_does_not_count():
    report = check_rotary(rope, layout="interleaved", base=500_000.0)
    assert report.faults == ["layout", "base"]
    assert said("layout", report) == "noticed"


def test_each_fault_is_planted_and_none_twice():
    every = planted(*KINDS)
    assert [name for name, times in Counter(each.name for each in every).items() if times > 1] == []
    traps = {name for name, fault in FAULTS.items() if fault.level == "trap"}
    not_planted = {*FAULTS} - {each.row["fault"] for each in every} - traps
    assert not_planted == {"differ", "offset-wrong", "pairing"}  # these have tests of their own


@pytest.mark.parametrize("start", range(0, 500, 100))
def test_no_right_variant_is_accused(start, as_in_use):
    drawn = ((seed, *variant(seed)) for seed in range(start, start + 100))
    assert [seed for seed, function, told in drawn if not check_rotary(function, **told).ok] == []


def test_every_entry_leads_to_a_page_and_to_a_claim_of_the_book():
    labels = {label for path in PATHS for label in re.findall(r"^:label: (\S+)$", path.read_text(), re.M)}
    for name, fault in FAULTS.items():
        assert (ROOT / "book" / f"{fault.page}.md").is_file(), name
        assert not fault.claim or fault.claim in labels, name
        assert not fault.thread or re.fullmatch(r"https://github\.com/[\w-]+/[\w.-]+/(issues|pull)/\d+", fault.thread)


def test_every_property_is_a_claim_of_the_book():
    labels = {label for path in PATHS for label in re.findall(r"^:label: (\S+)$", path.read_text(), re.M)}
    code = "".join(path.read_text() for path in Path(posenc_checks.__file__).parent.rglob("*.py"))
    rooms = "|".join({label.split(".")[0] for label in labels})
    claims = {*re.findall(rf"(?<!\w)[\"\[]((?:{rooms})\.[a-z-]+)[\"\]]", code)}
    assert len(claims) > 20
    assert claims <= labels
