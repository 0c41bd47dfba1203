"""The list of references holds the papers that the chapters name."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tools.chapters import ROOT, chapters, text_of

BIB = (ROOT / "book" / "references.bib").read_text(encoding="utf-8")
ENTRIES = re.findall(r"(?ms)^@\w+\{.+?^\}$", BIB)


def sources(text: str) -> set[str]:
    """The papers on arXiv, and the posts of Scientific Spaces, to which the box of a chapter leads."""
    box = re.search(r"(?ms)^:::\{admonition\} In short$(.*?)^:::$", text)
    return set(re.findall(r"\]\((https://(?:arxiv\.org/abs|kexue\.fm/archives)/[^)]+)\)", box[1]))


def address(entry: str) -> str:
    """Where an entry is found: on arXiv, if it has a number there."""
    number = re.search(r"(?m)^  eprint +=  *\{(.+)\},$", entry)
    url = re.search(r"(?m)^  url +=  *\{(.+)\},$", entry)
    return f"https://arxiv.org/abs/{number[1]}" if number else url[1] if url else ""


LISTED = Counter(map(address, ENTRIES))


@pytest.mark.parametrize("page", chapters(), ids=lambda page: page.name)
def test_what_a_chapter_names_in_its_box_is_among_the_references(page):
    assert sources(text_of(page.name).read_text(encoding="utf-8")) - set(LISTED) == set()


def test_no_paper_is_listed_twice():
    assert [place for place, times in LISTED.items() if place and times > 1] == []


def test_links_are_read_in_the_box_only_even_where_a_line_breaks_in_their_words():
    box = "**Paper.** A 2020, [in two\nlines](https://arxiv.org/abs/1.2), [post](https://kexue.fm/archives/3)."
    text = f":::{{admonition}} In short\n{box}\n:::\n\n[Below](https://arxiv.org/abs/4.5)\n"
    assert sources(text) == {"https://arxiv.org/abs/1.2", "https://kexue.fm/archives/3"}
