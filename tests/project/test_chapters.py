"""The list of chapters, and what is made from it."""

from __future__ import annotations

import re
import shutil

import pytest

from tools import notebooks
from tools.book import BOOK, ROOT, Book, entries, lists, registers, verdicts
from tools.book.pages import Page

LIST = """\
root: book/index
parts:
  - chapters:
      - file: book/notation
  - caption: Added to the scores
    chapters:
      - file: book/relative/one.ipynb
meta:
  drafts:
"""
TEXT = """\
# One | other

:::{admonition} In short
:class: tip

**Question.** What is
$|x|$ in [two](two.ipynb)?
:::

**Slot.** Added to the scores. The values stay. **Files.** `one.py`.
"""
REGISTERS = {
    registers.COMPARE: registers.table(entries.COLUMNS) + "\n",
    registers.METHODS: "# All methods\n",
    registers.ERRATA: registers.table(entries.QUESTION) + "\n",
}


@pytest.fixture
def root(tmp_path):
    """A book of one chapter."""
    (tmp_path / "book" / "relative").mkdir(parents=True)
    (tmp_path / "_toc.yml").write_text(LIST)
    (tmp_path / "_config.yml").write_text("repository:\n  url: https://github.com/a/b\n")
    (tmp_path / "book" / "relative" / "one.md").write_text(TEXT)
    (tmp_path / "README.md").write_text(f"Before.\n{lists.START}\nold\n{lists.END}\nAfter.\n")
    for page, text in REGISTERS.items():
        (tmp_path / page).parent.mkdir(exist_ok=True)
        (tmp_path / page).write_text(text)
    shutil.copy(ROOT / verdicts.PAGE, tmp_path / verdicts.PAGE)
    return tmp_path


# --- The list ---------------------------------------------------------------------------------------------------------


def test_pages_chapters_and_drafts_are_read_from_the_list(root):
    one = Page("book/relative/one.ipynb", "Added to the scores")
    book = Book(root)
    assert (book.pages, book.chapters, book.drafts) == ([Page("book/notation"), one], [one], [])
    (root / "_toc.yml").write_text(LIST + "      - file: book/relative/two.ipynb\n")
    book = Book(root)
    assert (book.chapters, book.drafts) == ([one], [Page("book/relative/two.ipynb")])
    assert book.drafts[0].name == "relative/two"


def test_a_chapter_says_its_title_its_question_and_its_slot(root):
    (said,) = Book(root).summaries.values()
    assert said == ("One | other", "What is $|x|$ in two?", "Added to the scores. The values stay.")


@pytest.mark.parametrize("text", ["# A title without a box\n", ":::{admonition} In short\n:::\n"])
def test_a_chapter_without_a_title_or_a_box_is_refused(root, text):
    (root / "book" / "relative" / "one.md").write_text(text)
    with pytest.raises(ValueError, match=r"one\.md needs a title \(# …\) and a box \(:::\{admonition\} In short\)"):
        Book(root).summaries  # noqa: B018


def test_every_chapter_of_the_book_asks_a_question():
    assert [page.name for page, said in BOOK.summaries.items() if not said.question.endswith("?")] == []


# --- What is made from it ---------------------------------------------------------------------------------------------


def test_what_is_made_from_the_list_is_not_stale():
    """If it is: make lists."""
    assert lists.stale() == [], "make lists"


def test_the_tables_have_a_row_for_each_chapter(root):
    assert lists.questions(Book(root)).splitlines() == [
        ":::{dropdown} Added to the scores",
        "| Chapter | Its question |",
        "| --- | --- |",
        r"| [One \| other](relative/one.ipynb) | What is $\|x\|$ in two? |",
        ":::",
    ]
    colab = "https://colab.research.google.com/github/a/b/blob/main/book/relative/one.ipynb"
    assert lists.places(Book(root)).splitlines() == [
        "| Chapter | Where position acts | In Colab |",
        "| --- | --- | --- |",
        rf"| [One \| other](book/relative/one.ipynb) | Added to the scores | [open]({colab}) |",
    ]


def test_readme_keeps_what_stands_around_its_table(root):
    assert re.fullmatch(
        r"(?s)Before\.\n<!--.+-->\n\n\| Chapter .+ \|\n\n<!--.+-->\nAfter\.\n", lists.readme(Book(root))
    )


def test_readme_without_its_marks_is_refused(root):
    (root / "README.md").write_text("No marks.")
    with pytest.raises(
        ValueError, match=r"README\.md needs the lines <!-- chapters.*> and <!-- end of chapters --> once"
    ):
        lists.readme(Book(root))


def test_a_new_chapter_makes_the_lists_stale_and_make_lists_mends_them(root):
    lists.main(Book(root))
    assert lists.stale(Book(root)) == []
    (root / "_toc.yml").write_text(LIST.replace("meta:", "      - file: book/relative/two.ipynb\nmeta:"))
    (root / "book" / "relative" / "two.md").write_text(TEXT)
    assert lists.stale(Book(root)) == ["README.md"]
    lists.main(Book(root))
    assert lists.stale(Book(root)) == []


def test_a_page_with_a_notebook_is_run_when_all_is_written(root, monkeypatch):
    """Its cells import what the rooms export."""
    run = []
    monkeypatch.setattr(notebooks, "bring_together", lambda file: run.append((file.name, lists.stale(Book(root)))))
    (root / registers.ERRATA).write_text(f"---\njupytext:\n---\n{REGISTERS[registers.ERRATA]}")
    block = "<!-- On other pages:\n\nQuestion: Where?\nAnswer: [One](one.ipynb)\n-->\n"
    (root / "book" / "relative" / "one.md").write_text(f"{TEXT}\n{block}")
    lists.main(Book(root))
    assert run == [("errata.md", [])]


def test_a_draft_is_in_no_list(root):
    before = lists.readme(Book(root)), lists.questions(Book(root))
    (root / "_toc.yml").write_text(LIST + "      - file: book/relative/two.ipynb\n")
    assert (lists.readme(Book(root)), lists.questions(Book(root))) == before
