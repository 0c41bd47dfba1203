"""What the page about the checker tells of it, counted in the tables of `tests/corpus/checks`.

The tests run the checker on each row, and want the verdict that stands there.
"""

from __future__ import annotations

import csv
import re
import textwrap
from collections import Counter
from pathlib import Path

from tools.book import ROOT
from tools.book.registers import table

PAGE = Path("book", "practice", "check-your-own.md")
PART = re.compile(r"(<!-- (\w+), by `make lists` -->\n\n).*?(\n\n<!-- end -->)", re.DOTALL)
CORPUS = ROOT / "tests" / "corpus" / "checks"
SETS = ("known", "held_out")
"""Of strangers' code, by authors who had not read the rules, and from memory, after well-known code.

The rules were improved for the kinds of slips that `known` showed; no rule is made for one of its cases alone. (Its
styles mrope, cohere, gemma_p and t5module were written after a first run of the others.) `held_out` was committed
before the checker saw any of it. The rules were changed since for other people's code, and for none of these cases.
"""
NOTICED = ("named", "general", "misleading")
"""How good the name of a noticed fault is: the right one and nothing false beside it, true but general, or false."""
CHECKS = {
    "rotations": "check_rotary",
    "biases": "check_bias",
    "no biases": "check_bias",
    "buckets": "check_bucket",
    "windows": "check_window",
    "indexers": "check_indexer",
    "tables": "check_table",
}
"""The checker's function for each kind of what we planted."""
KINDS = (
    "rotations, wrong",
    "rotations, other settings",
    "rotations, other styles",
    "biases",
    "buckets",
    "windows",
    "indexers",
    "tables",
)
"""Of faults that we planted, with most of which in view the checker was written."""
AFTERWARDS = "rotations, afterwards"
"""Planted when the checker was finished. It was not changed for them."""


def rows(name: str) -> list[dict[str, str]]:
    """A table with a head and a tab between cells, in which quotes are letters like others."""
    with (CORPUS / f"{name}.tsv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True))


def page(root: Path = ROOT) -> str:
    """The page with today's numbers in its three parts."""
    made = {name: strangers(name) for name in SETS} | {"planted": accuracy()}
    text = (root / PAGE).read_text(encoding="utf-8")
    if found := {*made} ^ {part[2] for part in PART.finditer(text)}:
        raise ValueError(f"{PAGE} needs each of these parts once, by `make lists`, and no others: {', '.join(found)}")
    return PART.sub(lambda part: part[1] + made[part[2]] + part[3], text)


def strangers(name: str) -> str:
    """How the checker does with a set of strangers' code, in a paragraph."""
    every = rows(name)
    faulty, right = (Counter(row["said"] for row in every if row["is"] == kind) for kind in ("faulty", "right"))
    tables = [row["said"] for row in every if row["is"] == "faulty" and style(name, row).startswith("# check_table(")]
    noticed, styles = sum(faulty[grade] for grade in NOTICED), {row["case"].partition(".")[0] for row in every}
    text = (
        f"Of {len(every)} pieces of code in {len(styles)} styles, "
        f"{faulty.total()} have one slip each, and {right.total()} are right. Of the {faulty.total()} the checker "
        f"notices {noticed}; it names {faulty['named']} rightly, {faulty['general']} in "
        f"general and {faulty['misleading']} misleadingly. It cannot tell of {faulty['cannot tell']}, and calls "
        f"{faulty['correct']} correct. Of the {right.total()} it accuses {right['accused'] or 'none'}, and cannot tell "
        f"of {right['cannot tell'] or 'none'}. Of the {len(tables)} faulty tables it cannot tell of "
        f"{tables.count('cannot tell') or 'none'}."
    )
    return textwrap.fill(text, 120)


def style(name: str, row: dict[str, str]) -> str:
    return (CORPUS / name / f"{row['case'].partition('.')[0]}.py").read_text(encoding="utf-8")


def accuracy() -> str:
    """How many faults we planted, how many are noticed, and how many get their name and no other, in a table."""
    said = {
        kind: Counter(row["said"] for row in rows("planted") if row["kind"] == kind) for kind in (*KINDS, AFTERWARDS)
    }
    counts = [(kind, each.total(), each["named"] + each["noticed"], each["named"]) for kind, each in said.items()]
    return table(("Kind", "Planted", "Noticed", "Named"), *(tuple(map(str, row)) for row in counts))
