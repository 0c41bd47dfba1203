"""Every entry of the errata says what is believed, has its check, and says what is right; and somebody leads to it."""

import posixpath
import re

from mdit_py_plugins.anchors.index import slugify

from tools.book import BOOK

NAMES = ("errata", "errata-papers", "errata-code")
PAGES = {name: BOOK.text_of(f"practice/{name}").read_text(encoding="utf8") for name in NAMES}
IN_FULL = re.compile(r"(?m)^## (.*, in full)$")  # an entry told at length, with its derivations
ENTRY = re.compile(r"(?s)\n(\S.+?)\n```\{code-cell\}\n(.+?)\n```\n\n(\*\*Right:\*\* .+)")


def entries(page):
    """Pairs of a heading and what stands below it, without what is told at length."""
    told = re.sub(r"(?m)^## .*\n\n", "", re.split(r"(?m)^## Where each", IN_FULL.split(page)[0])[0])
    return [entry.partition("\n")[::2] for entry in re.split(r"(?m)^### ", told)[1:]]


ENTRIES = [entry for page in PAGES.values() for entry in entries(page)]


def formless(body: str) -> bool:
    found = ENTRY.fullmatch(body)
    return (
        not found
        or not 1 <= len(found[2].splitlines()) <= 9
        or "print(" not in found[2]
        or not re.search(r"\]\(\.\./[\w-]+/[\w-]+\.ipynb\)", found[3])
    )


def test_an_entry_says_what_is_believed_then_checks_it_then_says_what_is_right():
    assert len({title for title, _ in ENTRIES}) == len(ENTRIES)
    assert [title for title, body in ENTRIES if formless(body)] == []


def test_the_claims_that_entries_name_are_those_of_the_book():
    right = "".join(body.partition("**Right:**")[2] for _, body in ENTRIES)
    named = set(re.findall(r"`([a-z0-9-]+\.[a-z0-9-]+)`", right)) - {"linear.weight"}  # torch's name
    assert named
    assert named - set(BOOK.tested) == set()


def test_only_pages_that_answer_no_question_are_not_named():
    links = re.findall(r"\]\(([^):#]+)[^)]*\)", PAGES["errata"])
    named = {posixpath.splitext(posixpath.normpath(f"practice/{link}"))[0] for link in links}
    every = {posixpath.splitext(page.file.removeprefix("book/"))[0] for page in BOOK.pages}
    unnamed = {"practice/errata", "practice/what-is-checked", "notation", "references"}
    unnamed |= {page for page in every if page.startswith("practice/questions-")}  # they are nothing but questions
    assert every - named == unnamed, "a page needs a Question in its block On other pages, or a place in an answer"


def test_every_entry_is_linked_from_a_chapter_where_a_reader_would_fall_into_it():
    others = [page for page in BOOK.chapters if page.name.removeprefix("practice/") not in PAGES]
    texts = "".join(BOOK.text_of(page.name).read_text(encoding="utf8") for page in others)
    for name, page in PAGES.items():
        linked = set(re.findall(rf"\]\((?:\.\./practice/)?{name}\.ipynb#([^)]+)\)", texts))
        titles = [title for title, _ in entries(page)] + IN_FULL.findall(page)
        assert linked == {slugify(title.replace("`", "")) for title in titles}, name
