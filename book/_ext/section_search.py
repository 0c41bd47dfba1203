"""The search of the site: each section of a page is one record of Pagefind's index, and Sphinx's own search is off."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from plain_text import is_section, names_in_code, own, said
from sphinx.application import Sphinx

RECORDS: dict[str, list[dict[str, str]]] = {}  # by page


def sections(document: nodes.document, slugs: dict[str, str]) -> Iterator[dict[str, str]]:
    """A page's sections: where each one is, what it is called, and what it says. The first one is the page itself.

    A link in Markdown may name a section by a slug of its heading, which is not always its name on the page.
    """
    for section in document.findall(is_section):
        title, *rest = section.children
        ids = [*section["ids"], *(name for node in own(section, nodes.Element) for name in node["ids"])]
        yield {
            "anchor": section["ids"][0],
            "title": said(title),
            "text": " ".join(filter(None, (said(part) for part in rest if not is_section(part)))),
            "claims": "; ".join(filter(None, map(claim, own(section, nodes.Element)))),
            "names": " ".join(names_in_code(section)),
            "ids": " ".join([*ids, *(slug for slug, name in slugs.items() if name in ids and slug not in ids)]),
        }


def claim(node: nodes.Element) -> str:
    """The title of a statement."""
    return said(node[0]).strip("()") if "proof" in node["classes"] and len(node) else ""


def keep(app: Sphinx, page: str, template: str, context: dict[str, Any], document: nodes.document | None) -> None:
    if document is not None:
        slugs = app.env.metadata[page].get("myst_slugs", {})
        RECORDS[page] = list(sections(document, {slug: name for slug, (_, name, _) in slugs.items()}))


def write(app: Sphinx, exception: Exception | None) -> None:
    if exception is None and app.builder.format == "html":
        from tools import search  # only at the end: what a page says is found without it
        from tools.book import Book

        made = search.records(RECORDS, Book(Path(app.srcdir)))
        (Path(app.outdir).parent / "search.json").write_text(json.dumps(made, ensure_ascii=False, indent=0))
        search.index(made, Path(app.outdir) / "_static" / "pagefind")


def no_other(app: Sphinx) -> None:
    app.builder.search = False


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", no_other)
    app.connect("html-page-context", keep)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
