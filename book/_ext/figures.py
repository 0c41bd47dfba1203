"""Puts the figures into the page itself, so that they turn light and dark with it; a notebook shows them on white.

Each colour of the book becomes a variable, which book/_static/figures.css and the colours of the book set.
"""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path

from docutils import nodes
from movable import bundles
from sphinx.application import Sphinx

from bookkit.colours import NAMES

KIND = "image/svg+xml"
VARIABLES = {color: f"var(--{name}, {color})" for name, color in NAMES.items()}
BEFORE_IMAGES_ARE_COLLECTED = 400


def put(app: Sphinx, doctree: nodes.document) -> None:
    file = Path(app.env.doc2path(app.env.docname))
    if file.suffix == ".ipynb" and KIND in (text := file.read_text(encoding="utf8")):
        for bundle, data in bundles(doctree, json.loads(text)):
            if KIND in data:
                (form,) = (form for form in bundle.children if form.get("mime_type") == KIND)
                (image,) = form.findall(nodes.image)
                drawn = on_page("".join(data[KIND]), image.get("alt", ""))
                image.replace_self(nodes.raw(text=drawn, format="html"))


def on_page(svg: str, alt: str) -> str:
    """The drawing as a part of a page: its size, its letters and its colours are those of the page.

    >>> on_page('<svg xmlns="…" viewBox="0 0 9 9" width="9pt"><path fill="#7a3b78" /></svg>', "<")
    '<svg class="drawn" role="img" aria-label="&lt;" viewBox="0 0 9 9"><path fill="var(--score, #7a3b78)" /></svg>'
    """
    head, rest = re.fullmatch(r"<svg ([^>]*)>(.*)", svg.strip(), re.DOTALL).groups()
    (view,) = re.findall(r'viewBox="[^"]*"', head)
    rest = re.sub("|".join(VARIABLES), lambda found: VARIABLES[found[0]], rest)
    rest = re.sub(r"font-size: ([\d.]+px)", r"font-size: calc(\1 * var(--letters, 1))", rest)
    return f'<svg class="drawn" role="img" aria-label="{escape(alt)}" {view}>{rest}'


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", put, priority=BEFORE_IMAGES_ARE_COLLECTED)
    app.add_css_file("figures.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
