"""The page of traps is whole: an entry has a symptom, a fix, a test and a lock; the list leads to it, its links on."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest

from bookkit.pictures import shapes_of_faults
from posenc_checks.rules import FAULTS
from tests.practice.methods.test_methods import anchors, dead
from tests.practice.traps.page import PAGE, Trap, traps
from tools.chapters import ROOT

TEXT = PAGE.read_text(encoding="utf-8")
ENTRIES = pytest.mark.parametrize("trap", traps().values(), ids=lambda trap: trap.name)


@functools.cache
def functions(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def lock(trap: Trap) -> tuple[Path, str]:
    """The test that the first line of the cell names."""
    _, file, name = re.fullmatch(LOCK, trap.code.splitlines()[0]).groups()
    return ROOT / file, name


LOCK = r"# (locked|watched|recomputed) by (tests/\S+\.py)::(test_\w+)"
OTHERS = {"transformers", "timm", "diffusers", "x_transformers"}


def reached(file: Path, name: str) -> set[str]:
    """The packages that a test uses: through what it names in its file, its fixtures, and our own modules of tests."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    imported = {
        (alias.asname or alias.name): (getattr(node, "module", None) or alias.name, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    defined = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    defined |= {
        target.id: node
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    seen, todo = set(), [name]
    while todo:
        if (one := todo.pop()) not in seen and one in defined | imported:
            seen.add(one)
            inner = ast.walk(defined[one]) if one in defined else ()
            todo += [getattr(node, "id", None) or getattr(node, "arg", None) for node in inner]
    packages = set()
    for module, attribute in (imported[one] for one in seen & imported.keys()):
        own = ROOT / f"{module.replace('.', '/')}.py"
        packages |= reached(own, attribute) if module.startswith("tests.") and own.exists() else {module.split(".")[0]}
    return packages


@ENTRIES
def test_a_cell_says_which_kind_of_test_it_names(trap: Trap):
    """Not whose code is right: only whose code is run."""
    kind, file, name = re.fullmatch(LOCK, trap.code.splitlines()[0]).groups()
    packages = reached(ROOT / file, name)
    ours, theirs = "posenc_lib" in packages, bool(packages & OTHERS)
    assert {"locked": ours, "watched": theirs, "recomputed": not ours and not theirs}[kind], packages


def test_a_test_that_runs_nobody_s_code_is_told_from_one_that_does(tmp_path):
    file = tmp_path / "test_made_up.py"
    file.write_text(
        "import math\nfrom posenc_lib import Rotary\nfrom transformers import T5Config\n"
        "A = T5Config()\ndef helper(): return Rotary\ndef fixed(): return A\n"
        "def test_none(): assert math.pi\ndef test_ours(): helper()\ndef test_theirs(fixed): ...\n"
    )
    assert reached(file, "test_none") == {"math"}
    assert reached(file, "test_ours") == {"posenc_lib"}
    assert reached(file, "test_theirs") == {"transformers"}


def links(text: str) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", text)


def test_every_heading_and_every_locked_cell_of_the_page_belongs_to_an_entry():
    headings = re.findall(r"(?m)^### (.+)$", TEXT)
    assert headings == [trap.symptom for trap in traps().values()]
    assert len(set(headings)) == len(headings) == len(re.findall(rf"(?m)^{LOCK}$", TEXT))


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


def test_the_checker_knows_the_names_that_the_page_gives():
    named = {name for trap in traps().values() for name in re.findall(r"checker: `([^`]+)`", trap.text)}
    assert named
    assert named <= set(FAULTS)
