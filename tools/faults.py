"""What every chapter must hold to. Each check takes a notebook and returns the faults that it finds, as sentences."""

from __future__ import annotations

import base64
import difflib
import io
import json
import re
import statistics
from collections.abc import Iterator

import numpy as np
from nbformat import NotebookNode
from PIL import Image

from bookkit.movable.description import MOVABLE
from tools.chapters import ROOT
from tools.notebooks import FOLDED, MADE_FROM, SOURCE_HIDDEN, fingerprint, read_text

TEMPLATE = ROOT / "tools" / "templates" / "chapter.md"
OUT_OF_VIEW = FOLDED | {"remove-cell", "remove-input", "hide-input", "hide-cell"}
WORD_COUNT = (1000, 2400)
LOOKED_UP = {
    "practice/traps"
}  # found by its list, entry by entry, and read by nobody from the top: as long as it must be
FOLDED_NOTE = r"(?ms)^(:{3,})\{admonition\}[^\n]*\n:class: dropdown$.*?^\1$"
MEDIAN_LINES, MOST_LINES, MOST_COLUMNS = 6, 20, 80
PLOTTING_SHARE = 0.15
PLOTTING = re.compile(r"\b(plt|fig|ax|axs|axes)\b[.\[]")
ADDRESS_IN_MEMORY = re.compile(r"\b0x[0-9a-f]{6,}\b")
NEVER_SAID = {
    "GPT-4": "nobody outside knows what GPT-4 uses",
    r"first (symbolic|formal|machine-checked) proof": "nobody can know that a proof is the first",
    r"TODO|FIXME|XXX|lorem ipsum": "it is not finished",
    r"(?m)\S +:{3,}$": "the end of a box stands on a line of its own",
}
# The edge of a line may differ a little between processors, a line may not: how much a pixel may differ,
# and what share of all pixels may differ by more.
PIXEL_TOLERANCE, PIXEL_SHARE = 1 / 8, 0.001


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]


def shown_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """The code that a reader sees without unfolding anything."""
    return [cell for cell in code_cells(notebook) if not OUT_OF_VIEW & {*cell.metadata.get("tags", [])}]


def folded_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """The code that a reader can unfold."""
    tagged = [(cell, {*cell.metadata.get("tags", [])}) for cell in code_cells(notebook)]
    return [cell for cell, tags in tagged if OUT_OF_VIEW & tags and "remove-cell" not in tags]


def lines(cell: NotebookNode) -> list[str]:
    return [line for line in cell.source.splitlines() if line.strip()]


def first_line(cell: NotebookNode) -> str:
    return repr(next(iter(cell.source.strip().splitlines()), ""))


def pictures(cell: NotebookNode) -> list[str]:
    """The PNG outputs of a cell, in base64."""
    return [out.data["image/png"] for out in cell.get("outputs", []) if "image/png" in out.get("data", {})]


def pixels(png: str) -> np.ndarray:
    with Image.open(io.BytesIO(base64.b64decode(png, validate=False))) as image:
        return np.asarray(image.convert("RGB"), dtype=float) / 255


def colab_cell(address: str) -> str:
    install = f'%pip install -q "posenc-lib[book] @ git+https://github.com/{address}"'
    return f'import sys\n\nif "google.colab" in sys.modules:\n    {install}'


def twin_faults(text: NotebookNode, notebook: NotebookNode) -> Iterator[str]:
    if fingerprint(text) != fingerprint(notebook):
        yield "the text and the notebook differ: make notebooks"
    elif notebook.metadata.get(MADE_FROM) != fingerprint(text):
        yield "the outputs belong to another text: make notebooks"


def metadata_faults(notebook: NotebookNode) -> Iterator[str]:
    for key in set(notebook.metadata) - {"kernelspec", MADE_FROM, "seal"}:
        yield f"the notebook's metadata hold {key!r}, which the text does not keep"
    for cell in notebook.cells:
        for key in set(cell.metadata) - {"tags", "mystnb", "jupyter"}:
            yield f"a cell's metadata hold {key!r}, which the text does not keep"
        if cell.metadata.get("jupyter") != (SOURCE_HIDDEN if FOLDED & {*cell.metadata.get("tags", [])} else None):
            yield f"the cell {first_line(cell)} is folded in JupyterLab and not on the site, or the other way round"


def run_faults(notebook: NotebookNode) -> Iterator[str]:
    """The notebook was run once, from top to bottom, without a complaint, and shows nothing that changes by itself."""
    counts = [cell.execution_count for cell in code_cells(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"the cells were not run once from top to bottom; their counts are {counts}"
    for cell in code_cells(notebook):
        for output in cell.outputs:
            if output.output_type == "error":
                yield f"the cell {first_line(cell)} ended in {output.ename}"
            if output.get("name") == "stderr":
                yield f"the cell {first_line(cell)} wrote a warning: {output.text.strip()[:80]}"
            if ADDRESS_IN_MEMORY.search(
                str(output.get("text", "")) + str(output.get("data", {}).get("text/plain", ""))
            ):
                yield f"the cell {first_line(cell)} shows an address in memory, which is another one in every run"


def figure_faults(notebook: NotebookNode) -> Iterator[str]:
    for cell in code_cells(notebook):
        myst = cell.metadata.get("mystnb", {})
        if movables(cell):
            yield from movable_faults(cell)
            continue
        shows = cell.source.count("plt.show()")
        if not (shows or pictures(cell) or "figure" in myst):
            continue
        if shows != 1 or lines(cell)[-1].strip() != "plt.show()":
            yield f"the cell {first_line(cell)} should end with its one plt.show()"
        if len(pictures(cell)) != 1:
            yield f"the cell {first_line(cell)} should show one figure and shows {len(pictures(cell))}"
        for png in pictures(cell):
            yield from (f"the figure of {first_line(cell)} {fault}" for fault in picture_faults(png))
        if not str(myst.get("image", {}).get("alt", "")).strip():
            yield f"the figure of {first_line(cell)} has no alt text (mystnb: image: alt:)"
        if not str(myst.get("figure", {}).get("caption", "")).strip():
            yield f"the figure of {first_line(cell)} has no caption (mystnb: figure: caption:)"


def movables(cell: NotebookNode) -> list[dict]:
    """The pictures that move, as the records from which the site draws them."""
    return [out.data[MOVABLE] for out in cell.get("outputs", []) if MOVABLE in out.get("data", {})]


def movable_faults(cell: NotebookNode) -> Iterator[str]:
    """A picture that moves brings its own alt text; its still frames stand beside its record."""
    if not len(movables(cell)) == len(pictures(cell)) == 1:
        yield f"the cell {first_line(cell)} should show one moving picture, with still frames, and nothing else"
    for png in pictures(cell):
        yield from (f"the picture of {first_line(cell)} {fault}" for fault in picture_faults(png))
    for name in ("alt", "question", "answer"):
        if not all(record[name].strip() for record in movables(cell)):
            yield f"the picture of {first_line(cell)} has no {name}"
    if not str(cell.metadata.get("mystnb", {}).get("figure", {}).get("caption", "")).strip():
        yield f"the picture of {first_line(cell)} has no caption (mystnb: figure: caption:)"


def picture_faults(png: str) -> Iterator[str]:
    try:
        image = pixels(png)
    except (OSError, ValueError) as error:
        yield f"cannot be decoded: {error}"
        return
    if image.min() == image.max():
        yield "is blank"


def comparable(output: NotebookNode) -> dict:
    """An output without its picture, which is compared by its pixels, and the paths of this machine."""
    plain = {key: value for key, value in output.items() if key != "traceback"}
    if "data" in output:
        plain["data"] = {kind: value for kind, value in output.data.items() if kind != "image/png"}
    return plain


def stale_outputs(stored: NotebookNode, fresh: NotebookNode) -> Iterator[str]:
    """Every output is the stored one: all text to the letter, in its order; pictures pixel by pixel."""
    both = ([cell for cell in side.cells if cell.cell_type == "code"] for side in (stored, fresh))
    for cell, again in zip(*both, strict=True):
        old, new = ([comparable(output) for output in side.outputs] for side in (cell, again))
        if old != new:
            change = list(difflib.ndiff(shown(old), shown(new)))
            different = "\n".join(line for line in change if line[0] in "+-")
            yield f"the cell {first_line(cell)} shows something else when run again: make notebooks ALL=1\n{different}"
        yield from stale_figures(cell, again)


def shown(outputs: list[dict]) -> list[str]:
    return json.dumps(outputs, indent=1, ensure_ascii=False, sort_keys=True).splitlines()


def stale_figures(cell: NotebookNode, again: NotebookNode) -> Iterator[str]:
    if len(pictures(cell)) != len(pictures(again)):
        yield f"the cell {first_line(cell)} shows another number of figures when run again"
        return
    for old, new in zip(map(pixels, pictures(cell)), map(pixels, pictures(again)), strict=True):
        if old.shape != new.shape or (np.abs(old - new).max(-1) > PIXEL_TOLERANCE).mean() > PIXEL_SHARE:
            yield f"the figure of {first_line(cell)} is another one when run again: make notebooks ALL=1"


def address_faults(notebook: NotebookNode, address: str) -> Iterator[str]:
    first = next(iter(code_cells(notebook)), None)
    if first is None or first.source.strip() != colab_cell(address):
        yield f"the first code cell should be exactly:\n{colab_cell(address)}"
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


def template_faults(notebook: NotebookNode) -> Iterator[str]:
    """Lines that `make chapter` laid out to be replaced, and that still stand there. Not for drafts."""
    for line in sorted(told_lines(read_text(TEMPLATE)) & told_lines(notebook)):
        yield f"the page still says {line[:60]!r}, which make chapter laid out"


def told_lines(notebook: NotebookNode) -> set[str]:
    """The longer lines of the prose, and what figures say."""
    prose_lines = [line for cell in notebook.cells if cell.cell_type == "markdown" for line in cell.source.splitlines()]
    myst = [cell.metadata.get("mystnb", {}) for cell in notebook.cells]
    figures = [str(m.get(kind, {}).get(part)) for m in myst for kind, part in (("image", "alt"), ("figure", "caption"))]
    told = {line for line in prose_lines if len(line) > 30 and not line.startswith(":::")}
    return told | {words for words in figures if words != "None"}


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
