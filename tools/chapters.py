"""What is a chapter, and which ones there are: `_toc.yml` is the one list. Here is also the repository's root."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import yaml

ROOT = Path(__file__).resolve().parent.parent


class Page(NamedTuple):
    """A page of the book; a chapter is a page that is a notebook with a text twin."""

    file: str  # as in _toc.yml, such as book/relative/alibi.ipynb
    part: str  # the caption under which it stands

    @property
    def name(self) -> str:
        """Such as `relative/alibi`: the page, its module and its folder of tests are found by it."""
        return self.file.removeprefix("book/").removesuffix(".ipynb")

    @property
    def is_chapter(self) -> bool:
        return self.file.endswith(".ipynb")


def pages(root: Path = ROOT) -> list[Page]:
    """All pages after the landing page, in the order of the book."""
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    return [Page(page["file"], part["caption"]) for part in toc["parts"] for page in part["chapters"]]


def chapters(root: Path = ROOT) -> list[Page]:
    return [page for page in pages(root) if page.is_chapter]


def text_of(name: str, root: Path = ROOT) -> Path:
    """The text of the chapter `relative/alibi`."""
    return root / "book" / f"{name}.md"
