"""What every built page keeps: each rule takes a page, which is read once for all of them, and returns its faults."""

from __future__ import annotations

import html
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

from bs4 import BeautifulSoup, Tag
from PIL import Image

from tools import address
from tools.book import BOOK
from tools.site import ROOT

# What a browser fetches by itself, as against links that a reader may follow.
LOADS = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "embed": "src",
    "object": "data",
}
LOADING_LINKS = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "dns-prefetch", "modulepreload", "manifest"}
FEWEST_WORDS = 100
ABOVE = urlsplit(address.site(ROOT)).path  # where the published site lies, once that is known
STATEMENTS = {"Axiom", "Corollary", "Definition", "Lemma", "Proposition", "Theorem"}
PARTS = {re.sub(r"\.(ipynb|md)$", "", page.file): page.part for page in BOOK.pages}
LAYOUT = "application/vnd.posenc.derivation+json"


@dataclass(frozen=True)
class Built:
    """A page of the built site, and the notebook that it was made from, where there is one."""

    site: Path
    name: str
    source: str = ""

    @property
    def file(self) -> Path:
        return self.site / f"{self.name}.html"

    @cached_property
    def soup(self) -> BeautifulSoup:
        return BeautifulSoup(self.file.read_text(encoding="utf8"), "html.parser")

    @cached_property
    def article(self) -> Tag:
        return self.soup.find("article") or self.soup.new_tag("article")

    @cached_property
    def layouts(self) -> list[dict]:
        """The derivations that the notebook keeps outside of its solutions."""
        cells = json.loads(self.source)["cells"] if self.source else []
        shown = [cell for cell in cells if "hide-cell" not in cell["metadata"].get("tags", [])]
        return [o["data"][LAYOUT] for cell in shown for o in cell.get("outputs", []) if LAYOUT in o.get("data", {})]


def in_view(element: Tag) -> bool:
    return element.find_parent("details") is None


# --- Words, pictures, links ------------------------------------------------------------------------------------------


def says_something(page: Built) -> Iterator[str]:
    """A page without a heading, or with hardly a word: a build that went wrong, or a page not yet written."""
    words = len(page.article.get_text(" ").split())
    if not page.article.h1 or words < FEWEST_WORDS:
        yield f"{words} words"


def units_stay_with_their_numbers(page: Built) -> Iterator[str]:
    told = page.article.select("p, li, td")
    words = [text for tag in told for text in tag.find_all(string=True, recursive=False)]
    yield from (f"parts a number from its unit: {text}" for text in words if re.search(r"\d (%|[KMG]i?B\b)", text))


def images_say_and_show_something(page: Built) -> Iterator[str]:
    """A picture that says nothing to those who cannot see it, is not there, or does not decode."""
    for image in page.soup.find_all("img"):
        source = image.get("src", "")
        if not (image.get("alt") or "").strip():
            yield f"{source[:80]} has no alt text"
        elif not shows(source, page.file.parent):
            yield f"{source[:80]} does not exist or does not decode"


def shows(source: str, folder: Path) -> bool:
    picture = folder / unquote(urlsplit(source).path)
    return bool(source) and picture.is_file() and decodes(picture.read_bytes(), picture.suffix)


def decodes(data: bytes, suffix: str) -> bool:
    try:
        if suffix == ".svg":
            return ElementTree.fromstring(data).tag.endswith("svg")
        Image.open(io.BytesIO(data)).load()
    except (ElementTree.ParseError, OSError, SyntaxError):
        return False
    return True


def drawings_can_be_read(page: Built) -> Iterator[str]:
    """A drawing without words, for the eye or for the ear, or in fixed colours; and one that went missing."""
    drawings = page.soup.select("svg.drawn")
    for drawn in drawings:
        said = (drawn.get("aria-label") or "").strip()
        name = f"the drawing {said[:40]!r}"
        if not said or drawn.get("role") != "img":
            yield f"{name} has no alt text"
        if not drawn.find("text"):
            yield f"{name} has no words"
        fixed = re.findall(r"(?<!, )#[0-9a-f]{6}(?![0-9a-f])", str(drawn))
        yield from (f"{name} keeps {color} in the dark" for color in dict.fromkeys(fixed))
    held = page.source.count('"image/svg+xml"')
    if page.source and len(drawings) != held:
        yield f"shows {len(drawings)} drawings of {held}"
    ids = [tag["id"] for drawn in drawings for tag in drawn.select("[id]")]
    if len(ids) != len({*ids}):
        yield "two drawings share an id"


@cache
def anchors(file: Path) -> frozenset[str]:
    return frozenset(map(html.unescape, re.findall(r'\bid="([^"]+)"', file.read_text(encoding="utf8"))))


def links_lead_somewhere(page: Built) -> Iterator[str]:
    """A link within the site that leads to no file, or to no place in its file."""
    for link in page.soup.find_all(["a", "link"], href=True):
        parts = urlsplit(link["href"])
        if parts.scheme or parts.netloc:
            continue
        path = unquote(parts.path).removeprefix(ABOVE)  # 404.html gives whole paths
        target = (page.file.parent / path).resolve() if path else page.file
        anchor = unquote(parts.fragment)
        if not target.is_file():
            yield f"{link['href']} leads nowhere"
        elif anchor and target.suffix == ".html" and anchor not in anchors(target):
            yield f"{link['href']} has no such anchor"


def loads_nothing_from_elsewhere(page: Built) -> Iterator[str]:
    found = [tag.get(name) or "" for element, name in LOADS.items() for tag in page.soup.find_all(element)]
    found += [tag.get("href", "") for tag in page.soup.find_all("link") if LOADING_LINKS & set(tag.get("rel", ()))]
    found += [where for text in page.soup.find_all("style") for where in css_loads(text.get_text())]
    yield from (f"loads {where}" for where in found if urlsplit(where).netloc)


def css_loads(text: str) -> list[str]:
    return re.findall(r"""(?:url\(|@import\s+)\s*["']?((?:https?:)?//[^"')\s]+)""", text)


def downloads_and_opens_in_colab_where_that_works(page: Built) -> Iterator[str]:
    if not page.source:
        return
    links = {tag["href"] for tag in page.soup.find_all("a", href=True)}
    colab = f"https://colab.research.google.com/github/{address.written(ROOT)}/blob/main/{page.name}.ipynb"
    if (colab in links) != address.is_set(ROOT):
        yield "a button for Colab, where and only where the address is set"
    downloads = [page.file.parent / link for link in links if "_sources" in link and link.endswith(".ipynb")]
    if [json.loads(file.read_bytes()) for file in downloads] != [json.loads(address.notebook(page.source, ROOT))]:
        yield "the notebook to download is not that of the page"


# --- How a chapter is set: what a cell shows comes first, its code is folded, a derivation is set line by line --------


def formulas_wait_for_no_script(page: Built) -> Iterator[str]:
    yield from (f"not set: {raw}" for raw in page.soup.select(".math") if not raw.find("mjx-container"))
    yield from (f"not for the ear: {raw}" for raw in page.soup.find_all("mjx-container") if not raw.find("math"))
    if found := re.search(r"\\\(|\\\[|\$\$", page.article.get_text()):
        yield f"a formula's source in the text: {found[0]}"


def code_of_derivations_is_folded(page: Built) -> Iterator[str]:
    """Unless its page is there for readers to change it: then the code is in view, above its chain."""
    cells = filter(in_view, page.article.select(".tag_derivation"))
    for code in [code for cell in cells for code in cell.select(".cell_input")]:
        if in_view(code) != ("tag_open" in code.parent["class"]):
            yield f"the code of a derivation is {'' if in_view(code) else 'not '}in view"


def every_line_of_a_derivation_is_there(page: Built) -> Iterator[str]:
    chains = [chain for chain in page.article.select(".chain") if in_view(chain)]
    kept = [[layout["first"], *(line["tex"] for line in layout["lines"])] for layout in page.layouts]
    if len(chains) != len(kept):
        yield f"shows {len(chains)} chains of {len(kept)}"
    for chain, lines in zip(chains, kept, strict=False):
        shown = [formula["data-tex"] for formula in chain.select(".formula mjx-container")]
        if len(shown) != len(lines) or not all(tex in formula for tex, formula in zip(lines, shown, strict=True)):
            yield f"the chain of {lines[0]} shows {shown}"


def set_up_is_out_of_the_way(page: Built) -> Iterator[str]:
    yield from ("set-up in view" for code in page.article.select(".tag_setup .cell_input") if in_view(code))
    if len(lines := page.article.select("details.folded:not(.sign)")) > 1:
        yield f"{len(lines)} lines that open code"


def statements_and_figures_are_numbered(page: Built) -> Iterator[str]:
    """In their order, but for statements in folds, which come last."""
    place = page.article.select_one(".page-place")
    number = place and re.match(r"Page (\d+) of", place.get_text())
    labels = [
        (bool(label.find_parent(class_="dropdown")), *label.get_text().split())
        for label in page.article.select(".caption-number")
    ]
    figures = [place for _, kind, place in labels if kind == "Fig."]
    statements = [
        place for hidden in (False, True) for at, kind, place in labels if kind in STATEMENTS and at == hidden
    ]
    for counted in (statements, figures):
        if number and counted != [f"{number[1]}.{k}" for k in range(1, len(counted) + 1)]:
            yield f"numbers {counted}"


def a_statement_has_one_sign(page: Built) -> Iterator[str]:
    for statement in page.article.select("div.proof"):
        after = statement.find_next_sibling(class_=True)
        below = after.select(":scope > details.sign") if after and "tag_derivation" in after["class"] else []
        if below and statement.select(":scope details.sign"):
            yield f"{statement.get('id')} has a sign of its own, and one below"


def says_where_the_reader_is(page: Built) -> Iterator[str]:
    """Its number and its minutes; its part is open beside it, and one of the ways through the book is marked."""
    if page.name not in PARTS:
        return
    place, number = page.article.select_one("h1 + .page-place"), [*PARTS].index(page.name) + 1
    said = place.get_text() if place else ""
    if not re.fullmatch(rf"Page {number} of {len(PARTS)} · (\d+ minutes|to look things up)", said):
        yield f"says {said!r}, and is page {number}"
    opened = page.soup.select(".bd-docs-nav details.part[open]")
    if [part.summary.get_text() for part in opened] != [PARTS[page.name]] or not opened[0].select("li.current a"):
        yield f"its part is not open: {PARTS[page.name]}"
    ways = [way.get_text() for way in page.soup.select("header nav [aria-current]")]
    if len(ways) != 1 or ways[0] not in ("Understand", "Debug", "Choose", "Look up"):
        yield f"its way through the book is marked as {ways}"


RULES = (
    *(says_something, units_stay_with_their_numbers, images_say_and_show_something, drawings_can_be_read),
    *(links_lead_somewhere, loads_nothing_from_elsewhere, downloads_and_opens_in_colab_where_that_works),
    *(formulas_wait_for_no_script, code_of_derivations_is_folded),
    *(every_line_of_a_derivation_is_there, set_up_is_out_of_the_way, statements_and_figures_are_numbered),
    *(a_statement_has_one_sign, says_where_the_reader_is),
)


def faults(page: Built, rules=RULES) -> list[str]:
    return [f"{rule.__name__}: {fault}" for rule in rules for fault in rule(page)]
