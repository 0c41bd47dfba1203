"""What a page tells those with whom it is shared, and search engines, and where they come in."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup
from PIL import Image, ImageChops
from share_picture import PAPER, SIZE, drawn, frames
from sphinx.application import Sphinx

from tests.site.test_site import PAGES
from tools import address
from tools.book import ROOT

PAGE = """# A *turn*

:::{admonition} In short
:class: tip

**Question.** Is a < b kept, if $m$ turns? **Maybe** [somewhere](https://example.org)?

**Answer.** Yes.

$$m + n$$

**Do.** Nothing.
:::

A word is turned by its position.
"""
SITE = "https://me.github.io/encodings/"


def built(folder: Path, name: str) -> tuple[Path, BeautifulSoup]:
    """A small site, with the repository at this address, and the page that answers a question."""
    source, out = folder / "source", folder / "out"
    (source / "book" / "part").mkdir(parents=True)
    (source / "templates").mkdir()
    (source / "templates" / "404.html").write_text('<a href="{{ pathto(root_doc) }}">', encoding="utf8")
    (source / "_config.yml").write_text(f"repository:\n  url: https://github.com/{name}\n", encoding="utf8")
    toc = "\n```{toctree}\npart/turn\n```\n"
    (source / "book" / "index.md").write_text(f"# Welcome\n\nIt begins [here](part/turn.md).\n{toc}", encoding="utf8")
    (source / "book" / "part" / "turn.md").write_text(PAGE, encoding="utf8")
    settings = {
        "extensions": ["myst_parser", "repository_address", "sharing", "entrances"],
        "root_doc": "book/index",
        "html_theme": "basic",
        "html_additional_pages": {"404": "404.html"},
        "templates_path": ["templates"],
        "html_title": "The book",
        "myst_enable_extensions": ["colon_fence", "dollarmath"],
    }
    Sphinx(source, None, out, folder / "doctrees", "html", confoverrides=settings, status=None).build()
    return out, read(out / "book/part/turn.html")


def read(file: Path) -> BeautifulSoup:
    return BeautifulSoup(file.read_text(encoding="utf8"), "html.parser")


def told(page: BeautifulSoup) -> dict[str, str]:
    tags = page.select("meta[property], meta[name]")
    return {tag.get("property") or tag["name"]: tag["content"] for tag in tags}


def test_a_shared_page_shows_its_question_and_a_picture(tmp_path: Path) -> None:
    out, page = built(tmp_path, "Me/encodings")
    tags = told(page)
    assert tags["description"] == tags["og:description"] == "Is a < b kept, if m turns? Maybe somewhere? Yes."
    assert tags["og:title"] == "A turn"
    assert tags["og:site_name"] == "The book"
    assert tags["og:url"] == page.select_one("link[rel=canonical]")["href"] == f"{SITE}book/part/turn.html"
    with Image.open(out / tags["og:image"].removeprefix(SITE)) as picture:
        assert picture.size == (1200, 630)
    assert "/encodings/book/index.html" in [link.get("href") for link in read(out / "404.html").find_all("a")]
    root = read(out / "index.html")
    assert told(root)["og:title"] == "The book"
    assert told(root)["og:url"] == root.select_one("link[rel=canonical]")["href"] == SITE
    assert told(root)["description"] == "It begins here."
    assert root.find("a", string="here")["href"] == "./book/part/turn.html"
    pages = ElementTree.parse(out / "sitemap.xml").findall(".//{*}loc")
    assert [page.text for page in pages] == [SITE, f"{SITE}book/part/turn.html"]


def test_only_the_description_is_told_as_long_as_nobody_knows_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # no git, so no origin
    out, page = built(tmp_path, "OWNER/REPOSITORY")
    assert told(page)["description"].endswith("Yes.")
    assert not any(name.startswith(("og:", "twitter:")) for name in told(page))
    assert not (out / "sitemap.xml").exists()


@pytest.mark.parametrize("size", [(700, 150), (400, 500)])  # below the words, and beside them
def test_a_card_shows_the_picture_without_its_question(tmp_path: Path, size: tuple[int, int]) -> None:
    still = Image.new("RGB", (792, 600), "white")
    still.paste("black", (10, 4, 400, 20))
    still.paste("red", (50, 50, 50 + size[0], 50 + size[1]))
    assert frames(still, "What?").size == size
    drawn("A turn", "What?", "The book", tmp_path / "card.png", frames(still, "What?"))
    with Image.open(tmp_path / "card.png") as card:
        colours = {colour: count for count, colour in card.getcolors(10**6)}
        assert card.size == SIZE
    red = ImageChops.multiply(*(Image.new("RGB", (1, 1), colour) for colour in (PAPER, "red"))).getpixel((0, 0))
    assert colours[red] > 100_000


def test_programs_find_each_page_as_markdown(site: Path) -> None:
    told = (site / "llms.txt").read_text("utf8")
    assert re.match(r"# .+\n\n> .+\n\n[^#]+\n## (?s:.+)\n## Optional\n", told)
    links = [link.removeprefix(address.site(ROOT)) for link in re.findall(r"\]\((\S+)\)", told)]
    assert links == ["llms-full.txt", *(f"{page}.md" for page in PAGES[1:])]
    for link in links:
        words = re.sub(r"(?ms)^ *```.*?^ *```$", "", (site / link).read_text("utf8"))
        assert not re.search(r":::|\{[\w:]+\}`|</?(div|svg|details|span)\b|^<!-- (?!\S+ -->$)", words, re.M), link
    page = (site / "book/relative/alibi.md").read_text("utf8")
    assert page.startswith("# ALiBi\n\n**In short**\n\n**Question.** ")
    for part in (
        "\n$$\ns(h, j)",
        "**Theorem (The nearest keys keep their share)**",
        "[Picture: Three",
        "(join them)\n",
    ):
        assert part in page


@pytest.mark.parametrize("page", [*PAGES, "index", "404", "search"])
def test_a_page_of_the_book_says_what_it_is(site: Path, page: str) -> None:
    shown = read(site / f"{page}.html")
    assert len(shown.select("meta[name=viewport]")) == 1
    assert len(shown.title.text.split("Positional encodings")) == 2
    if page not in ("404", "search"):
        assert 20 < len(told(shown)["description"]) <= 250
        assert not set("$\\`{") & set(told(shown)["description"])
