"""Formulas are typeset while the site is built: no script has to be loaded and run before a reader sees them.

MathJax comes from `sphinx-mathjax-offline`, the Node that runs it from playwright; both are pinned. A formula that was
typeset once is kept in `_build`, so that a small change costs seconds. Each formula carries MathML, for
screen readers, and its TeX, for who copies it (book.js).
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from html import escape
from importlib.metadata import files, version
from pathlib import Path

from docutils import nodes
from playwright._impl._driver import compute_driver_executable  # what `python -m playwright` starts
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

PACKAGE = "sphinx-mathjax-offline"
FONTS = "output/chtml/fonts/woff-v2/"
SCRIPT = Path(__file__).with_suffix(".cjs")
NOTICE = (
    "MathJax 3, copyright The MathJax Consortium, Apache License 2.0: https://www.apache.org/licenses/LICENSE-2.0\n"
)
LOGGER = logging.getLogger(__name__)


@functools.lru_cache(maxsize=1)
def mathjax() -> Path:
    """Its folder in the installed package."""
    for file in files(PACKAGE) or ():
        if file.as_posix().endswith("/static/mathjax/node-main.js"):
            return Path(file.locate()).parent
    raise FileNotFoundError(f"{PACKAGE} holds no node-main.js; install the version that requirements.txt pins")


class Typesetter:
    """MathJax in a process of its own, which is started when the first formula is asked for that is not yet known."""

    def __init__(self, known: Path) -> None:
        self._file = known
        self._known: dict[str, dict[str, str] | str] = json.loads(known.read_text()) if known.is_file() else {}
        self._met: set[str] = set()
        self._process: subprocess.Popen[str] | None = None

    def formula(self, tex: str, *, display: bool) -> dict[str, str]:
        key = f"{'display' if display else 'inline'} {tex}"
        self._met.add(key)
        if key not in self._known:
            self._known[key] = self._ask({"tex": tex, "display": display})
        return self._known[key]

    def css(self) -> str:
        """MathJax's style sheet, which is the same whatever was typeset; kept beside the formulas."""
        self._met.add("css")
        if "css" not in self._known:
            self._known["css"] = self._ask({})
        return self._known["css"]

    def close(self) -> None:
        """Keep what this build has met, and end the process."""
        self._file.write_text(json.dumps({key: self._known[key] for key in sorted(self._met)}))
        if self._process:
            self._process.communicate()

    def _ask(self, question: dict) -> dict | str:
        if self._process is None:
            node = compute_driver_executable()[0]
            self._process = subprocess.Popen(
                [node, SCRIPT, mathjax()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf8"
            )
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        if answer := self._process.stdout.readline():
            return json.loads(answer)
        raise RuntimeError(f"MathJax ended at {question}")


def set_formula(self: HTML5Translator, node: nodes.Element, tex: str, *, display: bool) -> str:
    found = self.builder.app.typesetter.formula(tex.strip(), display=display)
    if found["fault"]:
        LOGGER.warning("formula not set: %s, in %s", found["fault"], tex, location=node)
    mathml = re.sub(r">\s+<", "><", found["mathml"])
    html = found["html"].replace("<mjx-math ", '<mjx-math aria-hidden="true" ', 1)
    kind = ' display="true"' if display else ""
    return (
        f'<mjx-container class="MathJax" jax="CHTML"{kind} data-tex="{escape(tex.strip())}">{html}'
        f"<mjx-assistive-mml>{mathml}</mjx-assistive-mml></mjx-container>"
    )


def visit_inline(self: HTML5Translator, node: nodes.math) -> None:
    formula = set_formula(self, node, node.astext(), display=False)
    self.body.append(f"{self.starttag(node, 'span', '', CLASS='math')}{formula}</span>")
    raise nodes.SkipNode


def visit_block(self: HTML5Translator, node: nodes.math_block) -> None:
    self.body.append(self.starttag(node, "div", CLASS="math"))
    if node.get("number"):
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    tex = node.astext() if node.get("nowrap") else aligned(node.astext())
    self.body.append(f"{set_formula(self, node, tex, display=True)}</div>\n")
    raise nodes.SkipNode


def aligned(tex: str) -> str:
    r"""Several lines as LaTeX wants them: an empty line, or \\, starts a new one.

    >>> print(aligned("a = b"), aligned(r"a \\ b"), sep="; ")
    a = b; \begin{split}a \\ b\end{split}
    """
    parts = [rf"\begin{{split}}{part}\end{{split}}" if r"\\" in part else part for part in blocks(tex)]
    return parts[0] if len(parts) == 1 else r"\begin{aligned}" + r"\\".join(parts) + r"\end{aligned}"


def blocks(tex: str) -> Iterator[str]:
    return (part for part in tex.split("\n\n") if part.strip())


def start(app: Sphinx) -> None:
    recipe = hashlib.sha256(SCRIPT.read_bytes() + version(PACKAGE).encode()).hexdigest()[:8]
    app.typesetter = Typesetter(Path(app.outdir).parent / f"formulas-{recipe}.json")


def finish(app: Sphinx, exception: Exception | None) -> None:
    """The style sheet and the fonts; and what is known is kept also where the build has failed."""
    if app.builder.format == "html":
        folder = Path(app.outdir) / "_static" / "mathjax"
        folder.mkdir(parents=True, exist_ok=True)
        (folder.parent / "formulas.css").write_text(app.typesetter.css(), encoding="utf8")
        for font in (mathjax() / FONTS).iterdir():
            shutil.copyfile(font, folder / font.name)
        (folder / "NOTICE.txt").write_text(NOTICE, encoding="utf8")
    app.typesetter.close()


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("typeset", (visit_inline, None), (visit_block, None))
    app.connect("builder-inited", start)
    app.connect("build-finished", finish)
    app.add_css_file("formulas.css")
    return {"parallel_read_safe": True, "parallel_write_safe": False}  # there is one process that typesets
