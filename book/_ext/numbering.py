"""Theorems and figures are numbered by page: Theorem 12.3 is the third of page 12; a page says its number."""

from __future__ import annotations

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

LAST = 900  # after Sphinx has counted them through the whole book, which it does at 500


def by_page(app: Sphinx, env: BuildEnvironment) -> list[str]:
    for number, page in enumerate(env.toctree_includes.get(app.config.root_doc, []), 1):
        for counted in env.toc_fignumbers.get(page, {}).values():
            counted.update({one: (number, place) for place, one in enumerate(counted, 1)})
    return []


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("env-get-updated", by_page, priority=LAST)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
