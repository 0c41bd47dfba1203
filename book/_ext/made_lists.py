"""Puts into a page what is made from the list of chapters, where the page says so."""

from __future__ import annotations

import re

from sphinx.application import Sphinx

MARK = re.compile(r"<!-- the build puts here: (\w+) -->")


def made(name: str) -> str:
    from tools import ledger, lists  # only where a page asks: the build of a small book needs no tools

    return {"chapters": lists.questions, "claims": ledger.text}[name]()


def put(app: Sphinx, page: str, source: list[str]) -> None:
    source[0] = MARK.sub(lambda mark: made(mark[1]), source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", put)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
