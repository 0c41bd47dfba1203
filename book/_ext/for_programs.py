"""For programs that read the book: each page as plain Markdown beside its HTML, a list of pages, and all in one file.

List and file are those of https://llmstxt.org. A button of each page copies its Markdown: see book.js.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from docutils import nodes
from plain_markdown import body
from plain_text import said
from sharing import cut, opening
from sphinx.application import Sphinx

AFTER_THE_THEME = 600  # whose buttons ours joins
OPTIONAL = "Optional"  # by the convention: what a program with little room leaves out
NAMES = {"To look things up": OPTIONAL}
BUTTON = {
    "type": "link",
    "text": "Copy as Markdown",
    "tooltip": "For a language model, or for your notes",
    "icon": "fas fa-copy",
    "label": "copy-markdown-button",
}
HOW = """Each page is here as plain Markdown; with `.html` in place of `.md` its pictures move and its proofs run.
All pages but the optional ones are also in [one file]({}llms-full.txt)."""


class Told(NamedTuple):
    title: str
    summary: str
    text: str


PAGES: dict[str, Told] = {}


def keep(app: Sphinx, page: str, template: str, context: dict[str, Any], document: nodes.document | None) -> None:
    if document is None:
        return
    title = said(next(document.findall(nodes.title)))
    PAGES[page] = told = Told(title, cut(" ".join(opening(document))), body(document) + "\n")
    file = Path(app.outdir) / f"{page}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(told.text, encoding="utf8", newline="\n")
    address = f"{page.rpartition('/')[2]}.md"
    context["metatags"] = (
        context.get("metatags", "") + f'<link rel="alternate" type="text/markdown" href="{address}">\n'
    )
    for group in context["header_buttons"]:
        if group["label"] == "download-buttons":
            group["buttons"].append(BUTTON | {"url": address})


def write(app: Sphinx, exception: Exception | None) -> None:
    if exception is None and app.builder.format == "html":
        from tools.book import Book  # only at the end: the pages of a small book need no tools

        out, root, base = Path(app.outdir), app.config.root_doc, app.config.html_baseurl
        parts = parts_of(Book(Path(app.srcdir)))
        begin = [f"# {app.config.html_title}", f"> {PAGES[root].summary}", HOW.format(base)]
        lists = [f"## {part}\n\n{listed(pages, base)}" for part, pages in parts.items()]
        (out / "llms.txt").write_text("\n\n".join([*begin, *lists]) + "\n", "utf8", newline="\n")
        main = [root, *(page for part, pages in parts.items() if part != OPTIONAL for page in pages)]
        texts = [f"<!-- {base}{page}.md -->\n\n{PAGES[page].text}" for page in main]
        (out / "llms-full.txt").write_text("\n".join(texts), "utf8", newline="\n")


def parts_of(book: Any) -> dict[str, list[str]]:
    """The pages of each part, in the order of the book."""
    found: dict[str, list[str]] = {}
    for page in book.pages:
        found.setdefault(NAMES.get(page.part, page.part), []).append(page.file.removesuffix(".ipynb"))
    return found


def listed(pages: list[str], base: str) -> str:
    return "\n".join(f"- [{PAGES[page].title}]({base}{page}.md): {PAGES[page].summary}" for page in pages)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", keep, priority=AFTER_THE_THEME)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
