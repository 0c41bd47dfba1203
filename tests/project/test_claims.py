"""Each claim has a derivation and a test."""

import re
import traceback
from functools import cache

import pytest

from tools.book import BOOK, claims, ledger, marked_tests

derived = cache(claims.derived)  # it reads all chapters, so not before a test asks


def test_every_claim_has_a_derivation_and_a_test():
    assert claims.faults(derived(), BOOK.tested) == []


def test_the_ledger_lists_every_claim_in_the_order_of_the_book():
    listed = [claim for page in BOOK.chapters for claim in ledger.records(page)]
    drafted = [claim for page in BOOK.drafts for claim in claims.named_in(BOOK.text_of(page.name))]
    assert sorted(listed + drafted) == sorted(derived())
    text = ledger.text()
    assert re.findall(r"(?m)^`(\S+)`, tested in numbers, in ", text) == listed
    anchors = re.findall(r"(?m)^::::\{dropdown\} [A-Z$].+\.\n:name: (claim-\S+)$", text)
    assert anchors == [ledger.anchor(claim) for claim in listed]


def test_an_entry_of_the_ledger():
    page = next(page for page in BOOK.chapters if page.name == "relative/alibi")
    proofs = [{"steps": 2}, {"steps": 1}]
    assert ledger.entry(page, "alibi.y", proofs, ["a.py::test_turns_add_up", "a.py::test_b"]).split("\n\n") == [
        "Formula, hypotheses and proof: [2 checked steps](../relative/alibi.ipynb#claim-alibi-y), "
        "[1 checked step](../relative/alibi.ipynb#claim-alibi-y-2).",
        "`alibi.y`, tested in numbers, in `a.py`:",
        "- turns add up\n- b",
    ]


def test_the_part_of_a_chapter_in_the_ledger():
    proof = {"steps": 1}
    page = next(page for page in BOOK.chapters if page.name == "relative/alibi")
    title, claim, peers, printed = ledger.chapter(page, {"alibi.y": [proof]}, {"alibi.y": ["a.py::test_b"]})
    assert title == "## [ALiBi](../relative/alibi.ipynb)"
    assert claim.startswith("::::{dropdown} B.\n:name: claim-alibi-y\n:class-container: claim\n\nFormula")
    assert "*Beside other people's code:* transformers, x-transformers" in peers
    assert "- bloom slopes\n" in peers
    assert "- the slopes of the paper\n" in printed


def test_a_claim_is_told_in_the_sentence_of_its_theorem_where_it_has_one():
    text = ":::{prf:lemma} A title\n:label: turns.add\n\nTwo [turns](x.md)\nadd up.\n\n*For all.*\n:::\n"
    assert ledger.statements(text) == {"turns.add": "Two turns add up."}
    assert ledger.sentence(["a.py::test_turns_add_up"]) == "Turns add up."


def test_marks_are_read_from_the_tests():
    source = '@pytest.mark.claim("a.b")\n@pytest.mark.claim("c.d")\ndef test_x(): pass\n# @pytest.mark.claim("e.f")'
    assert list(marked_tests(source)) == [("test_x", "a.b"), ("test_x", "c.d")]


def test_an_error_of_a_cell_points_to_its_line_on_the_page(tmp_path):
    chapter = tmp_path / "x.md"
    chapter.write_text("# X\n\n```{code-cell}\n:tags: [derivation]\n\na = 1\na + elsewhere\n```\n")
    with pytest.raises(NameError, match="elsewhere") as caught:
        list(claims.run_cells(chapter))
    place = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (place.filename, place.lineno, place.line) == (str(chapter), 7, "a + elsewhere")
    assert caught.value.__notes__ == ["A cell with the tag `derivation` can use the names of other such cells only."]
