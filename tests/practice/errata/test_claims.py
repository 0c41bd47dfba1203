"""Every entry of the errata has its check, its right statement and its proof; its links lead to pages that exist."""

import posixpath
import re

import jupytext
import pytest
from mdit_py_plugins.anchors.index import slugify

from tools import claims
from tools.chapters import ROOT, chapters, pages, text_of

PAGES = {
    name: (claims.ROOT / "book" / "practice" / f"{name}.md").read_text(encoding="utf8")
    for name in ("errata", "errata-papers", "errata-code")
}
ERRATA = [f"practice/{name}" for name in PAGES]
TEXT = "".join(PAGES.values())


IN_FULL = re.compile(r"(?m)^## (.*, in full)$")  # an entry told at length, with its derivations


def short(page):
    """The page without what is told at length."""
    return IN_FULL.split(page)[0]


def entries(page):
    """Pairs of a heading and what stands below it."""
    told = re.sub(r"(?m)^## .*\n\n", "", re.split(r"(?m)^## Where each", short(page))[0])
    return [entry.partition("\n")[::2] for entry in re.split(r"(?m)^### ", told)[1:]]


ENTRIES = [entry for page in PAGES.values() for entry in entries(page)]
BY_NAME = dict(ENTRIES)
CLAIM = re.compile(r"`([a-z0-9-]+\.[a-z0-9-]+)`")


def test_no_entry_stands_twice():
    assert len(BY_NAME) == len(ENTRIES)


@pytest.mark.parametrize("title", BY_NAME)
def test_entry_says_what_is_believed_then_checks_it_then_says_what_is_right(title):
    believed, check, right = re.fullmatch(
        r"(?s)\n(.+?)\n```\{code-cell\}\n(.+?)\n```\n\n(\*\*Right:\*\* .+)", BY_NAME[title]
    ).groups()
    assert believed.strip()
    assert 1 <= len(check.splitlines()) <= 9
    assert "print(" in check
    assert re.search(r"\]\(\.\./[\w-]+/[\w-]+\.ipynb\)", right)


def test_the_claims_that_entries_name_are_those_of_the_book():
    named = {claim for body in BY_NAME.values() for claim in CLAIM.findall(body.partition("**Right:**")[2])}
    assert named
    assert named - {"linear.weight"} <= set(claims.tested())  # torch's name


def test_every_link_leads_to_a_chapter():
    links = re.findall(r"\]\((\.\./[^)#]+)\)", TEXT)
    assert [link for link in links if not (ROOT / "book" / "practice" / link).is_file()] == []


LINKS = re.findall(r"\]\(([^):#]+)[^)]*\)", PAGES["errata"])
NAMED = {posixpath.splitext(posixpath.normpath(f"practice/{link}"))[0] for link in LINKS}
EVERY = {posixpath.splitext(page.file.removeprefix("book/"))[0] for page in pages()}
NO_QUESTION = {"practice/errata", "practice/what-is-checked", "notation", "references"}


def test_only_pages_that_answer_no_question_are_not_named():
    assert EVERY - NAMED == NO_QUESTION, "a page needs a Question in its block On other pages, or a place in an answer"


@pytest.mark.parametrize("page", PAGES)
def test_every_entry_is_linked_from_a_chapter_where_a_reader_would_fall_into_it(page):
    texts = [text_of(chapter.name).read_text(encoding="utf8") for chapter in chapters() if chapter.name not in ERRATA]
    linked = set(re.findall(rf"\]\((?:\.\./practice/)?{page}\.ipynb#([^)]+)\)", "".join(texts)))
    titles = [title for title, _ in entries(PAGES[page])] + IN_FULL.findall(PAGES[page])
    assert linked == {slugify(title.replace("`", "")) for title in titles}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_the_checks_are_the_cells_of_the_page(page):
    cells = [cell for cell in jupytext.reads(short(page), "md:myst").cells if cell.cell_type == "code"]
    assert len(cells) == len(entries(page)) + 3  # Colab, the imports, the vectors
