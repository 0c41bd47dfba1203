"""Derivations that run in the page: each is marked, and its page gets a script that loads nothing before a click.

What runs them is fetched by tools/live.py. Where it could not be fetched, pages stay as they are. The errors that a
reader may plant in a derivation in view are answered here already, by the code that answers in the page: nobody waits
for Python to see one refuted.
"""

from __future__ import annotations

import gzip
import json
import runpy
import shutil
from pathlib import Path
from typing import Any

from chains import set_chain
from docutils import nodes
from folds import is_cell
from formulas import mathjax
from sphinx.application import Sphinx

from tools import live
from tools.book import claims

TYPESETTER = "tex-svg-full.js"  # sets the formulas of an answer: those of the page were set in the build
PACKED = (".zip", ".txt")
CHECK = Path(__file__).resolve().parent.parent / "_static" / "live" / "check.py"
BEFORE_THE_TYPESETTER_ENDS = 400


def mark(app: Sphinx, doctree: nodes.document) -> None:
    """The code of each derivation, by its number on the page: it keeps its class wherever it is folded."""
    cells = [cell for cell in doctree.findall(is_cell) if "tag_derivation" in cell["classes"]]
    for number, cell in enumerate(cells):
        cell[0]["classes"].append(f"live-{number}")
    if cells:
        about = app.env.metadata[app.env.docname]
        about["derivations"] = [cell[0].astext() for cell in cells]
        about["in view"] = [number for number, cell in enumerate(cells) if "tag_open" in cell["classes"]]


def breaks(page: str, sources: list[str]) -> list[list[dict[str, Any]]]:
    """For each cell the errors that the tests plant in it."""
    planted = claims.mutants(page.removeprefix("book/"))
    found = [{"name": m.name, "right": m.right, "wrong": m.wrong} for m in planted]
    return [[one for one in found if one["right"] in source] for source in sources]


def answer(app: Sphinx, sources: list[str]) -> dict[str, Any]:
    """What the page would be told of the last cell, and its chain as it is set in the page."""
    if not hasattr(app, "live_check"):
        app.live_check = runpy.run_path(str(CHECK))["check"]
    told = json.loads(app.live_check(json.dumps(sources)))
    chain = told.get("layout") and app.builder.render_partial(set_chain(told["layout"]))["fragment"]
    return {**told, "chain": chain}


def derivations(app: Sphinx, page: str, sources: list[str], in_view: list[int]) -> list[dict[str, Any]]:
    every = [{"source": s, "breaks": b} for s, b in zip(sources, breaks(page, sources), strict=True)]
    for number in in_view:
        for one in every[number]["breaks"]:
            broken = sources[number].replace(one["right"], one["wrong"], 1)
            one["answer"] = answer(app, [*sources[:number], broken])
    return every


def assets(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    about = app.env.metadata.get(page, {})
    if about.get("derivations"):
        names = [[one["name"] for one in found] for found in breaks(page, about["derivations"])]
        in_view = json.dumps({number: names[number] for number in about["in view"] if names[number]})
        data = {"data-megabytes": megabytes(app), "data-breaks": in_view}
        app.add_css_file("live.css")
        app.add_js_file("live.js", loading_method="defer", **data)


def megabytes(app: Sphinx) -> str:
    """How much a click loads, as a server sends it."""
    if not hasattr(app, "live_bytes"):
        files = [*live.kept(Path(app.srcdir)).iterdir(), mathjax() / TYPESETTER]
        sizes = [len(f.read_bytes() if f.suffix in PACKED else gzip.compress(f.read_bytes(), 6)) for f in files]
        app.live_bytes = sum(sizes)
    return f"{app.live_bytes / 1e6:.0f}"


def put(app: Sphinx, exception: Exception | None) -> None:
    pages = {page: about for page, about in app.env.metadata.items() if "derivations" in about}
    if exception or app.builder.format != "html" or not pages:
        return
    root, folder = Path(app.srcdir), Path(app.outdir) / "_static" / "live"
    shutil.copytree(live.kept(root), folder, dirs_exist_ok=True)
    shutil.copyfile(mathjax() / TYPESETTER, folder / TYPESETTER)
    live.engine(root, folder / "engine.zip")
    for page, about in pages.items():
        file = folder / "cells" / f"{page}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        every = derivations(app, page, about["derivations"], about["in view"])
        file.write_text(json.dumps(every), encoding="utf8")


def setup(app: Sphinx) -> dict[str, bool]:
    if live.kept(Path(app.srcdir)).is_dir():
        app.connect("doctree-read", mark)
        app.connect("html-page-context", assets)
        app.connect("build-finished", put, priority=BEFORE_THE_TYPESETTER_ENDS)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
