"""MathJax, served by the site itself: the files that the pages need, out of the pinned package.

`sphinx-mathjax-offline` carries all of MathJax 3 (24 MB). One script and its fonts (1.7 MB) are enough. The
smaller scripts load extensions when a formula needs them, and a missing one stops all formulas of its page.
"""

from __future__ import annotations

import shutil
from importlib.metadata import files
from pathlib import Path

from sphinx.application import Sphinx

PACKAGE = "sphinx-mathjax-offline"
SCRIPT = "tex-chtml-full.js"
FONTS = "output/chtml/fonts/woff-v2"
NOTICE = (
    "MathJax 3, copyright The MathJax Consortium, Apache License 2.0: https://www.apache.org/licenses/LICENSE-2.0\n"
)


def needed(package: str = PACKAGE) -> dict[str, Path]:
    """Where each needed file lies in the installed package, by its path under `mathjax/`."""
    found = {}
    for file in files(package) or ():
        _, inside, path = file.as_posix().partition("/static/mathjax/")
        if inside and (path == SCRIPT or path.startswith(FONTS)):
            found[path] = Path(file.locate())
    if SCRIPT not in found or len(found) < 20:
        raise FileNotFoundError(
            f"{package} holds {len(found)} of the MathJax files that the book needs ({SCRIPT} and the fonts in "
            f"{FONTS}); install the version that requirements.txt pins"
        )
    return found


def copy_mathjax(app: Sphinx, exception: Exception | None) -> None:
    if exception is None and app.builder.format == "html":
        folder = Path(app.outdir) / "_static" / "mathjax"
        for path, source in needed().items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
        (folder / "NOTICE.txt").write_text(NOTICE, encoding="utf8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", copy_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
