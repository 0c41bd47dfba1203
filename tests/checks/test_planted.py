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
from tools.book import ROOT
from tools.book.verdicts import AFTERWARDS, CHECKS, KINDS

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


def other_verdicts(*kinds: str) -> list[str]:
    """The rows of which the checker says something else, and named faults whose report lacks something."""
    wrong = []
    for each in planted(*kinds):
        report = each.report()
        if (verdict := said(each.row["fault"], report)) != each.row["said"]:
            wrong.append(f"{each.name}: {verdict}, and not {each.row['said']}\n{report.text()}")
        elif verdict == "named":
            wrong += faults_of_a_report(each, report)
        elif verdict == "correct" and report.findings:
            wrong.append(f"{each.name}: something is found\n{report.text()}")
    return wrong


@pytest.mark.parametrize("kind", [*KINDS, AFTERWARDS, *RIGHT])
def test_the_checker_says_what_is_recorded(kind):
    """For what was planted afterwards this is no aim: the checker was not changed for it."""
    assert not (wrong := other_verdicts(kind)), "\n".join(wrong)


def test_what_is_no_bias_is_not_judged_as_one():
    assert not (wrong := other_verdicts("no biases")), "\n".join(wrong)
    taken = "it was taken for a bias, but looks like "
    reports = {each.name: each.report() for each in planted("no biases")}
    assert [name for name, each in reports.items() if each.findings or not each.unknown[0].startswith(taken)] == []


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
