"""On a phone a picture comes before the answer that would give it away: in the box above it the answer is folded.

On a wide screen both are in view; and where no script runs, nothing is folded.
"""

from __future__ import annotations

import re
from typing import Any

from docutils.nodes import document
from sphinx.application import Sphinx

BOX = re.compile(r'(?s)(?<=<div class="tip admonition">)(.*?)(<p><strong>Answer\.</strong>.*?)(?=</div>)')
FOLD = """<details class="answer" open><summary>Answer</summary>
{}</details><script>if (matchMedia("(max-width: 600px)").matches)
document.currentScript.previousElementSibling.open = false</script>
"""  # a script of the page's end would fold it in the reader's sight


def put(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: document | None) -> None:
    context["body"] = folded(context.get("body", ""))


def folded(html: str) -> str:
    """The page, where a picture that asks something follows its box.

    >>> box = '<div class="tip admonition"><p>Why?</p><p><strong>Answer.</strong> So.</p></div>'
    >>> folded(box) == box, "<details" in folded(box + '<div class="movable">')
    (True, True)
    """
    box = BOX.search(html)
    if not box or 'class="movable' not in html[box.end() :].partition("<section")[0]:
        return html
    return html[: box.start(2)] + FOLD.format(box[2]) + html[box.end() :]


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", put)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
