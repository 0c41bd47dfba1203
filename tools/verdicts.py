"""What the page about the checker tells of it, counted in the tables of `tests/corpus/checks`.

The tests run the checker on each row, and want the verdict that stands there.
"""

from __future__ import annotations

import csv

from tools.chapters import ROOT

CORPUS = ROOT / "tests" / "corpus" / "checks"
SETS = ("known", "held_out")
"""Of strangers' code. The rules of the checker were improved for the first set, and have not seen the second."""
NOTICED = ("named", "general", "misleading")
"""How good the name of a noticed fault is: the right one and nothing false beside it, true but general, or false."""
CHECKS = {
    "rotations": "check_rotary",
    "biases": "check_bias",
    "no biases": "check_bias",
    "buckets": "check_bucket",
    "windows": "check_window",
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
    "tables",
)
"""Of faults that we planted, with most of which in view the checker was written."""
AFTERWARDS = "rotations, afterwards"
"""Planted when the checker was finished. It was not changed for them."""


def rows(name: str) -> list[dict[str, str]]:
    """A table with a head and a tab between cells, in which quotes are letters like others."""
    with (CORPUS / f"{name}.tsv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True))
