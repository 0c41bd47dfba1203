"""The page of traps is whole: an entry has a symptom, a fix, a test and a lock; the list leads to it, its links on."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest

from posenc_checks.rules import FAULTS
from tests.practice.methods.test_methods import anchors, dead
from tests.practice.traps.page import PAGE, Trap, cells, traps
from tools.chapters import ROOT

TEXT = PAGE.read_text(encoding="utf-8")
ENTRIES = pytest.mark.parametrize("trap", traps().values(), ids=lambda trap: trap.name)


@functools.cache
def functions(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def lock(trap: Trap) -> tuple[Path, str]:
    """The test that the first line of the cell names."""
    file, name = re.fullmatch(r"# locked by (tests/\S+\.py)::(test_\w+)", trap.code.splitlines()[0]).groups()
    return ROOT / file, name


def links(text: str) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", text)


def test_every_heading_and_every_locked_cell_of_the_page_belongs_to_an_entry():
    headings = re.findall(r"(?m)^### (.+)$", TEXT)
    assert headings == [trap.symptom for trap in traps().values()]
    assert len(set(headings)) == len(headings) == TEXT.count("\n# locked by ")


@ENTRIES
def test_an_entry_says_the_cause_the_fix_and_the_test_in_few_words(trap):
    cause, fix, test = re.fullmatch(r"(.+?) \*\*Fix\.\*\* (.+?) \*\*Test\.\*\* (.+)", trap.text).groups()
    said = [len(re.sub(r"\]\([^)]*\)", "", part).split()) for part in (cause, fix, test)]
    assert said[0] >= 12
    assert min(said[1:]) >= 1
    assert sum(said) <= 90


@ENTRIES
def test_every_number_that_the_code_prints_is_in_the_text(trap):
    assert trap.printed
    text = trap.text.replace("−", "-")
    missing = [n for n in trap.printed if not re.search(rf"(?<![\w.,-]){re.escape(n)}(?![\w]|[.,]\d)", text)]
    assert missing == [], "the cell prints these numbers, the text does not have them"


@ENTRIES
def test_the_test_that_locks_it_exists(trap):
    file, name = lock(trap)
    assert name in functions(file)


@ENTRIES
def test_its_number_is_computed_again(trap):
    here = set().union(*map(functions, Path(__file__).parent.glob("test_*.py")))
    assert f"test_{trap.name.replace('-', '_')}" in here


@ENTRIES
def test_it_leads_to_a_page_of_the_book(trap):
    inside = [target for target in links(trap.text) if not target.startswith("https://")]
    assert inside
    assert [why for target in inside if not target.startswith("#") and (why := dead(target))] == []


def test_the_list_leads_to_each_entry_once_and_under_its_group():
    (index,) = re.findall(r"(?ms)^## What do you see\?\n\n(.+?)^```", TEXT)
    listed = [(group, re.findall(r"\(#trap-([a-z0-9-]+)\)", line))
              for group, line in re.findall(r"(?ms)^- \*\*\[(.+?)\]\(#.+?(.+?)(?=^- |\Z)", index)]  # fmt: skip
    groups = [(title, re.findall(r"(?m)^\(trap-([a-z0-9-]+)\)=$", body))
              for title, body in re.findall(r"(?ms)^## (.+?)\n(.+?)(?=^## |\Z)", TEXT)]  # fmt: skip
    assert listed == [(title, names) for title, names in groups if names]
    assert sum(len(names) for _, names in listed) == len(traps())


def test_links_within_the_page_lead_somewhere():
    labels = set(re.findall(r"(?m)^\(([a-z0-9-]+)\)=$", TEXT)) | anchors(PAGE)
    assert {target[1:] for target in links(TEXT) if target.startswith("#")} <= labels


def test_a_checker_s_name_is_a_name():
    named = [re.findall(r"checker: `([^`]*)`", trap.text) for trap in traps().values()]
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for names in named for name in names)
    assert sum(map(len, named)) == " ".join(TEXT.split()).count("checker: ")


def test_the_shapes_of_the_picture():
    """What its alt text and the list below it say, of the curves as they are drawn."""
    (source,) = [cell.source for cell in cells() if "picture" in cell.metadata.get("tags", [])]
    (setup,) = [cell.source for cell in cells() if cell.metadata.get("tags") == ["setup"]]
    import matplotlib.pyplot as plt
    import torch

    names, before = {}, torch.get_default_dtype()
    with torch.random.fork_rng():
        exec(setup + "\n" + source.replace("plt.show()", "plt.close()"), names)
    torch.set_default_dtype(before)
    plt.close("all")
    at = {m: i for i, m in enumerate(names["m"].tolist())}
    layout, base, coarse, switch = (error.tolist() for error in names["largest"].values())
    last = max(m for m in at if m <= 256)
    assert (coarse[at[last]], switch[at[max(m for m in at if m <= 4_096)]]) == (0, 0)
    assert coarse[-1] == pytest.approx(0.95, abs=0.02)
    assert switch[at[min(m for m in at if m > 4_096)]] == pytest.approx(1.4, abs=0.1)
    assert layout[at[1]] == pytest.approx(0.3, abs=0.02)
    assert layout[at[min(m for m in at if m >= 50)]] == pytest.approx(1.2, abs=0.05)
    assert base[at[1]] < 0.02
    assert base[at[min(m for m in at if m >= 150)]] == pytest.approx(1.1, abs=0.02)


def test_the_checker_knows_the_names_that_the_page_gives():
    named = {name for trap in traps().values() for name in re.findall(r"checker: `([^`]+)`", trap.text)}
    assert named
    assert named <= set(FAULTS)
