"""Tables that pages read, and how a page shows them. Each is made by a command, and says so where it is shown.

`cost` is made by `make bench TABLE=cost SAVE=1`, `biases` by `make bench TABLE=biases SAVE=1`. They lie here and not
beside the pages, so that they are installed with this package and the pages also run in Colab.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
BOX = "max-height: 30rem; overflow: auto"
MOST = 12
"""So many rows are shown where there is no browser."""


def read(name: str) -> list[dict[str, str]]:
    """The rows of a table, each with its column names.

    >>> read("cost")[0]["method"]
    'none'
    """
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@dataclass(frozen=True)
class Table:
    """Rows in a box that scrolls; on the site a click on a column's name sorts by it.

    `columns` gives the heading of each column that is shown. The first column names the row.

    >>> Table([{"a": "1", "b": "x"}], {"b": "Letter", "a": "Number"}, "Two columns")
    Letter  Number
    x       1
    """

    rows: Iterable[Mapping[str, object]]
    columns: Mapping[str, str]
    caption: str

    def cells(self) -> list[list[str]]:
        return [[f"{row.get(name, '')}" for name in self.columns] for row in self.rows]

    def __repr__(self) -> str:
        cells = self.cells()
        lines = [list(self.columns.values()), *cells[:MOST]]
        widths = [max(map(len, column)) + 2 for column in zip(*lines, strict=True)]
        more = [f"and {len(cells) - MOST} more rows"] * (len(cells) > MOST)
        return "\n".join(["".join(map(str.ljust, line, widths)).rstrip() for line in lines] + more)

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col">{escape(title)}</th>' for title in self.columns.values())
        body = "\n".join(
            f'<tr><th scope="row">{escape(first)}</th>' + "".join(f"<td>{escape(cell)}</td>" for cell in rest) + "</tr>"
            for first, *rest in self.cells()
        )
        label, caption = escape(f"{self.caption}, scrolls", quote=True), escape(self.caption)
        return (
            f'<div class="sortable" role="region" aria-label="{label}" tabindex="0" style="{BOX}">\n'
            f"<table>\n<caption>{caption}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n</div>"
        )
