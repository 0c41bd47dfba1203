"""The page of traps is whole: an entry has a symptom, a fix, a test and a lock, and the list at the top leads to it."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from bookkit.pictures import shapes_of_faults
from posenc_checks.rules import FAULTS
from tests.practice.traps.page import PAGE, Trap, traps
from tools.book import ROOT

TEXT = PAGE.read_text(encoding="utf-8")
LOCK = re.compile(r"# (?:locked|watched|recomputed) by (tests/\S+\.py)::(test_\w+)")


@functools.cache
def functions(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8")) if file.is_file() else ast.Module([], [])
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def form(trap: Trap) -> Iterator[str]:
    """The cause, the fix and the test, in few words; a page of the book to read on."""
    parts = re.fullmatch(r"(.+?) \*\*Fix\.\*\* (.+?) \*\*Test\.\*\* (.+)", trap.text)
    words = [len(re.sub(r"\]\([^)]*\)", "", part).split()) for part in parts.groups()] if parts else []
    if not parts or words[0] < 12 or sum(words) > 90:
        yield f"says the cause, **Fix.** and **Test.** in 12 to 90 words; it has {words}"
    if not re.search(r"\]\((?!https://)[^)\s]+\)", trap.text):
        yield "leads to no page of the book"
    for name in re.findall(r"checker: `?([^`.;)]+)", trap.text):
        if name not in FAULTS:
            yield f"names {name!r}, which is no fault that the checker knows"


def numbers(trap: Trap) -> Iterator[str]:
    text = trap.text.replace("−", "-")
    for printed in trap.printed or ("nothing",):
        if not re.search(rf"(?<![\w.,-]){re.escape(printed)}(?![\w]|[.,]\d)", text):
            yield f"does not say {printed}, which its cell prints"


def lock(trap: Trap) -> Iterator[str]:
    named = LOCK.match(trap.code)
    if not named or named[2] not in functions(ROOT / named[1]):
        yield f"is locked by a test that does not exist: {trap.code.splitlines()[0]}"


@pytest.mark.parametrize("rule", [form, numbers, lock])
def test_each_entry_keeps_the_rule(rule):
    faults = [f"{trap.name} {fault}" for trap in traps().values() for fault in rule(trap)]
    assert not faults, "\n".join(faults)


def test_each_heading_is_that_of_an_entry_and_the_list_leads_to_it_under_its_group():
    assert re.findall(r"(?m)^### (.+)$", TEXT) == [trap.symptom for trap in traps().values()]
    (index,) = re.findall(r"(?ms)^## What do you see\?\n\n(.+?)^```", TEXT)
    listed = [(group, re.findall(r"\(#trap-([a-z0-9-]+)\)", line))
              for group, line in re.findall(r"(?ms)^- \*\*\[(.+?)\]\(#.+?(.+?)(?=^- |\Z)", index)]  # fmt: skip
    groups = [(title, re.findall(r"(?m)^\(trap-([a-z0-9-]+)\)=$", body))
              for title, body in re.findall(r"(?ms)^## (.+?)\n(.+?)(?=^## |\Z)", TEXT)]  # fmt: skip
    assert listed == [(title, names) for title, names in groups if names]


def test_the_shapes_of_the_picture():
    """What its alt text and the list below it say, of the curves as they are drawn."""

    def off(fault: int, doublings: int) -> float:
        (value,) = shapes_of_faults().says(which=fault, e=doublings).values()
        return value

    layout, base, coarse, switch = range(4)
    assert (off(coarse, 8), off(switch, 12)) == (0, 0)
    assert off(coarse, 9) > 0.2
    assert off(coarse, 13) == pytest.approx(0.9, abs=0.05)
    assert off(switch, 13) == pytest.approx(1.5, abs=0.1)
    assert off(layout, 0) == pytest.approx(0.3, abs=0.02)
    assert off(base, 0) < 0.02
    assert off(base, 9) == pytest.approx(1.1, abs=0.1)
