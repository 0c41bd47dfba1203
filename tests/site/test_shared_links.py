"""What a link to a page shows where somebody shares it: the page's first picture, once the address is known."""

from __future__ import annotations

from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from PIL import Image
from sphinx.application import Sphinx

PAGE = "# A turn\n\nA word is turned by its position.\n\n![an arrow](arrow.png)\n"


def built(folder: Path, name: str) -> dict[str, str]:
    """The tags of a page for those who share it, with the repository at this address."""
    source, out = folder / "source", folder / "out"
    source.mkdir()
    (source / "_config.yml").write_text(f"repository:\n  url: https://github.com/{name}\n", encoding="utf8")
    (source / "index.md").write_text(PAGE, encoding="utf8")
    Image.new("RGB", (4, 4)).save(source / "arrow.png")
    settings = {"extensions": ["myst_parser", "repository_address"], "project": "Book", "html_theme": "basic"}
    Sphinx(source, None, out, folder / "doctrees", "html", confoverrides=settings, status=None).build()
    page = BeautifulSoup((out / "index.html").read_text(encoding="utf8"), "html.parser")
    return {tag["property"]: tag["content"] for tag in page.find_all("meta", property=True)}


def test_the_first_picture_is_shown_with_its_words(tmp_path: Path) -> None:
    tags = built(tmp_path, "Me/encodings")
    assert tags["og:image"] == "https://me.github.io/encodings/_images/arrow.png"
    assert tags["og:image:alt"] == "an arrow"
    assert tags["og:url"] == "https://me.github.io/encodings/index.html"
    assert tags["og:description"].startswith("A word is turned")


def test_nothing_is_said_as_long_as_nobody_knows_the_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # no git, so no origin
    assert not any(name.startswith("og:") for name in built(tmp_path, "OWNER/REPOSITORY"))
