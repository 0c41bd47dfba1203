"""How a chapter is written: its first cell, length, words and code. Each check yields faults, as sentences."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator

from nbformat import NotebookNode

from tools.notebooks import is_folded

OUT_OF_VIEW = {"remove-cell", "remove-input", "hide-input", "hide-cell"}
WORD_COUNT = (1000, 2200)
LOOKED_UP = {"practice/traps": "What do you see?", "practice/errata-code": "Which program?"}
"""Pages that are found by the list at their top, and read by nobody from there: as long as they must be."""
FOLDED_NOTE = r"(?ms)^(:{3,})\{admonition\}[^\n]*\n:class: dropdown$.*?^\1$"
MEDIAN_LINES, MOST_LINES, MOST_COLUMNS = 6, 20, 80
FETCHED = "\n    !python -m bookkit.released_model"  # after what is installed
PLOTTING_SHARE = 0.15
PLOTTING = re.compile(r"\b(plt|fig|ax|axs|axes)\b[.\[]")
NEVER_SAID = {
    "GPT-4": "nobody outside knows what GPT-4 uses",
    r"first (symbolic|formal|machine-checked) proof": "nobody can know that a proof is the first",
    r"TODO|FIXME|XXX|lorem ipsum": "it is not finished",
    r"(?m)\S +:{3,}$": "the end of a box stands on a line of its own",
    r"(?m)^ *% ": "a line that begins with % is a comment: the page leaves it out, and the paragraph ends before it",
}


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]


def shown_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """The code that a reader sees without unfolding anything."""
    return [cell for cell in code_cells(notebook) if not is_out_of_view(cell)]


def folded_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """The code that a reader can unfold."""
    hidden = filter(is_out_of_view, code_cells(notebook))
    return [cell for cell in hidden if "remove-cell" not in cell.metadata.get("tags", [])]


def is_out_of_view(cell: NotebookNode) -> bool:
    return is_folded(cell) or bool(OUT_OF_VIEW & {*cell.metadata.get("tags", [])})


def lines(cell: NotebookNode) -> list[str]:
    return [line for line in cell.source.splitlines() if line.strip()]


def first_line(cell: NotebookNode) -> str:
    return repr(next(iter(cell.source.strip().splitlines()), ""))


def colab_cell(address: str) -> str:
    install = f'%pip install -q "posenc-lib[book] @ git+https://github.com/{address}"'
    return f'import sys\n\nif "google.colab" in sys.modules:\n    {install}'


def uses_a_real_model(notebook: NotebookNode) -> bool:
    return any("bookkit.released_model import" in cell.source for cell in code_cells(notebook))


def address_faults(notebook: NotebookNode, address: str) -> Iterator[str]:
    first = next(iter(code_cells(notebook)), None)
    wanted = colab_cell(address) + (FETCHED if uses_a_real_model(notebook) else "")
    if first is None or first.source.strip() != wanted:
        yield f"the first code cell should be exactly:\n{wanted}"
    elif first.metadata.get("tags") != ["remove-cell"]:
        yield "the first code cell should have the tag remove-cell, since it is of use in Colab only"


def prose(notebook: NotebookNode) -> str:
    """The words of a chapter, without formulas, fences, labels, and the targets of links."""
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    noise = [
        r"(?s)<!--.*?-->",
        r"(?s)\$\$.*?\$\$",
        r"(?s)```\{math\}.*?```",
        r"\$[^$\n]+\$",
        r"(?m)^\s*[:`]{3,}.*$",
        r"(?m)^\s*:[a-z-]+:.*$",
        r"(?m)^\([\w-]+\)=$",
        r"\]\([^)]*\)",
        r"\{[a-z:]+\}`[^`]*`",
        r"<[^>]+>",
    ]
    for pattern in noise:
        text = re.sub(pattern, " ", text)
    return text


def length_faults(notebook: NotebookNode) -> Iterator[str]:
    """Not for drafts: what is being written may be short."""
    told = re.split(r"(?m)^## Exercises$", prose(without_folds(notebook)))[0]  # what is read from top to bottom
    words = len(re.findall(r"\w[\w'’-]*", told))
    if not WORD_COUNT[0] <= words <= WORD_COUNT[1]:
        yield f"a chapter has {WORD_COUNT[0]} to {WORD_COUNT[1]} words; this one has {words}"


def without_folds(notebook: NotebookNode) -> NotebookNode:
    """The notebook with its folded notes left out."""
    cells = [NotebookNode({**cell, "source": re.sub(FOLDED_NOTE, "", cell.source)}) for cell in notebook.cells]
    return NotebookNode({**notebook, "cells": cells})


def code_faults(notebook: NotebookNode) -> Iterator[str]:
    sizes = [len(lines(cell)) for cell in shown_cells(notebook)]
    if sizes and statistics.median(sizes) > MEDIAN_LINES:
        yield f"the median code cell has at most {MEDIAN_LINES} lines; here it has {statistics.median(sizes)}"
    for cell in shown_cells(notebook):
        if len(lines(cell)) > MOST_LINES:
            yield f"a code cell has at most {MOST_LINES} lines; {first_line(cell)} has {len(lines(cell))}"
    yield from width_faults(shown_cells(notebook))
    plotting = sum(bool(PLOTTING.search(line)) for cell in shown_cells(notebook) for line in lines(cell))
    if plotting > PLOTTING_SHARE * sum(sizes):
        yield f"at most {PLOTTING_SHARE:.0%} of the lines of code should draw; {plotting} of {sum(sizes)} do"


def width_faults(cells: list[NotebookNode]) -> Iterator[str]:
    for line in (line for cell in cells for line in lines(cell)):
        if len(line) > MOST_COLUMNS:
            yield f"code has at most {MOST_COLUMNS} columns, which a page shows; {line.strip()[:30]!r} has {len(line)}"


def word_faults(notebook: NotebookNode) -> Iterator[str]:
    for pattern, reason in NEVER_SAID.items():
        for found in re.finditer(pattern, prose(notebook)):
            yield f"the text says {found[0]!r}, and {reason}"
