"""On a phone a wide table becomes cards, one for each row: nobody scrolls sideways through a table.

Each cell gets the heading of its column as `data-label`, which the style sheet shows before it (book.css, `.cards`).
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Any

from bs4 import BeautifulSoup, Tag
from docutils.nodes import document
from sphinx.application import Sphinx

ROOM = 36  # letters that fit beside one another on a phone
LONGEST = 16  # a longer cell breaks into lines


def put(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: document | None) -> None:
    context["body"] = re.sub(r"(?s)<table.*?</table>", lambda found: carded(found[0]), context.get("body", ""))


def carded(html: str) -> str:
    """The table as it was, where it fits a phone.

    >>> carded("<table><thead><tr><th>n</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>")[:7]
    '<table>'
    """
    page = BeautifulSoup(html, "html.parser")
    table = page.table
    heads = [words(head) for head in table.select("thead tr:last-child > *")]
    rows = [row.find_all(["td", "th"], recursive=False) for row in table.select("tbody > tr")]
    if not heads or width([heads, *([words(cell) for cell in row] for row in rows)]) <= ROOM:
        return html
    table["class"] = [*table.get("class", []), "cards"]
    for cell, head in (pair for row in rows for pair in zip(row, heads, strict=False)):
        cell["data-label"] = head
    return str(page)


def width(rows: list[list[str]]) -> int:
    """About how many letters wide it must be."""
    longest = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")]
    return sum(min(length, LONGEST) + 2 for length in longest)


def words(cell: Tag) -> str:
    """Its text; of a formula, the letters that a screen reader gets."""
    return " ".join(cell.get_text().split())


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", put)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
