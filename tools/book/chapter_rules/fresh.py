"""Whether a chapter that is run again shows what its notebook holds."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator

import numpy as np
from nbformat import NotebookNode

from tools.book.chapter_rules.form import first_line
from tools.book.chapter_rules.outputs import DRAWN, drawings, pictures, pixels
from tools.book.chapter_rules.same_drawing import same_drawing

# The edge of a line may differ a little between processors, a line may not: how much a pixel may differ,
# and what share of all pixels may differ by more.
PIXEL_TOLERANCE, PIXEL_SHARE = 1 / 8, 0.001


def stale_outputs(stored: NotebookNode, fresh: NotebookNode) -> Iterator[str]:
    """Every output is the stored one: all text to the letter, in its order; drawings and pictures but for a hair."""
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


def comparable(output: NotebookNode) -> dict:
    """An output without its picture, which is compared by its pixels, and the paths of this machine."""
    plain = {key: value for key, value in output.items() if key != "traceback"}
    if "data" in output:
        plain["data"] = {kind: value for kind, value in output.data.items() if kind not in {"image/png", DRAWN}}
    return plain


def stale_figures(cell: NotebookNode, again: NotebookNode) -> Iterator[str]:
    kinds = pictures, drawings
    if [len(kind(cell)) for kind in kinds] != [len(kind(again)) for kind in kinds]:
        yield f"the cell {first_line(cell)} shows another number of figures when run again"
        return
    if not all(map(same_drawing, drawings(cell), drawings(again))):
        yield f"the figure of {first_line(cell)} is another one when run again: make notebooks ALL=1"
    for old, new in zip(map(pixels, pictures(cell)), map(pixels, pictures(again)), strict=True):
        if old.shape != new.shape or (np.abs(old - new).max(-1) > PIXEL_TOLERANCE).mean() > PIXEL_SHARE:
            yield f"the figure of {first_line(cell)} is another one when run again: make notebooks ALL=1"
