"""Theorems and figures are numbered by page: Theorem 12.3 is the third of page 12; a page says its number.

A theorem in a fold is counted after those in view, whose numbers have no gaps. Figures keep their order.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

LAST = 900  # after Sphinx has counted them through the whole book, which it does at 500


def by_page(app: Sphinx, env: BuildEnvironment) -> list[str]:
    for number, page in enumerate(env.toctree_includes.get(app.config.root_doc, []), 1):
        kinds = env.toc_fignumbers.get(page, {})
        hidden = folded(env.get_doctree(page)) if kinds else set()
        for kind, counted in kinds.items():
            ordered = list(counted) if kind == "figure" else sorted(counted, key=hidden.__contains__)
            counted.update({one: (number, place) for place, one in enumerate(ordered, 1)})
    return []


def folded(page: nodes.document) -> set[str]:
    """The ids of all that opens with a click."""
    folds = page.findall(lambda node: isinstance(node, nodes.Element) and "dropdown" in node.get("classes", ()))
    return {name for fold in folds for node in fold.findall(nodes.Element) for name in node.get("ids", ())}


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("env-get-updated", by_page, priority=LAST)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
