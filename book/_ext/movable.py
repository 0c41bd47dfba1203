"""Puts pictures that move on the page: what a notebook's output holds as a record becomes sliders and a drawing.

The still frames of the same output stay, for print and for browsers without scripts. Sliders, words and numbers are
written here and not by the script, so that the page has its final height before the script runs.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from html import escape
from itertools import count
from pathlib import Path

from docutils import nodes
from folds import is_cell
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from bookkit import pictures
from bookkit.movable.description import MOVABLE
from bookkit.movable.still import still

NUMBERS = count(1)  # ids must differ on a page
BUTTONS = 8
FLAT = 0.55  # of height to width: below it a drawing is larger without its controls beside it


def slider(control: dict) -> str:
    low, high, step, at = (control[name] for name in ("low", "high", "step", "at"))
    return (
        f'<label class="movable-slider"><span>{escape(control["words"])} <b>{control["at_first"]}</b></span>'
        f'<input type="range" name="{escape(control["name"])}" min="{low}" max="{high}" step="{step}" value="{at}" '
        f'aria-valuetext="{control["at_first"]}"></label>'
    )


def choice(control: dict, number: int) -> str:
    """Buttons, all in view; a list to unfold where there are more than `BUTTONS` options."""
    name = escape(control["name"])
    if len(control["options"]) > BUTTONS:
        return selection(name, control)
    options = "".join(
        f'<label><input type="radio" name="{name}-{number}" data-name="{name}" value="{k}"'
        f"{' checked' if k == control['at'] else ''}> {escape(words)}</label>"
        for k, words in enumerate(control["options"])
    )
    return f'<fieldset class="movable-choice"><legend>{named(control)}</legend>{options}</fieldset>'


def selection(name: str, control: dict) -> str:
    options = "".join(
        f'<option value="{k}"{" selected" if k == control["at"] else ""}>{escape(words)}</option>'
        for k, words in enumerate(control["options"])
    )
    return f'<label class="movable-list">{named(control)} <select name="{name}">{options}</select></label>'


def named(control: dict) -> str:
    """The name of a group stands alone, so it begins as a sentence does."""
    words = control["words"]
    return escape(words[0].upper() + words[1:])


def said(words: str, formula: str, digits: int, unit: str, value: str) -> str:
    name = escape(words)
    return f'<p>{name} <output data-words="{name}" aria-live="off">{value}</output> {escape(unit)}</p>'


def buttons(record: dict) -> str:
    """What can be done with the picture; a play button only where there is something to watch."""
    words = {"play": "Play"} if "play" in record else {}
    words |= {"reset": "Reset", "link": "Link", "image": "Image"}
    titles = {"link": ' title="A link to the picture as it stands"', "image": ' title="Save the picture as it stands"'}
    return "".join(
        f'<button type="button" class="{name}"{titles.get(name, "")}>{word}</button>' for name, word in words.items()
    )


def before(record: dict, number: int) -> str:
    """What the reader meets above the still frames: the question, the drawing, the sliders, the numbers, the answer."""
    controls = [choice(c, number) if "options" in c else slider(c) for c in record["controls"]]
    return (
        f'<p class="movable-question"><strong>Guess first:</strong> {escape(record["question"])}</p>'
        f'<div class="movable-body {shape(record)}" style="--ratio: {record["ratio"]:.4f}">'
        f'<div class="movable-stage"><svg role="img" aria-label="{escape(record["alt"])}"></svg></div>'
        f'<form class="movable-controls">{"".join(controls)}</form>'
        f'<div class="movable-said">{"".join(said(*say) for say in record["say"])}</div></div>'
        '<p class="movable-spoken" aria-live="polite"></p>'
        f'<div class="movable-buttons">{buttons(record)}</div>'
        f'<details class="movable-answer"><summary>Answer</summary><p>{escape(record["answer"])}</p></details>'
    )


def shape(record: dict) -> str:
    """A flat drawing is widest alone; any other leaves room beside itself, and one with axes fits any shape."""
    return "with-axes" if record["axes"] else "flat" if record["ratio"] < FLAT else "tall"


def moving(record: dict, still: list[nodes.Node], png: str, *classes: str) -> nodes.container:
    """The picture as it stands on the page, around its still frames; the card of the page shows them too."""
    for image in (image for node in still for image in node.findall(nodes.image)):
        image["alt"] = f"{record['alt']} The question: {record['question']}"
        image["loading"] = "lazy"  # it is not seen where the picture moves, so it is not fetched there
    data = json.dumps(record, ensure_ascii=False, sort_keys=True).replace("</", "<\\/")
    top = nodes.raw(text=before(record, next(NUMBERS)), format="html")
    script = nodes.raw(text=f'<script type="application/json">{data}</script>', format="html")
    kept = {"still": png, "question": record["question"]}
    return nodes.container("", top, *still, script, classes=["movable", *classes], is_div=True, **kept)


def bundles(doctree: nodes.document, notebook: dict) -> Iterator[tuple[nodes.Element, dict]]:
    """Each output that myst-nb has put on the page in several forms, with what the notebook holds of it."""
    for cell in doctree.findall(is_cell):
        outputs = [o["data"] for o in notebook["cells"][cell["cell_index"]]["outputs"] if "data" in o]
        found = [n for n in cell.findall(nodes.container) if n.get("nb_element") == "mime_bundle"]
        yield from zip(found, outputs, strict=True)


def put(app: Sphinx, doctree: nodes.document) -> None:
    file = Path(app.env.doc2path(app.env.docname))
    if file.suffix == ".ipynb" and MOVABLE in (text := file.read_text(encoding="utf8")):
        for bundle, data in bundles(doctree, json.loads(text)):
            if MOVABLE in data:
                (still,) = (form for form in bundle.children if form.get("mime_type") == "image/png")
                still.children = [moving(data[MOVABLE], still.children, data["image/png"])]


class MovableDirective(SphinxDirective):
    """A picture by its name, for a page without code; with `plays` behind it, it plays by itself, once.

    Its still frames are drawn for paper.
    """

    required_arguments, optional_arguments = 1, 1

    def run(self) -> list[nodes.Node]:
        picture = getattr(pictures, self.arguments[0])()
        png, name = still(picture), f"_images/{picture.name}.png"
        file = Path(self.env.app.outdir, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(png)
        source = "../" * self.env.docname.count("/") + name  # fetched where it is seen: on paper
        image = f'<img src="{source}" alt="{escape(picture.alt)}" loading="lazy">'
        frames, (_, *classes) = [nodes.raw(text=image, format="html")], self.arguments
        return [moving(picture.record(), frames, base64.b64encode(png).decode(), *classes)]


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", put)
    app.add_directive("movable", MovableDirective)
    app.add_css_file("movable.css")
    app.add_js_file("movable.js", loading_method="defer")
    app.add_js_file("movable_by_hand.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
