"""Puts into a page what is made from the list of chapters, where the page says so.

And leaves out of a chapter what it says for other pages: there it stands already, by `make lists`.
"""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.application import Sphinx

MARK = re.compile(r"<!-- the build puts here: (\w+) -->")
ELSEWHERE = "<!-- On other pages"


def made(name: str) -> str:
    # Only where a page asks: the build of a small book needs no tools.
    from tools.book import language, ledger, lists, numbers

    texts = {"chapters": lists.questions, "claims": ledger.text, "language": language.text}
    return (texts | {"numbers": numbers.text, "others": numbers.others})[name]()


def put(app: Sphinx, page: str, source: list[str]) -> None:
    source[0] = MARK.sub(lambda mark: made(mark[1]), source[0])


def leave_out(app: Sphinx, doctree: nodes.document) -> None:
    for block in [raw for raw in doctree.findall(nodes.raw) if raw.astext().startswith(ELSEWHERE)]:
        block.parent.remove(block)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", put)
    app.connect("doctree-read", leave_out)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
