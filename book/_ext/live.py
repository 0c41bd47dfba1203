"""Derivations that run in the page: each is marked, and its page gets a script that loads nothing before a click.

What runs them is fetched by tools/live.py. Where it could not be fetched, pages stay as they are.
"""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from folds import is_cell
from formulas import mathjax
from sphinx.application import Sphinx

from tools import live
from tools.book import claims

TYPESETTER = "tex-svg-full.js"  # sets the formulas of an answer: those of the page were set in the build
PACKED = (".zip", ".txt")


def mark(app: Sphinx, doctree: nodes.document) -> None:
    """The code of each derivation, by its number on the page: it keeps its class wherever it is folded."""
    cells = [cell for cell in doctree.findall(is_cell) if "tag_derivation" in cell["classes"]]
    for number, cell in enumerate(cells):
        cell[0]["classes"].append(f"live-{number}")
    if cells:
        app.env.metadata[app.env.docname]["derivations"] = [cell[0].astext() for cell in cells]


def breaks(page: str, sources: list[str]) -> list[list[dict[str, str]]]:
    """For each cell the errors that the tests plant in it."""
    found = [{"name": m.name, "right": m.right, "wrong": m.wrong} for m in claims.mutants(page)]
    return [[one for one in found if one["right"] in source] for source in sources]


def assets(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    if app.env.metadata.get(page, {}).get("derivations"):
        app.add_css_file("live.css")
        app.add_js_file("live.js", loading_method="defer", **{"data-megabytes": megabytes(app)})


def megabytes(app: Sphinx) -> str:
    """How much a click loads, as a server sends it."""
    if not hasattr(app, "live_bytes"):
        files = [*live.kept(Path(app.srcdir)).iterdir(), mathjax() / TYPESETTER]
        sizes = [len(f.read_bytes() if f.suffix in PACKED else gzip.compress(f.read_bytes(), 6)) for f in files]
        app.live_bytes = sum(sizes)
    return f"{app.live_bytes / 1e6:.0f}"


def put(app: Sphinx, exception: Exception | None) -> None:
    pages = {page: about["derivations"] for page, about in app.env.metadata.items() if "derivations" in about}
    if exception or app.builder.format != "html" or not pages:
        return
    root, folder = Path(app.srcdir), Path(app.outdir) / "_static" / "live"
    shutil.copytree(live.kept(root), folder, dirs_exist_ok=True)
    shutil.copyfile(mathjax() / TYPESETTER, folder / TYPESETTER)
    live.engine(root, folder / "engine.zip")
    for page, sources in pages.items():
        each = zip(sources, breaks(page.removeprefix("book/"), sources), strict=True)
        file = folder / "cells" / f"{page}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps([{"source": s, "breaks": b} for s, b in each]), encoding="utf8")


def setup(app: Sphinx) -> dict[str, bool]:
    if live.kept(Path(app.srcdir)).is_dir():
        app.connect("doctree-read", mark)
        app.connect("html-page-context", assets)
        app.connect("build-finished", put)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
