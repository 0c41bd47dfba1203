"""Each rule for chapters sees what is missing, and says the file, the line, and what to write there."""

from __future__ import annotations

import re
import shutil

import pytest

from tools import chapter_rules, claims, missing, new_chapter
from tools.chapter_rules import laid_out, listed, proved
from tools.chapter_rules.chapter import Chapter
from tools.chapters import ROOT, chapters
from tools.entries import ROW

PAGE, FOLDER, MODULE = "book/relative/one.md", "tests/relative/one", "posenc_lib/relative/one.py"
MUTANTS = "tests/corpus/mutants/relative/one.tsv"
TOC = """\
root: book/index
parts:
  - caption: Added to the scores
    chapters:
      - file: book/relative/one.ipynb
meta:
  drafts:
"""
DRAFTED = """\
root: book/index
parts:
meta:
  drafts:
      - file: book/relative/one.ipynb
"""
INIT = '"""Added to the scores."""\n\nfrom posenc_lib.relative.one import One\n\n__all__ = ["One"]\n'
HEAD = (new_chapter.TEMPLATES / "chapter.md").read_text(encoding="utf-8").partition("# TITLE")[0]
ENTRY_ROW = "Encoding: [One](one.ipynb)\n" + "".join(f"{field}: a\n" for field in ROW[1:])
ENTRY_LINE = "Line: **[One](one.ipynb)**: it is.\nUnder: Near\n"
ENTRY_NAMES = "Also searched as: uno\n"
ENTRY_QUESTION = "Question: Is it?\nAnswer: [One](one.ipynb)\n"
TEXT = f"""{HEAD}# One

:::{{admonition}} In short
**Do.** Count.

**Paper.** A 2020, [one](https://arxiv.org/abs/1.2).
:::

<!-- On other pages, by `make lists`:

{ENTRY_NAMES}
{ENTRY_ROW}
{ENTRY_LINE}
{ENTRY_QUESTION}-->

:::{{prf:lemma}} A sum
:label: one.sum

It is $a$.

*For all.*
:::

```{{code-cell}}
:tags: [derivation]

Derivation(a, claim="one.sum")
```

Files: `{MODULE}`, tested in `{FOLDER}/`.
"""
FILES = {
    "_toc.yml": TOC,
    "posenc_lib/relative/__init__.py": INIT,
    MODULE: '"""The one."""\n\n\nclass One: ...\n',
    f"{FOLDER}/test_code.py": '"""The one: it is."""\n',
    f"{FOLDER}/method.py": '"""One, as the contract takes it."""\n',
    f"{FOLDER}/test_claims.py": 'import pytest\n\n\n@pytest.mark.claim("one.sum")\ndef test_it(): ...\n',
    MUTANTS: "name\tright\twrong\tverdict\nanother claim\tone.sum\tone.mus\tRefuted\n",
    "book/references.bib": "@article{a,\n  eprint = {1.2},\n}\n",
    "book/practice/errata.md": "# Errata\n",
    PAGE: TEXT,
}
LAID = {  # rule → the file in which it looks, and the template
    laid_out.function: (MODULE, "module.py"),
    laid_out.tests_of_the_function: (f"{FOLDER}/test_code.py", "code.py"),
    laid_out.method: (f"{FOLDER}/method.py", "method.py"),
    laid_out.tests_of_claims: (f"{FOLDER}/test_claims.py", "claims.py"),
    laid_out.mutants: (MUTANTS, "mutants.tsv"),
}
OF_THE_PAGE = {
    laid_out.idea: "last paragraph, in italics, says for what it holds, its source, and what it leaves out.",
    laid_out.page: "The chapters to read next, and the primary sources.",
    laid_out.other_pages: "Beyond the trained length: what the formula does there, in a few words",
}
RULES = (
    *(*LAID, *OF_THE_PAGE, proved.tags, proved.statements, proved.halves, proved.proofs, listed.exports_of_its_room),
    *(listed.own_entries, listed.action, listed.files_named, listed.references, listed.place_in_the_book),
)


@pytest.fixture
def root(tmp_path):
    """A book of one chapter, which has all but a notebook."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def found(rule, root):
    return list(rule(Chapter("relative/one", root)))


def spoil(root, file, old, new):
    text = (root / file).read_text()
    assert old in text
    (root / file).write_text(text.replace(old, new))


def line_of(part, text=TEXT):
    return text.partition(part)[0].count("\n") + 1


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_what_is_there_is_not_asked_for(root, rule):
    assert found(rule, root) == []


# --- What make chapter laid out ---------------------------------------------------------------------------------------


def still(file, number, line):
    return f"{file}:{number} still says {line[:60]!r}, which make chapter laid out: put yours in its place"


@pytest.mark.parametrize("rule", LAID, ids=lambda rule: rule.__name__)
def test_each_line_that_was_laid_out_is_asked_for_where_it_stands(root, rule):
    file, template = LAID[rule]
    laid = laid_out.prose_of(new_chapter.TEMPLATES / template)
    assert laid
    for line in laid:
        (root / file).write_text(f'r"""The one.\n\n{line}\n"""\n')
        assert found(rule, root) == [still(file, 3, line)]


@pytest.mark.parametrize("rule", OF_THE_PAGE, ids=lambda rule: rule.__name__)
def test_a_line_of_the_laid_out_page_is_asked_for_at_its_time(root, rule):
    line = OF_THE_PAGE[rule]
    spoil(root, PAGE, "Files:", f"{line}\n\nFiles:")
    said = {rule: found(rule, root) for rule in OF_THE_PAGE}
    assert said.pop(rule) == [still(PAGE, line_of("Files:"), line)]
    assert not any(said.values())


def test_the_template_is_all_asked_for():
    template = laid_out.sections_of_template()
    assert {"The idea, by hand", "On other pages", "In the wild"} <= set(template.values())
    assert {"What to see in it.", "What the figure shows, for those who cannot see it."} <= set(template)


# --- What is proved ---------------------------------------------------------------------------------------------------


def test_a_cell_that_derives_without_the_tag_is_seen(root):
    spoil(root, PAGE, "[derivation]", "[check]")
    cell = 'Derivation(a, claim="one.sum")'
    assert found(proved.tags, root) == [f"{PAGE}:{line_of(cell)}: the cell {cell!r} derives without the tag derivation"]


@pytest.mark.parametrize(("label", "name"), [(":label: one.mus\n", "one.mus"), ("", "A sum")])
def test_a_theorem_that_is_no_claim_is_seen(root, label, name):
    spoil(root, PAGE, ":label: one.sum\n", label)
    (said,) = found(proved.statements, root)
    assert said.startswith(
        f"{PAGE}:{line_of(':::{prf')}: no cell with the tag derivation derives {name!r}; the label is"
    )


@pytest.mark.parametrize("said", ["The sum of both is", "The sum is $$a$$.", "and so on."])
def test_a_statement_that_cannot_stand_alone_is_seen(root, said):
    spoil(root, PAGE, "It is $a$.", said)
    (fault,) = found(proved.statements, root)
    assert fault.startswith(
        f"{PAGE}:{line_of(':label:')}: the ledger shows the first paragraph of a statement and no more"
    )
    assert fault.endswith(f"it is {said!r}")


@pytest.mark.parametrize(
    ("mark", "faults"),
    [
        ("one.mus", ["one.sum has no test", "one.mus has no derivation"]),
        ("other.sum", ["one.sum has no test"]),
    ],
)
def test_a_claim_without_its_other_half_is_seen(root, mark, faults):
    spoil(root, f"{FOLDER}/test_claims.py", "one.sum", mark)
    claims.tested.cache_clear()
    assert found(proved.halves, root) == [f"{FOLDER}/test_claims.py: {fault}" for fault in faults]


def test_a_chapter_that_derives_has_mutants(root):
    spoil(root, MUTANTS, "Refuted", "refuted")
    (said,) = found(proved.proofs, root)
    assert said.startswith(f"{MUTANTS}:2: a mutant is name, right, wrong, Refuted or Undecided, with tabs between; got")
    (root / MUTANTS).unlink()
    (said,) = found(proved.proofs, root)
    assert said.startswith(f"{MUTANTS} has no mutant, and the page derives")


# --- What other pages need --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        (ENTRY_ROW, "needs an entry that begins with Encoding, a row of the table of all encodings"),
        (ENTRY_LINE, "needs a Line, for the list of all methods"),
        (ENTRY_NAMES, "needs Also searched as, with the names by which people look for the page"),
        (ENTRY_QUESTION, "needs a Question, with its Answer, for the table at the end of the errata"),
    ],
)
def test_each_kind_of_entry_is_asked_for(root, entry, sentence):
    spoil(root, PAGE, entry, "")
    assert found(listed.own_entries, root) == [f"{PAGE}: the block On other pages {sentence}"]


def test_an_entry_with_a_slip_is_told(root):
    spoil(root, PAGE, "Slot: a\n", "")
    (said,) = found(listed.own_entries, root)
    assert said.startswith(
        f"{PAGE}: in the block On other pages, at 'Encoding: [One](one.ipynb)': an entry has the fields"
    )


def test_a_chapter_that_is_said_to_have_no_row_has_none(root, monkeypatch):
    monkeypatch.setattr(listed, "NO_ROW", {"relative/one"})
    assert len(found(listed.own_entries, root)) == 1
    spoil(root, PAGE, ENTRY_ROW, "")
    assert found(listed.own_entries, root) == []


def test_no_question_is_asked_for_where_an_erratum_leads_to_the_page(root):
    spoil(root, PAGE, ENTRY_QUESTION, "")
    (root / "book" / "practice" / "errata.md").write_text("**Right:** [one](../relative/one.ipynb#part).\n")
    assert found(listed.own_entries, root) == []


def test_a_page_says_in_its_box_what_to_do(root):
    spoil(root, PAGE, "**Do.** ", "Do ")
    assert found(listed.action, root) == [
        f"{PAGE}: the box In short needs **Do.**, what a practitioner does because of this page"
    ]


def test_files_that_a_page_names_exist(root):
    spoil(root, PAGE, f"`{MODULE}`", "`posenc_lib/two.py`")
    assert found(listed.files_named, root) == [f"{PAGE}:{line_of('Files:')}: there is no posenc_lib/two.py"]
    spoil(root, PAGE, "Files:", "File")
    (said,) = found(listed.files_named, root)
    assert said.startswith(f"{PAGE} should end with Files: the module and the tests")


def test_a_paper_of_the_box_is_among_the_references(root):
    spoil(root, PAGE, "abs/1.2", "abs/3.4")
    (said,) = found(listed.references, root)
    assert said.startswith("book/references.bib needs an entry for https://arxiv.org/abs/3.4, checked at the source")


def test_links_are_read_in_the_box_only_even_where_a_line_breaks_in_their_words():
    box = "**Paper.** A 2020, [in two\nlines](https://arxiv.org/abs/1.2), [post](https://kexue.fm/archives/3)."
    text = f":::{{admonition}} In short\n{box}\n:::\n\n[Below](https://arxiv.org/abs/4.5)\n"
    assert listed.sources(text) == ["https://arxiv.org/abs/1.2", "https://kexue.fm/archives/3"]


def test_a_draft_is_to_be_moved_into_the_book(root):
    (root / "_toc.yml").write_text(DRAFTED)
    said = "_toc.yml:5 is a draft: move this line to its place in a part of the book"
    assert found(listed.place_in_the_book, root) == [said]


def test_what_a_module_offers_is_exported(root):
    spoil(root, MODULE, "One", "Two")
    said = "posenc_lib/relative/__init__.py lacks what a module offers, or has more: make lists"
    assert found(listed.exports_of_its_room, root) == [said]


# --- One thing at a time ----------------------------------------------------------------------------------------------


def test_a_file_that_is_missing_is_named(root):
    (root / FOLDER / "method.py").unlink()
    notebook = "book/relative/one.ipynb"
    assert [said.split(" is missing")[0] for said in found(laid_out.files, root)] == [notebook]
    (root / "_toc.yml").write_text(DRAFTED)
    assert [said.split(" is missing")[0] for said in found(laid_out.files, root)] == [f"{FOLDER}/method.py", notebook]


def test_a_chapter_that_is_not_in_the_list_is_to_be_laid_out(root):
    said = "_toc.yml has no 'relative/two', neither in the book nor among the drafts"
    assert missing.answer("relative/two", root) == f"{said}: make chapter NAME=relative/two lays it out"


def test_the_first_thing_that_is_missing_is_said_and_no_other(root):
    spoil(root, MODULE, "One", "Two")
    assert re.fullmatch(r"book/relative/one\.ipynb is missing: .+", missing.answer("relative/one", root))
    (root / "book" / "relative" / "one.ipynb").write_text("")
    assert missing.answer("relative/one", root) == found(listed.exports_of_its_room, root)[0]


@pytest.mark.parametrize(
    ("file", "old", "new", "line"),
    [
        (MODULE, "One: ...", "One: (", 4),
        (PAGE, 'sum")', 'sum"', line_of("Derivation(")),
        (f"{FOLDER}/test_claims.py", "...", "(", 5),
    ],
)
def test_what_python_cannot_read_is_named(root, file, old, new, line):
    (root / "book" / "relative" / "one.ipynb").write_text("")
    spoil(root, file, old, new)
    claims.tested.cache_clear()
    assert missing.answer("relative/one", root) == f"{file}:{line}: Python cannot read it: '(' was never closed"


def test_each_rule_has_one_time():
    assert len(set(chapter_rules.WORK)) == len(chapter_rules.WORK)
    assert set(chapter_rules.WORK) > chapter_rules.OF_PUBLISHED | chapter_rules.OF_ALL_AT_ONCE


def test_a_chapter_of_the_book_has_all():
    name = chapters()[0].name
    assert missing.answer(name).startswith(f"{name} has all that can be seen without running it. Now run its tests")
