"""The list of references names each paper once. That it has those of each chapter is one of the rules for chapters."""

from __future__ import annotations

from collections import Counter

from tools.book import ROOT
from tools.book.chapter_rules.listed import addresses


def test_no_paper_is_listed_twice():
    listed = Counter(addresses((ROOT / "book" / "references.bib").read_text(encoding="utf-8")))
    assert [place for place, times in listed.items() if place and times > 1] == []
