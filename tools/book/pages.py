"""A page of the book, and what a chapter says of itself: in its title, its box "In short" and its last paragraph."""

from __future__ import annotations

import re
from typing import NamedTuple


class Page(NamedTuple):
    """A page of the book; a chapter is a page that is a notebook with a text twin."""

    file: str  # as in _toc.yml, such as book/relative/alibi.ipynb
    part: str = ""  # the caption under which it stands

    @property
    def name(self) -> str:
        """Such as `relative/alibi`: the page, its module and its folder of tests are found by it."""
        return self.file.removeprefix("book/").removesuffix(".ipynb")

    @property
    def is_chapter(self) -> bool:
        return self.file.endswith(".ipynb")


class Summary(NamedTuple):
    """The title, the box's question, and the slot that the last paragraph names; empty where there is none."""

    title: str
    question: str
    slot: str


def summary(text: str, place: object) -> Summary:
    title = re.search(r"(?m)^# (.+)$", text)
    box = re.search(r"(?ms)^:::\{admonition\} In short$(.*?)^:::$", text)
    if not title or not box:
        raise ValueError(f"{place} needs a title (# …) and a box (:::{{admonition}} In short)")
    return Summary(title[1].strip(), bare(said(box[1], "Question")), bare(said(foot(text), "Slot")))


def foot(text: str) -> str:
    """The last paragraph: slot, papers and files."""
    return text.rstrip().rpartition("\n\n")[2]


def said(text: str, label: str) -> str:
    """What stands behind a label in bold, up to the next one or to the paragraph's end."""
    found = re.search(rf"(?s)\*\*{label}\.\*\*\s+(.+?)\s*(?=\*\*\w+\.\*\*|\n\n|\Z)", text)
    return found[1] if found else ""


def bare(text: str) -> str:
    """On one line, and without links, which lead nowhere from another page."""
    return re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", " ".join(text.split()))


def chapter_of(module: str) -> str:
    """The name of the chapter whose module this is, if it has one.

    >>> chapter_of("posenc_lib.extension._random_positions")
    'extension/random-positions'
    """
    room, _, name = module.removeprefix("posenc_lib.").partition(".")
    return f"{room}/{name.removeprefix('_')}".replace("_", "-")
