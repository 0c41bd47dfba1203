"""Each claim has a derivation and a test, and each chapter that derives has its test of proofs."""

import re

from tools import claims, ledger
from tools.chapters import ROOT, chapters, drafts, text_of

TEXTS = {page.name: text_of(page.name) for page in [*chapters(), *drafts()]}


def test_every_claim_has_a_derivation_and_a_test():
    assert claims.faults(claims.derived(), claims.tested()) == []


def test_the_ledger_lists_every_claim_in_the_order_of_the_book():
    listed = [claim for page in chapters() for claim in ledger.records(page)]
    drafted = [claim for page in drafts() for claim in claims.named_in(text_of(page.name))]
    assert sorted(listed + drafted) == sorted(claims.derived())
    assert re.findall(r"(?m)^### `(.+)`$", ledger.text()) == listed


def test_an_entry_of_the_ledger():
    proof = {"statement": "a b = 3 b", "hypotheses": r"a \in \mathbb{R}", "steps": 2}
    page = next(page for page in chapters() if page.name == "relative/alibi")
    entry = ledger.chapter(page, {"x.y": [proof, proof | {"hypotheses": "", "steps": 1}]}, {"x.y": ["a.py::b", "c"]})
    assert list(entry) == [
        "## ALiBi",
        "### `x.y`",
        r"$$\begin{aligned} & \text{For } a \in \mathbb{R}\text{:} \\[4pt] & a b = 3 b \end{aligned}$$",
        "Derived in [ALiBi](../relative/alibi.ipynb), in 2 checked steps.",
        r"$$\begin{aligned} & a b = 3 b \end{aligned}$$",
        "Derived in [ALiBi](../relative/alibi.ipynb), in 1 checked step.",
        "Verified by",
        "- `a.py::b`\n- `c`",
    ]


def test_a_claim_without_its_other_half_is_a_fault():
    assert claims.faults({"a.b": []}, {"c.d": []}) == ["a.b has no test", "c.d has no derivation"]


def test_marks_are_read_from_the_tests():
    source = '@pytest.mark.claim("a.b")\n@pytest.mark.claim("c.d")\ndef test_x(): pass\n# @pytest.mark.claim("e.f")'
    assert list(claims.marked_tests(source)) == [("test_x", "a.b"), ("test_x", "c.d")]


def test_every_chapter_that_derives_has_a_test_of_its_proofs():
    deriving = [name for name, text in TEXTS.items() if claims.derivation_cells(text)]
    files = [ROOT / "tests" / name.replace("-", "_") / "test_proofs.py" for name in deriving]
    assert deriving
    assert [str(file) for file in files if not file.exists()] == []


def test_no_cell_derives_without_the_tag():
    assert [(name, line) for name, text in TEXTS.items() for line in claims.untagged(text)] == []


def test_a_cell_that_derives_without_the_tag_is_seen(tmp_path):
    chapter = tmp_path / "x.md"
    chapter.write_text("# X\n\n```{code-cell}\nDerivation(a).step(b, because='c')\n```\n")
    chapter.write_text(TEXTS["relative/alibi"].read_text().split("# ALiBi")[0] + chapter.read_text())
    assert claims.untagged(chapter) == ["Derivation(a).step(b, because='c')"]
    assert claims.derivation_cells(chapter) == []
