"""What is a chapter, and which ones there are: `_toc.yml` is the one list. Here is also the repository's root.

A draft is a chapter that stands under `meta: drafts:` there. It is tested like the others, but neither the site nor any
list of chapters shows it. To publish it, move its line to a part of the book.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import yaml

ROOT = Path(__file__).resolve().parents[2]


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


class Summary(NamedTuple):
    """What a chapter says of itself: its title, and two lines of its box "In short"; empty where it lacks the line."""

    title: str
    question: str
    slot: str


def toc(root: Path = ROOT) -> dict:
    return yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))


def pages(root: Path = ROOT) -> list[Page]:
    """All pages after the landing page, in the order of the book."""
    return [Page(page["file"], part.get("caption", "")) for part in toc(root)["parts"] for page in part["chapters"]]


def chapters(root: Path = ROOT) -> list[Page]:
    """The chapters that readers see."""
    return [page for page in pages(root) if page.is_chapter]


def drafts(root: Path = ROOT) -> list[Page]:
    """The chapters that are being written."""
    return [Page(page["file"], "") for page in toc(root).get("meta", {}).get("drafts") or []]


def rooms(root: Path = ROOT) -> list[str]:
    """The folders of the library that have chapters."""
    folders = sorted(init.parent.name for init in (root / "posenc_lib").glob("*/__init__.py"))
    return [name for name in folders if (root / "book" / name).is_dir()]


def text_of(name: str, root: Path = ROOT) -> Path:
    """The text of the chapter `relative/alibi`."""
    return root / "book" / f"{name}.md"


def folder_of_tests(name: str, root: Path = ROOT) -> Path:
    """The folder of its tests. Where a page's name has a hyphen, the folder and the module have an underscore."""
    return root / "tests" / name.replace("-", "_")


def mutants_of(name: str, root: Path = ROOT) -> Path:
    """The errors that people make in its derivations, a line each."""
    return root / "tests" / "corpus" / "mutants" / f"{name}.tsv"


def module_of(name: str, root: Path = ROOT) -> Path | None:
    """Its module: `alibi.py`, or `_ntk.py`, since a function `ntk` would hide a module of the same name."""
    room, _, method = name.replace("-", "_").partition("/")
    places = [root / "posenc_lib" / room / f"{hidden}{method}.py" for hidden in ("", "_")]
    return next((place for place in places if place.is_file()), None)


def chapter_of(module: str) -> str:
    """The name of the chapter whose module this is, if it has one.

    >>> chapter_of("posenc_lib.extension._random_positions")
    'extension/random-positions'
    """
    room, _, name = module.removeprefix("posenc_lib.").partition(".")
    return f"{room}/{name.removeprefix('_')}".replace("_", "-")


def summary(page: Page, root: Path = ROOT) -> Summary:
    text = text_of(page.name, root).read_text(encoding="utf-8")
    title = re.search(r"(?m)^# (.+)$", text)
    box = re.search(r"(?ms)^:::\{admonition\} In short$(.*?)^:::$", text)
    if not title or not box:
        raise ValueError(f"{text_of(page.name, root)} needs a title (# …) and a box (:::{{admonition}} In short)")
    said = dict(re.findall(r"(?ms)^\*\*(\w[\w ]*)\.\*\*\s+(.+?)\s*(?=^$|\Z)", box[1]))
    return Summary(title[1].strip(), *(bare(said.get(line, "")) for line in ("Question", "Slot")))


def bare(text: str) -> str:
    """On one line, and without links, which lead nowhere from another page."""
    return re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", " ".join(text.split()))
