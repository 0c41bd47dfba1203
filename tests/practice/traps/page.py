"""The page of traps, taken apart: its entries, what their cells print, and the vectors that they use.

A new trap gets an entry in book/practice/traps.md, under its symptom. Copy a neighbour whole: its label
`(trap-wave-length)=`, the cause, **Fix**, **Test**, all in at most 90 words, and the cell, which begins with `# locked
by` and a test of the library's own code at that point; or with `# watched by`, where the test runs the other library
that has the fault, and fails when it is mended there; or with `# recomputed by`, where no code that could have the
fault is run: then a function in test_recomputed.py finds the numbers by another road. The cells of the page share
their names: take new ones. What the cell prints stands in the text too. The list at the top of the page gets a link,
at the same place. Another page links to the heading's anchor, `traps.ipynb#words-of-the-heading-in-small-letters`.
"""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
import re
from typing import NamedTuple

import nbformat
import numpy as np

from tools.book import ROOT

PAGE = ROOT / "book" / "practice" / "traps.md"


class Trap(NamedTuple):
    name: str  # without trap-
    symptom: str
    text: str
    code: str
    printed: tuple[str, ...]


@functools.cache
def cells() -> list[nbformat.NotebookNode]:
    return nbformat.read(PAGE.with_suffix(".ipynb"), as_version=4).cells


@functools.cache
def traps() -> dict[str, Trap]:
    """The entries by their names, in the order of the page."""
    found = {}
    for above, cell in itertools.pairwise(cells()):
        entry = re.search(r"\(trap-([a-z0-9-]+)\)=\n### (.+)\n\n((?:.|\n)+)$", above.source)
        if entry and cell.cell_type == "code":
            printed = "".join(output.text for output in cell.outputs).split()
            found[entry[1]] = Trap(entry[1], entry[2], " ".join(entry[3].split()), cell.source, tuple(printed))
    return found


@functools.cache
def given() -> dict[str, np.ndarray]:
    """The random vectors of the page, as its set-up makes them."""
    import torch

    (source,) = [cell.source for cell in cells() if cell.metadata.get("tags") == ["setup"]]
    names: dict = {}
    before = torch.get_default_dtype()
    with torch.random.fork_rng(), contextlib.redirect_stdout(io.StringIO()):
        exec(source, names)  # the cell of our own page
    torch.set_default_dtype(before)
    return {name: names[name].numpy() for name in ("q", "k", "words", "rows")}
