"""Where the reader is: the side bar's parts fold, four ways stand on top of each page, and a page says its number and
how long it takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import ceil
from typing import Any, NamedTuple

from docutils import nodes
from plain_text import is_section, said
from sphinx.application import Sphinx

CAPTION = re.compile(r'<p [^>]*class="caption"[^>]*><span class="caption-text">(.*?)</span></p>')
LONGEST = 30  # minutes: what takes longer is a list
WORDS_A_MINUTE = 180  # of a text with formulas


class Way(NamedTuple):
    name: str
    page: str  # where it begins
    pages: str  # those that belong to it


WAYS = (
    Way(
        "Understand",
        "book/foundations/fifteen-minutes",
        r"book/(foundations|absolute|relative|rotary|content|extension|shapes)/",
    ),
    Way(
        "Debug",
        "book/practice/traps",
        r"book/practice/(traps|check|blank|errata|serving|caches|drafts|packed|fused|settings|real)",
    ),
    Way("Choose", "book/practice/choosing", r"book/practice/(choosing|compar|cheat|measuring)"),
    Way(
        "Look up",
        "book/practice/methods",
        r"book/(practice/(methods|ledger|released|questions|what)|notation|references)",
    ),
)


def folded(toctree: object) -> str:
    """The list of pages with each part folded but the one of this page."""
    first, *rest = CAPTION.split(str(toctree))
    parts = zip(rest[::2], rest[1::2], strict=True)
    return first + "".join(part(caption, body) for caption, body in parts)


def part(caption: str, body: str) -> str:
    is_open = " open" if re.search(r'class="[^"]*\bcurrent\b', body) else ""
    return f'<details class="part"{is_open}><summary>{caption}</summary>{body}</details>'


def ways(app: Sphinx, page: str) -> Iterator[tuple[str, str, bool]]:
    for way in (way for way in WAYS if way.page in app.env.found_docs):  # a small book has not all of them
        yield way.name, way.page, bool(re.match(way.pages, page))


def place(app: Sphinx, page: str, document: nodes.document) -> str:
    """Such as "Page 12 of 47 · 14 minutes"; nobody reads a list from its first line to its last."""
    pages = app.env.toctree_includes.get(app.config.root_doc, [])
    if page not in pages:
        return ""
    words = sum(len(said(part).split()) for section in document.findall(is_section) for part in in_view(section))
    minutes = ceil(words / WORDS_A_MINUTE)
    lasts = "to look things up" if re.match(WAYS[-1].pages, page) or minutes > LONGEST else f"{minutes} minutes"
    return f'<div class="page-place">Page {pages.index(page) + 1} of {len(pages)} · {lasts}</div>'


def in_view(section: nodes.section) -> Iterator[nodes.Node]:
    """What a reader meets who unfolds nothing."""
    for child in section.children:
        if not is_section(child) and not {"dropdown", "toggle", "hide"} & set(
            getattr(child, "attributes", {}).get("classes", ())
        ):
            yield child


def tell(app: Sphinx, page: str, template: str, context: dict[str, Any], document: nodes.document | None) -> None:
    context |= {"folded": folded, "ways": list(ways(app, page))}
    if document is not None:
        context["body"] = context["body"].replace("</h1>", f"</h1>{place(app, page, document)}", 1)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", tell)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
