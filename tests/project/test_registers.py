"""What a chapter says for other pages stands on them: as it says it, and in a place of its own."""

from __future__ import annotations

import re

import pytest

from tests.contract.methods import METHODS
from tools import notebooks
from tools.book import BOOK, ROOT, Book, entries, numbers, registers
from tools.book.chapter_rules.form import prose
from tools.book.claims import derived

TOC = """\
root: book/index
parts:
  - caption: Added to the scores
    chapters:
      - file: book/relative/one.ipynb
      - file: book/relative/two.ipynb
      - file: book/practice/three.ipynb
meta:
  drafts:
      - file: book/relative/four.ipynb
"""
ROW = """\
Encoding: [{0}]({1}), masked
Formula: $|x|$
Learns: $2h$
Beyond the trained length: nothing,
  or [little](../absolute/other.ipynb#far)
Extra work: none
Used by: nobody
Methods: a; b, of c"""
SAID = {
    "relative/one": [ROW.format("One", "one.ipynb"), "Line: **[One](one.ipynb)**, A 2020: it is.\nUnder: Near"],
    "relative/two": [
        "Line: **[Two](#part), Second**, [B\n  2021](https://b.org): it is $a - b$ too.\nUnder: Far",
        "Line: **[New](two.ipynb)**, C 2022: it is new.\nUnder: Near",
        ROW.format("Two", "two.ipynb#part"),
    ],
    "practice/three": ["Question: How far?\nAnswer: [Three](three.ipynb)", ROW.format("Three", "three.ipynb")],
    "relative/four": [ROW.format("Four", "four.ipynb")],
}
PAGES = {
    "compare": f"A.\n\n| {' | '.join(entries.COLUMNS)} |\n|{' --- |' * 9}\n| [Three](x) | old |\n| [Gone](y) |\n:::\n",
    "methods": """\
# All

## Part

### Near

- **Grey**, D 2019: it has
  no page.
- **[Gone](x)**, E 2018: it had one.
- **[One](x)**, A 2020: it was.

### Far

Some words.

- **Two**, B 2021: it was grey.
- **Last**, F 2017: it is last.
""",
    "errata": "Before.\n\n| Question | Answer |\n| --- | --- |\n| Gone? | [x](x) |\n\nAfter.\n",
}


@pytest.fixture
def root(tmp_path, monkeypatch):
    run = dict(zip(entries.COMPUTED, ("3", "yes", "no"), strict=True))
    monkeypatch.setattr(registers, "computed", lambda title, methods, book: run)
    (tmp_path / "_toc.yml").write_text(TOC)
    for name, said in SAID.items():
        block = "\n\n".join(said)
        text = Book(tmp_path).text_of(name)
        text.parent.mkdir(parents=True, exist_ok=True)
        text.write_text(f"# A\n\n<!-- On other pages, by `make lists`:\n\n{block}\n-->\n\nWords.\n")
    for name, text in PAGES.items():
        (tmp_path / "book" / "practice" / f"{name}.md").write_text(text)
    return tmp_path


def test_rows_keep_their_places_and_a_new_one_goes_where_the_book_has_it(root):
    said = "$\\|x\\|$ | 3 | $2h$ | yes | no | nothing, or [little](../absolute/other.ipynb#far) | none | nobody |"
    assert registers.compare(Book(root)) == PAGES["compare"].replace(
        "| [Three](x) | old |\n| [Gone](y) |\n",
        f"| [One](../relative/one.ipynb), masked | {said}\n"
        f"| [Two](../relative/two.ipynb#part), masked | {said}\n"
        f"| [Three](three.ipynb), masked | {said}\n",
    )


def test_lines_keep_their_places_and_those_without_a_page_stay_or_give_way(root):
    assert registers.methods(Book(root)).partition("### Near\n")[2] == (
        "\n- **Grey**, D 2019: it has\n  no page.\n"
        "- **[One](../relative/one.ipynb)**, A 2020: it is.\n"
        "- **[New](../relative/two.ipynb)**, C 2022: it is new.\n"
        "\n### Far\n\nSome words.\n\n"
        "- **[Two](../relative/two.ipynb#part), Second**, [B 2021](https://b.org): it is $a - b$ too.\n"
        "- **Last**, F 2017: it is last.\n"
    )


def test_questions_are_those_of_the_chapters(root):
    assert registers.answers(Book(root)) == PAGES["errata"].replace(
        "| Gone? | [x](x) |", "| How far? | [Three](three.ipynb) |"
    )


@pytest.mark.parametrize("page", registers.WRITTEN, ids=lambda page: page.stem)
def test_written_twice_it_is_the_same(root, page):
    once = registers.WRITTEN[page](Book(root))
    (root / page).write_text(once)
    assert registers.WRITTEN[page](Book(root)) == once


def test_a_long_line_is_folded_but_no_formula():
    for words in range(12, 24):  # so that the end of the line falls on each place of the formula
        line = f"**[Long](long.ipynb)**: {'word ' * words}{'x' * (words % 5)} $a - b$ and on."
        folded = registers.item(line)
        assert " ".join(folded[2:].split()) == " ".join(line.split())
        assert "$a - b$" in folded
        assert max(map(len, folded.splitlines())) <= 118


def spoil(root, old, new, name="relative/one"):
    text = Book(root).text_of(name).read_text()
    assert old in text
    Book(root).text_of(name).write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "Learns: $2h$\n",
            "",
            r"one\.md: in the block On other pages, at 'Encoding: .+ has the fields Encoding, Formula",
        ),
        ("Learns: $2h$\n", "Learns:\n", r"at 'Encoding: .+Each has its text"),
        ("Under: Near", "under Near", r"at 'Line: .+ or Line, Under; or Question, Answer"),
        ("Formula: $|x|$\nLearns: $2h$\n", "Learns: $2h$\nFormula: $|x|$\n", r"at 'Encoding: .+ has the fields"),
        ("\n  or [little]", "\nor [little]", r"at 'Encoding: .+a further line is indented"),
        ("[One](one.ipynb), masked", "One", r"Encoding should be \[Name\]\(page\.ipynb\)"),
        ("**[One](one.ipynb)**, A 2020: it is.", "**One**, A 2020: it is.", r"Line should be \*\*\[Name\]"),
        ("**[One](one.ipynb)**, A 2020: it is.", "**[One](one.ipynb)**, A 2020.", r"Line should be .+: what it is\."),
        ("[One](one.ipynb), masked", "[Two](one.ipynb)", r"two entries for other pages are called 'Two'"),
        ("Under: Near", "Under: Nowhere", r"no such heading: 'One' under 'Nowhere'\. Its headings are Part, Near, Far"),
    ],
)
def test_a_slip_is_told_with_the_page_and_the_place(root, old, new, sentence):
    spoil(root, old, new)
    with pytest.raises(ValueError, match=sentence):
        (registers.compare(Book(root)), registers.methods(Book(root)))


def test_a_question_without_its_mark_is_refused(root):
    spoil(root, "How far?", "How far", "practice/three")
    with pytest.raises(ValueError, match=r"three\.md: .+ Question should be one that ends with a question mark"):
        registers.answers(Book(root))


def test_a_page_that_has_lost_its_table_is_refused(root):
    (root / registers.ERRATA).write_text("No table.\n")
    with pytest.raises(ValueError, match=r"'\| Question \| Answer \|' should stand on its page once"):
        registers.answers(Book(root))


def test_what_is_for_other_pages_is_no_part_of_the_words_of_its_own():
    words = [prose(notebooks.read_text(BOOK.text_of(page.name))) for page in BOOK.chapters]
    assert [text for text in words if "On other pages" in text or "Values see it" in text] == []


def test_the_landing_pages_numbers_are_counted():
    said = [int(number) for number in re.findall(r"\d+", re.sub(r"\(.*?\)", "", numbers.text()))]
    of_the_book, claims, explained, forms, others = said
    assert of_the_book == len(BOOK.pages)
    assert claims == len(derived())
    listed = registers.ITEM.findall((ROOT / registers.METHODS).read_text(encoding="utf-8"))
    linked = [item for item in listed if item.startswith("- **[")]
    assert (explained, others) == (len(linked), len(listed) - len(linked))
    assert int(numbers.others()) == explained - len(["RoPE", "ALiBi", "YaRN"])
    assert forms == len(METHODS)
    assert sorted(numbers.forms()) == sorted(METHODS)
