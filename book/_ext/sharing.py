"""What a page tells search engines, and people with whom somebody shares it: its question, its answer, and a picture.

The description stands on every page. The rest needs a whole address, so it waits until the repository's is known.
"""

from __future__ import annotations

import re
import textwrap
from base64 import b64decode
from html import escape
from io import BytesIO
from itertools import takewhile
from pathlib import Path
from typing import Any

from docutils import nodes
from PIL import Image
from plain_text import is_section, said
from share_picture import SIZE, drawn, frames
from sphinx.application import Sphinx

LABEL = re.compile(r"^(Question|Answer)\. ")
LEAST, MOST = 80, 250  # letters; search engines and cards cut off what is longer
VIEWPORT = re.compile(r'<meta [^>]*name="viewport"[^>]*>\s*')


def opening(document: nodes.document) -> list[str]:
    """The question and the answer of the box In short; of a page without one, its first paragraphs."""
    begin = next(document.findall(is_short), None) or next(document.findall(is_section), document)
    parts = takewhile(lambda part: not is_section(part), begin.children)
    return [LABEL.sub("", said(part)) for part in parts if isinstance(part, nodes.paragraph)][:2]


def is_short(node: nodes.Node) -> bool:
    return isinstance(node, nodes.admonition) and node[0].astext() == "In short"


def first_picture(document: nodes.document) -> Image.Image | None:
    """The still frames of the first picture that moves."""
    box = next(document.findall(lambda node: isinstance(node, nodes.container) and "still" in node), None)
    return frames(Image.open(BytesIO(b64decode(box["still"]))), box["question"]) if box else None


def cut(text: str) -> str:
    """Whole sentences, if enough of them fit.

    >>> cut("Where? Here."), cut("This is:"), cut("It is so. " * 40) == "It is so. " * 24 + "It is so."
    ('Where? Here.', 'This is …', True)
    """
    sentences = re.match(rf"(?s).{{{LEAST},{MOST - 1}}}[.?!](?=\s|$)", text)
    return sentences[0] if sentences else re.sub("[,;:]$", " …", textwrap.shorten(text, MOST, placeholder=" …"))


def tell(app: Sphinx, page: str, template: str, context: dict[str, Any], document: nodes.document | None) -> None:
    context["metatags"] = VIEWPORT.sub("", context.get("metatags", ""))  # the theme has one of its own
    if document is None:
        return
    told, site = opening(document), app.config.html_title
    title = site if page == app.config.root_doc else said(next(document.findall(nodes.title)))
    names = {"description": cut(" ".join(told))}
    properties = {}
    if base := app.config.html_baseurl:
        if page == app.config.root_doc:
            context["pageurl"] = base
        picture = Path("_images", "shared", page.replace("/", "-") + ".png")
        drawn(title, told[0] if told else "", site, Path(app.outdir) / picture, first_picture(document))
        names["twitter:card"] = "summary_large_image"
        properties = {
            "og:type": "website",
            "og:site_name": site,
            "og:title": title,
            "og:description": names["description"],
            "og:url": context["pageurl"],
            "og:image": base + picture.as_posix(),
            "og:image:width": str(SIZE[0]),
            "og:image:height": str(SIZE[1]),
            "og:image:alt": f"{title}. {told[0] if told else ''}".strip(),
        }
    for kind, tags in (("name", names), ("property", properties)):
        context["metatags"] += "".join(f'<meta {kind}="{n}" content="{escape(c)}">\n' for n, c in tags.items() if c)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", tell)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
