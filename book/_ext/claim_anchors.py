"""Gives each proof on a chapter's page an anchor, so that the ledger links to the very place."""

from __future__ import annotations

import json
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx


def anchors(app: Sphinx, document: nodes.document) -> None:
    file = Path(app.env.doc2path(app.env.docname))
    if file.suffix != ".ipynb":
        return
    from tools.book import ledger  # only where there is a notebook: the build of a small book needs no tools

    proofs, seen = ledger.by_cell(json.loads(file.read_text(encoding="utf-8")), ledger.CLAIM), dict[str, int]()
    cells = {cell.get("cell_index"): cell for cell in document.findall(nodes.container)}
    for index, records in proofs.items():
        for claim in (record["claim"] for record in records):
            name = ledger.anchor(claim, seen.setdefault(claim, 0))
            seen[claim] += 1
            mark(app, cells[index], name)


def mark(app: Sphinx, cell: nodes.container, name: str) -> None:
    cell["ids"].append(name)
    # Without this entry MyST would take a link to the anchor for a dead one.
    app.env.metadata[app.env.docname].setdefault("myst_slugs", {})[name] = (cell.line or 0, name, name)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", anchors)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
