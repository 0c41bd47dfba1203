"""Draws the map of the landing page: a layer of attention, and beside it the chapters, each part in a panel.

A part whose caption names a slot is tied to the place in the layer where that slot acts. The parts before them stand
beside the words, those after them below. Heights follow from what there is to show. A part that the list of all
methods has as well ends with a link to it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from itertools import groupby, pairwise
from math import ceil
from pathlib import Path
from typing import NamedTuple

import matplotlib
from PIL import ImageFont

from tools.chapters import ROOT, chapters, summary

SLOTS = {  # where each slot acts, from top to bottom
    "Added to the embeddings": ("vectors",),
    "Applied to queries and keys": ("queries", "and keys"),
    "Added to the scores": ("scores",),
}
WIDTH, EDGE, GAP, INSIDE = 360, 6, 12, 10
LEFT = 128  # of the panels beside the layer
LINE, CHIP, SPACE, SMALLEST = 16, 28, 8, 90
ALL, LISTED = "All, one line each", "practice/methods"
STYLE = (Path(__file__).parent / "chapter_map.css").read_text(encoding="utf-8")


class Chip(NamedTuple):
    """A framed title that leads to its chapter."""

    href: str
    lines: list[str]
    width: float
    height: float


class Panel(NamedTuple):
    caption: str
    svg: str
    height: float


@lru_cache
def font() -> ImageFont.FreeTypeFont:
    """One of the widest that a reader may have, in large, so that no rounding enters."""
    file = Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans-Bold.ttf")
    return ImageFont.truetype(str(file), 1300, layout_engine=ImageFont.Layout.BASIC)


def width_of(text: str) -> int:
    """In pixels, at 13 pixels to the em."""
    return ceil(font().getlength(text) / 100)


def wrapped(text: str, room: int) -> list[str]:
    """The text in as few lines as the room allows, of about the same length."""
    fewest = len(filled(text, room))
    return next(lines for narrow in range(room + 1) if len(lines := filled(text, narrow)) == fewest)


def filled(text: str, room: int) -> list[str]:
    """Each line takes as many words as the room allows, and one at least."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if width_of(longer) <= room or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def chip(title: str, href: str, room: int) -> Chip:
    lines = wrapped(title, room - 2 * INSIDE)
    return Chip(href, lines, max(map(width_of, lines)) + 2 * INSIDE, CHIP + LINE * (len(lines) - 1))


def in_rows(chips: list[Chip], room: int) -> list[list[Chip]]:
    rows: list[list[Chip]] = []
    for one in chips:
        if rows and sum(c.width + SPACE for c in rows[-1]) + one.width <= room:
            rows[-1].append(one)
        else:
            rows.append([one])
    return rows


def label(lines: list[str], x: float, y: float) -> str:
    """Centred at (x, y)."""
    top = y + 5 - LINE / 2 * (len(lines) - 1)
    return "".join(f'<text x="{x:g}" y="{top + LINE * i:g}">{escape(line)}</text>' for i, line in enumerate(lines))


def drawn_chip(one: Chip, x: float, y: float) -> str:
    frame = f'<rect x="{x:g}" y="{y:g}" width="{one.width:g}" height="{one.height:g}" rx="4"/>'
    words = label(one.lines, x + one.width / 2, y + one.height / 2)
    return f'<a href="{escape(one.href)}" aria-label="{escape(" ".join(one.lines))}">{frame}{words}</a>'


def link_to_list(caption: str, href: str, y: float) -> str:
    name = f"{ALL} ({caption[0].lower()}{caption[1:]})"
    words = f'<text x="{INSIDE}" y="{y:g}">{ALL}</text>'
    return f'<a class="more" href="{escape(href)}" aria-label="{escape(name)}">{words}</a>'


def panel(caption: str, links: list[tuple[str, str]], width: int, smallest: int = 0, more: str = "") -> Panel:
    """A caption, the chapters under it, and a link to the list of all methods, drawn from (0, 0)."""
    room = width - 2 * INSIDE
    heading = wrapped(caption, room)
    parts, y = [], INSIDE - 6 + LINE * len(heading)
    for i, line in enumerate(heading):
        parts.append(f'<text class="heading" x="{INSIDE}" y="{LINE * (i + 1) + 4}">{escape(line)}</text>')
    y += INSIDE
    for row in in_rows([chip(*link, room) for link in links], room):
        x = INSIDE
        for one in row:
            parts.append(drawn_chip(one, x, y))
            x += one.width + SPACE
        y += max(one.height for one in row) + SPACE
    if more:
        parts.append(link_to_list(caption, more, y + LINE - 4))
        y += LINE + SPACE
    height = max(y - SPACE + INSIDE, smallest)
    ground = f'<rect class="panel" width="{width:g}" height="{height:g}" rx="5"/>'
    return Panel(caption, "\n    ".join([ground, *parts]), height)


def placed(panels: list[Panel], x: float, y: float) -> tuple[list[str], dict[str, float], float]:
    """The panels one below the other; where the middle of each is, and where the next one may begin."""
    drawn, middles = [], {}
    for one in panels:
        drawn.append(f'<g transform="translate({x:g} {y:g})">\n    {one.svg}\n  </g>')
        middles[one.caption] = y + one.height / 2
        y += one.height + GAP
    return drawn, middles, y


def node(lines: tuple[str, ...], y: float) -> str:
    height = 30 + LINE * (len(lines) - 1)
    return f'<rect x="18" y="{y - height / 2:g}" width="76" height="{height}" rx="15"/>{label(list(lines), 56, y)}'


def arrow(path: str) -> str:
    return f'<path marker-end="url(#posenc-map-tip)" d="{path}"/>'


def layer(middles: dict[str, float], top: float) -> tuple[list[str], float]:
    """The column on the left: the words at the top, what each slot acts on beside its panel, the output at the end."""
    vectors, queries, scores = (middles[slot] for slot in SLOTS)
    stops = [(("mille deux",), top + 15), *((SLOTS[s], middles[s]) for s in SLOTS), (("output",), scores + SMALLEST)]
    parts = [node(*stop) for stop in stops]
    for (above, start), (below, end) in pairwise(stops):
        parts.append(arrow(f"M56 {start + 7 + 8 * len(above):g}V{end - 9 - 8 * len(below):g}"))
    parts.append(arrow(f"M18 {vectors:g}H10V{scores + SMALLEST:g}H16"))
    parts.append(f'<text transform="translate(24 {(queries + scores) / 2:g}) rotate(-90)">values</text>')
    for number, slot in enumerate(SLOTS, 1):
        parts.append(arrow(f"M{LEFT} {middles[slot]:g}H96"))
        parts.append(f'<circle cx="113" cy="{middles[slot]:g}" r="9"/>{label([str(number)], 113, middles[slot] - 0.5)}')
    return parts, scores + SMALLEST + 15 + GAP


def parts_of(root: Path) -> dict[str, list[tuple[str, str]]]:
    """Caption → title and address of its chapters, in the order of the book."""
    grouped = groupby(chapters(root), key=lambda page: page.part)
    return {part: [(summary(page, root).title, f"{page.name}.html") for page in pages] for part, pages in grouped}


def listed(root: Path) -> dict[str, str]:
    """Caption → address of the part of that name in the list of all methods."""
    text = (root / "book" / f"{LISTED}.md").read_text(encoding="utf-8")
    return {title: f"{LISTED}.html#{title.lower().replace(' ', '-')}" for title in re.findall(r"(?m)^## (.+)$", text)}


def drawn(root: Path = ROOT) -> str:
    return svg(parts_of(root), listed(root))


def svg(parts: dict[str, list[tuple[str, str]]], lists: dict[str, str] | None = None) -> str:
    if missing := [slot for slot in SLOTS if slot not in parts]:
        raise ValueError(f"the map needs the parts {', '.join(SLOTS)}; _toc.yml has no chapter under {missing[0]!r}")
    captions = list(parts)
    first = min(captions.index(slot) for slot in SLOTS)
    beside = [*captions[:first], *SLOTS]
    below = [caption for caption in captions if caption not in beside]
    more = {caption: (lists or {}).get(caption, "") for caption in captions}
    panels = [panel(part, parts[part], WIDTH - LEFT - EDGE, SMALLEST, more[part]) for part in beside]
    side, middles, end = placed(panels, LEFT, EDGE)
    column, foot = layer(middles, EDGE)
    full = [panel(part, parts[part], WIDTH - 2 * EDGE, more=more[part]) for part in below]
    rest, _, height = placed(full, EDGE, max(end, foot))
    height = ceil(height - GAP + EDGE)
    return PAGE.format(
        width=WIDTH,
        height=height,
        shown_width=480,
        shown_height=f"{height * 4 / 3:g}",
        style=STYLE.rstrip().replace("\n", "\n    "),
        column="\n    ".join(column),
        panels="\n  ".join([*side, *rest]),
    )


PAGE = """\
<svg xmlns="http://www.w3.org/2000/svg" class="posenc-map" viewBox="0 0 {width} {height}" width="{shown_width}" \
height="{shown_height}" role="group" aria-labelledby="posenc-map-title">
  <title id="posenc-map-title">Map: where position enters attention, and the chapters about it</title>
  <!-- Drawn by `make lists`. The page of the site gives it its colours; elsewhere it is black on white. -->
  <style>
    {style}
  </style>
  <rect class="ground" width="{width}" height="{height}"/>
  <g class="flow" aria-hidden="true">
    <defs>
      <marker id="posenc-map-tip" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" \
orient="auto-start-reverse">
        <path d="M1 1L7 4L1 7"/>
      </marker>
    </defs>
    {column}
  </g>
  {panels}
</svg>
"""


if __name__ == "__main__":
    print(drawn(), end="")
