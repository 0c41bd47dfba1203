"""The built site without a browser: its pages, pictures, links and buttons."""

from __future__ import annotations

import io
import json
import re
from base64 import b64decode
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup, Tag
from PIL import Image

from tools import address
from tools import site as site_tool
from tools.site import ROOT

PAGES = site_tool.toc_pages(ROOT)
NOTEBOOKS = [page for page in PAGES if (ROOT / f"{page}.ipynb").is_file()]
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


@lru_cache(maxsize=64)
def parsed(file: Path) -> BeautifulSoup:
    return BeautifulSoup(file.read_text(encoding="utf8"), "html.parser")


def thin(file: Path) -> list[str]:
    """A page without a heading, or with hardly a word: a build that went wrong, or a page not yet written."""
    article = parsed(file).find("article")
    words = len(article.get_text(" ").split()) if article else 0
    return [] if article and article.h1 and words >= FEWEST_WORDS else [f"{file.name}: {words} words"]


def bad_image(file: Path, image: Tag) -> list[str]:
    """A picture that says nothing to those who cannot see it, is not there, or does not decode."""
    source, said = image.get("src", ""), f"{file.name}: {image.get('src')[:80]}"
    picture = file.parent / unquote(urlsplit(source).path)
    if not (image.get("alt") or "").strip():
        return [f"{said} has no alt text"]
    if source.startswith("data:image/png;base64,"):
        return [] if decodes(b64decode(source.partition(",")[2]), ".png") else [f"{said} does not decode"]
    if not source or not picture.is_file():
        return [f"{said} does not exist"]
    return [] if decodes(picture.read_bytes(), picture.suffix) else [f"{said} does not decode"]


def bad_drawing(drawn: Tag) -> list[str]:
    """A drawing that nobody can read: without words, for the eye or for the ear, or in fixed colours."""
    said = (drawn.get("aria-label") or "").strip()
    faults = [] if said and drawn.get("role") == "img" else ["has no alt text"]
    faults += [] if drawn.find("text") else ["has no words"]
    fixed = re.findall(r"(?<!, )#[0-9a-f]{6}(?![0-9a-f])", str(drawn))
    faults += [f"keeps {color} in the dark" for color in dict.fromkeys(fixed)]
    return [f"the drawing {said[:40]!r} {fault}" for fault in faults]


def decodes(data: bytes, suffix: str) -> bool:
    try:
        if suffix == ".svg":
            return ElementTree.fromstring(data).tag.endswith("svg")
        Image.open(io.BytesIO(data)).load()
    except (ElementTree.ParseError, OSError, SyntaxError):
        return False
    return True


def dead_link(file: Path, address: str) -> list[str]:
    """A link within the site that leads to no file, or to no place in its file."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return []
    path = unquote(parts.path).removeprefix(ABOVE)  # 404.html gives whole paths
    target = (file.parent / path).resolve() if path else file
    if not target.is_file():
        return [f"{file.name}: {address} leads nowhere"]
    anchor = unquote(parts.fragment)
    if not anchor or target.suffix != ".html" or parsed(target).find(id=anchor):
        return []
    return [f"{file.name}: {address} has no such anchor"]


def foreign_loads(file: Path) -> list[str]:
    """Whatever the page would fetch from another server."""
    page = parsed(file)
    found = [tag.get(name) or "" for element, name in LOADS.items() for tag in page.find_all(element)]
    found += [tag.get("href", "") for tag in page.find_all("link") if LOADING_LINKS & set(tag.get("rel", ()))]
    found += [address for text in page.find_all("style") for address in css_loads(text.get_text())]
    return [f"{file.name} loads {address}" for address in found if urlsplit(address).netloc]


def css_loads(text: str) -> list[str]:
    return re.findall(r"""(?:url\(|@import\s+)\s*["']?((?:https?:)?//[^"')\s]+)""", text)


@pytest.mark.parametrize("page", PAGES)
def test_every_page_of_the_table_of_contents_is_there_and_says_something(site: Path, page: str) -> None:
    assert thin(site / f"{page}.html") == []


@pytest.mark.parametrize("page", PAGES)
def test_no_number_is_parted_from_its_unit(site: Path, page: str) -> None:
    told = parsed(site / f"{page}.html").select("article :is(p, li, td)")
    words = [s for tag in told for s in tag.find_all(string=True, recursive=False)]
    assert [s for s in words if re.search(r"\d (%|[KMG]i?B\b)", s)] == []


def test_what_a_chapter_says_for_other_pages_is_not_on_its_own(site: Path) -> None:
    says = re.compile("<!-- On other pages")
    saying = [page for page in PAGES if says.search((ROOT / f"{page}.md").read_text(encoding="utf8"))]
    assert saying
    assert [page for page in saying if says.search((site / f"{page}.html").read_text(encoding="utf8"))] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_image_has_alt_text_and_decodes(site: Path, page: str) -> None:
    file = site / f"{page}.html"
    assert [fault for image in parsed(file).find_all("img") for fault in bad_image(file, image)] == []


@pytest.mark.parametrize("page", NOTEBOOKS)
def test_every_drawing_is_in_the_page_with_words_and_colours_of_the_page(site: Path, page: str) -> None:
    drawings = parsed(site / f"{page}.html").select("svg.drawn")
    assert [fault for drawn in drawings for fault in bad_drawing(drawn)] == []
    held = (ROOT / f"{page}.ipynb").read_text(encoding="utf8").count('"image/svg+xml"')
    assert len(drawings) == held


@pytest.mark.parametrize("page", NOTEBOOKS)
def test_no_two_drawings_share_an_id(site: Path, page: str) -> None:
    ids = [tag["id"] for tag in parsed(site / f"{page}.html").select("svg.drawn [id]")]
    assert len(ids) == len({*ids})


@pytest.mark.parametrize("page", [*PAGES, "index", "404", "genindex", "search"])
def test_every_link_within_the_site_leads_somewhere(site: Path, page: str) -> None:
    file = site / f"{page}.html"
    addresses = [tag["href"] for tag in parsed(file).find_all(["a", "link"], href=True)]
    assert [fault for address in addresses for fault in dead_link(file, address)] == []


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    pages = [site / f"{page}.html" for page in [*PAGES, "index", "404", "genindex", "search"]]
    assert [fault for page in pages for fault in foreign_loads(page)] == []


def test_no_style_sheet_loads_anything_from_elsewhere(site: Path) -> None:
    sheets = {sheet.name: css_loads(sheet.read_text(encoding="utf8")) for sheet in site.rglob("*.css")}
    assert sheets
    assert not any(sheets.values()), sheets


@pytest.mark.parametrize("page", NOTEBOOKS)
def test_a_notebook_page_downloads_and_opens_in_colab_where_that_works(site: Path, page: str) -> None:
    addresses = {tag["href"] for tag in parsed(site / f"{page}.html").find_all("a", href=True)}
    colab = f"https://colab.research.google.com/github/{address.written(ROOT)}/blob/main/{page}.ipynb"
    assert (colab in addresses) == address.is_set(ROOT)
    downloads = [file for file in addresses if "_sources" in file and file.endswith(".ipynb")]
    told = address.notebook((ROOT / f"{page}.ipynb").read_text(encoding="utf8"), ROOT)
    assert [json.loads((site / page).parent.joinpath(file).read_bytes()) for file in downloads] == [json.loads(told)]


def test_no_page_and_no_download_holds_the_placeholder(site: Path) -> None:
    files = [file for kind in ("html", "md", "ipynb", "js") for file in site.rglob(f"*.{kind}")]
    assert len(files) > 2 * len(PAGES)
    assert [
        file.name for file in files if address.PLACEHOLDER in file.read_text(encoding="utf8", errors="ignore")
    ] == []
