"""A page may have its own style sheet and script: book/_static/pages/ledger.css and ledger.js are the ledger's.

And every page asks for the letters of its text at once, before the style sheet that names them has come.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils.nodes import document
from sphinx.application import Sphinx

LETTERS = ("SourceSerifPro-Regular", "SourceSerifPro-It", "SourceSerifPro-Bold")  # tools/light.py puts them there
FILTERED = {"traps", "methods", "compare", "released-models"}
FOLDER = Path(__file__).resolve().parent.parent / "_static" / "pages"


def assets(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: document | None) -> None:
    name = page.rpartition("/")[2]
    files = [context["pathto"](f"_static/letters/{letters}.woff2", resource=True) for letters in LETTERS]
    asked = "".join(f'<link rel="preload" href="{file}" as="font" type="font/woff2" crossorigin>' for file in files)
    context["metatags"] = context.get("metatags", "") + asked
    if (FOLDER / f"{name}.css").is_file():
        app.add_css_file(f"pages/{name}.css")
    if name in FILTERED:
        app.add_js_file("filter.js", defer="defer")
    if (FOLDER / f"{name}.js").is_file():
        app.add_js_file(f"pages/{name}.js", defer="defer")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", assets)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
