"""What a chapter's notebook holds: the cells of its text, run once from top to bottom, and sound pictures."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator
from xml.etree import ElementTree

import numpy as np
from nbformat import NotebookNode
from PIL import Image

from bookkit.movable.description import MOVABLE
from tools.book.chapter_rules.form import code_cells, first_line, lines
from tools.notebooks import MADE_FROM, SEAL, SOURCE_HIDDEN, fingerprint, is_folded, seal_of

DRAWN, SVG = "image/svg+xml", "http://www.w3.org/2000/svg"
HEAVIEST = 60_000
ADDRESS_IN_MEMORY = re.compile(r"\b0x[0-9a-f]{6,}\b")


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
        if cell.metadata.get("jupyter") != (SOURCE_HIDDEN if is_folded(cell) else None):
            yield f"the cell {first_line(cell)} is folded in JupyterLab and not on the site, or the other way round"


def seal_faults(notebook: NotebookNode) -> Iterator[str]:
    if notebook.metadata.get(SEAL) != seal_of(notebook):
        yield "the notebook was run or saved by hand: make notebooks"


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
        if not (shows or drawings(cell) or pictures(cell) or "figure" in myst):
            continue
        if shows != 1 or lines(cell)[-1].strip() != "plt.show()":
            yield f"the cell {first_line(cell)} should end with its one plt.show()"
        if len(drawings(cell)) != 1 or pictures(cell):
            shown = len(drawings(cell)), len(pictures(cell))
            yield f"the cell {first_line(cell)} should show one drawing; it shows {shown[0]}, and {shown[1]} as pixels"
        for svg in drawings(cell):
            yield from (f"the figure of {first_line(cell)} {fault}" for fault in drawing_faults(svg))
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


def drawing_faults(svg: str) -> Iterator[str]:
    try:
        root = ElementTree.fromstring(svg)
    except ElementTree.ParseError as error:
        yield f"cannot be read: {error}"
        return
    if not root.findall(f".//{{{SVG}}}text"):
        yield "has no words: none on its axes, and none in it"
    if len(svg) > HEAVIEST:
        yield f"has {len(svg)} letters: draw fewer points or cells, so that {HEAVIEST} are enough"


def drawings(cell: NotebookNode) -> list[str]:
    """The SVG outputs of a cell."""
    return [out.data[DRAWN] for out in cell.get("outputs", []) if DRAWN in out.get("data", {})]


def pictures(cell: NotebookNode) -> list[str]:
    """The PNG outputs of a cell, in base64."""
    return [out.data["image/png"] for out in cell.get("outputs", []) if "image/png" in out.get("data", {})]


def pixels(png: str) -> np.ndarray:
    with Image.open(io.BytesIO(base64.b64decode(png, validate=False))) as image:
        return np.asarray(image.convert("RGB"), dtype=float) / 255
