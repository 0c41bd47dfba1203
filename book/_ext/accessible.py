"""Mends what the tools write into a page's body and screen readers trip over."""

from __future__ import annotations

from typing import Any

from docutils.nodes import document
from sphinx.application import Sphinx

MENDED = {
    # docutils: the entries of a list of references must be list items.
    'role="doc-biblioentry"': 'role="listitem"',
}


def mend(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: document | None) -> None:
    for wrong, right in MENDED.items():
        context["body"] = context.get("body", "").replace(wrong, right)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", mend)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
