"""The strangers' code is what it is said to be, and the checker says of it what is recorded."""

from __future__ import annotations

import warnings
from collections import Counter
from math import isnan

import pytest
import torch

from posenc_checks import check_bias, check_bucket, check_rotary, check_table, check_window
from tests.checks.strangers import CASES
from tests.checks.strangers.case import NOTICED, Case
from tests.checks.strangers.proof import distance
from tests.checks.strangers.second import SECOND
from tools.chapters import ROOT

CHECKS = {
    "rotary": check_rotary,
    "table": check_table,
    "bias": check_bias,
    "bucket": check_bucket,
    "window": check_window,
}
SETS = {"first": CASES, "second": SECOND}
in_each_set = pytest.mark.parametrize("cases", SETS.values(), ids=SETS)
of_each_kind = pytest.mark.parametrize("kind", sorted(CHECKS))
VERDICTS = {True: "called correct", False: "noticed", None: "cannot tell"}


@pytest.fixture(autouse=True)
def one_thread():
    """The texts are small: more threads only wait for one another."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what strangers' code warns of is theirs
        yield
    torch.set_num_threads(threads)


def of_kind(cases: list[Case], kind: str) -> list[Case]:
    return [case for case in cases if case.kind == kind]


def said(case: Case) -> tuple[str, str]:
    """What the checker says of a case, and the names of the faults."""
    module = case.load()
    told = dict(case.told) | ({"table": getattr(module, case.table)} if case.table else {})
    report = CHECKS[case.kind](getattr(module, case.target), **told)
    return VERDICTS[report.ok], " ".join(report.faults)


def recorded(case: Case) -> tuple[str, str]:
    verdicts = {"right": "called correct", "accused": "noticed", **dict.fromkeys(NOTICED, "noticed")}
    return verdicts.get(case.grade, case.grade), case.faults


@in_each_set
def test_the_page_has_the_counts(cases):
    page = " ".join((ROOT / "book/practice/check-your-own.md").read_text(encoding="utf-8").split())
    faulty, right = (Counter(case.grade for case in cases if case.right is kind) for kind in (False, True))
    noticed = sum(faulty[grade] for grade in NOTICED)
    assert f"{len(cases)} pieces of code" in page
    assert f"Of the {faulty.total()} the checker notices {noticed}; it names {faulty['named']} rightly" in page
    assert f"{faulty['general']} in general and {faulty['misleading']} misleadingly" in page
    assert f"It cannot tell of {faulty['cannot tell']}, and calls {faulty['called correct']} correct" in page
    accused, unknown = (right[grade] or "none" for grade in ("accused", "cannot tell"))
    assert f"Of the {right.total()} it accuses {accused}, and cannot tell of {unknown}." in page


def test_the_names_are_different():
    names = Counter(case.name for cases in SETS.values() for case in cases)
    assert set(names.values()) == {1}


@pytest.mark.parametrize(("cases", "right", "faulty"), [(CASES, 75, 180), (SECOND, 76, 124)], ids=SETS)
def test_the_set_is_whole(cases, right, faulty):
    assert Counter(case.right for case in cases) == {True: right, False: faulty}
    assert {case.grade for case in cases if not case.right} <= {*NOTICED, "cannot tell", "called correct"}
    assert {case.grade for case in cases if case.right} <= {"right", "accused", "cannot tell"}


@in_each_set
@of_each_kind
def test_right_ones_follow_the_formula_and_faults_do_not(cases, kind):
    for case in of_kind(cases, kind):
        far = distance(case)
        assert far < 3e-3 if case.right else far > 1e-3 or isnan(far), (case.name, far)


@in_each_set
@of_each_kind
def test_the_checker_says_what_is_recorded(cases, kind):
    found = {case.name: said(case) for case in of_kind(cases, kind)}
    assert found == {case.name: recorded(case) for case in of_kind(cases, kind)}
