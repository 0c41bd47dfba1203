"""Each chapter has what every chapter must have; `make missing` asks for the same."""

from __future__ import annotations

import re

import pytest

from tools import notebooks
from tools.book import BOOK, ROOT, chapter_rules
from tools.book.chapter_rules.chapter import Chapter
from tools.book.chapter_rules.form import LOOKED_UP


@pytest.mark.parametrize("page", BOOK.with_drafts, ids=lambda page: BOOK.text_of(page.name).stem)
def test_a_chapter_has_what_it_must_have(page):
    assert list(chapter_rules.faults(Chapter(page.name))) == []


def test_every_pair_of_text_and_notebook_is_a_chapter():
    assert notebooks.pairs(ROOT / "book") == sorted(BOOK.text_of(page.name) for page in BOOK.with_drafts)


@pytest.mark.parametrize("name", sorted(LOOKED_UP))
def test_a_page_that_is_looked_up_has_a_list_at_its_top(name):
    assert f"\n## {LOOKED_UP[name]}\n\n- **" in BOOK.text_of(name).read_text(encoding="utf-8")


def test_the_list_of_programs_leads_to_each_erratum():
    text = BOOK.text_of("practice/errata-code").read_text(encoding="utf-8")
    entries = [
        re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in re.findall(r"(?m)^### (.+)$", text)
    ]
    assert [entry for entry in entries if f"](#{entry})" not in text] == []
