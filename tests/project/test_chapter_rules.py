"""Each rule for chapters sees what is missing, and says the file, the line, and what to write there.

A row has a rule, the file that is spoilt, what stands there and what takes its place ("" for a file that is removed),
and how the one sentence begins that is said of it: "" where none is.
"""

from __future__ import annotations

import shutil

import pytest

from tools.book import BOOK, ROOT, Book, chapter_rules, missing, new_chapter
from tools.book.chapter_rules import laid_out, listed, proved
from tools.book.chapter_rules.chapter import Chapter
from tools.book.entries import ROW

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

**Paper.** A 2020, [one](https://arxiv.org/abs/1.2). **Files.** `{MODULE}`, tested in `{FOLDER}/`.
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
    laid_out.page: "The chapter to read next, in one sentence.",
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
    return list(rule(Chapter("relative/one", Book(root))))


def test_what_is_there_is_not_asked_for(root):
    assert [sentence for rule in RULES for sentence in found(rule, root)] == []


# --- What is planted --------------------------------------------------------------------------------------------------

BLOCK, LEDGER = f"{PAGE}: the block On other pages", "the ledger shows the first paragraph of a statement and no more"
UNDERIVED = "no cell with the tag derivation derives"


def line_of(part):
    return TEXT.partition(part)[0].count("\n") + 1


CELL, STATEMENT = f"{PAGE}:{line_of('Derivation(')}", f"{PAGE}:{line_of(':::{prf')}"
PLANTED = [
    (
        proved.tags,
        PAGE,
        "[derivation]",
        "[check]",
        f"{CELL}: the cell 'Derivation(a, claim=\"one.sum\")' derives without",
    ),
    (
        proved.statements,
        PAGE,
        ":label: one.sum",
        ":label: one.mus",
        f"{STATEMENT}: {UNDERIVED} 'one.mus'; the label is",
    ),
    (proved.statements, PAGE, ":label: one.sum\n", "", f"{STATEMENT}: {UNDERIVED} 'A sum'; the label is"),
    *(
        (proved.statements, PAGE, "It is $a$.", said, f"{PAGE}:{line_of(':label:')}: {LEDGER}")
        for said in ("The sum of both is", "The sum is $$a$$.", "and so on.")
    ),
    (
        proved.halves,
        f"{FOLDER}/test_claims.py",
        "one.sum",
        "other.sum",
        f"{FOLDER}/test_claims.py: one.sum has no test",
    ),
    (proved.proofs, MUTANTS, "", "", f"{MUTANTS} has no mutant, and the page derives"),
    (
        proved.proofs,
        MUTANTS,
        "Refuted",
        "refuted",
        f"{MUTANTS}:2: a mutant is name, right, wrong, Refuted or",
    ),
    (listed.own_entries, PAGE, ENTRY_ROW, "", f"{BLOCK} needs an entry that begins with Encoding, a row"),
    (listed.own_entries, PAGE, ENTRY_LINE, "", f"{BLOCK} needs a Line, for the list of all methods"),
    (listed.own_entries, PAGE, ENTRY_NAMES, "", f"{BLOCK} needs Also searched as, with the names by which people"),
    (listed.own_entries, PAGE, ENTRY_QUESTION, "", f"{BLOCK} needs a Question, with its Answer, for the table at the"),
    (
        listed.own_entries,
        PAGE,
        "Formula: a\n",
        "",
        f"{PAGE}: in the block On other pages, at 'Encoding: [One](one.ipynb)'",
    ),
    (listed.action, PAGE, "**Do.** ", "Do ", f"{PAGE}: the box In short needs **Do.**, what a practitioner does"),
    (listed.action, PAGE, "} In short", "} Short", f"{PAGE}: the box In short needs **Do.**, what a practitioner does"),
    (listed.action, PAGE, "**Paper.", "## In the wild\n\n**Paper.", f"{PAGE}: the section In the wild needs **Do.**"),
    (
        listed.files_named,
        PAGE,
        f"`{MODULE}`",
        "`posenc_lib/two.py`",
        f"{PAGE}:{line_of('**Paper.')}: there is no posenc_lib/two",
    ),
    (listed.files_named, PAGE, "**Files.**", "File", f"{PAGE} should end with **Files.**, the module and the tests"),
    (listed.references, PAGE, "abs/1.2", "abs/3.4", "book/references.bib needs an entry for https://arxiv.org/abs/3.4"),
    (
        listed.place_in_the_book,
        "_toc.yml",
        TOC,
        DRAFTED,
        "_toc.yml:5 is a draft: move this line to its place in a part",
    ),
    (listed.exports_of_its_room, MODULE, "One", "Two", "posenc_lib/relative/__init__.py lacks what a module offers"),
    (laid_out.files, PAGE, "One", "One", "book/relative/one.ipynb is missing"),
]


def spoil(root, file, old, new):
    if not old:
        (root / file).unlink()
        return
    text = (root / file).read_text()
    assert old in text
    (root / file).write_text(text.replace(old, new))


@pytest.mark.parametrize("row", PLANTED, ids=lambda row: f"{row[0].__name__}: {row[4][:60]}")
def test_what_is_planted_is_said_with_its_place(root, row):
    rule, file, old, new, sentence = row
    spoil(root, file, old, new)
    (said,) = found(rule, root)
    assert said.startswith(sentence)


def test_both_halves_of_a_claim_are_asked_for(root):
    spoil(root, f"{FOLDER}/test_claims.py", "one.sum", "one.mus")
    said = [f"{FOLDER}/test_claims.py: {fault}" for fault in ("one.sum has no test", "one.mus has no derivation")]
    assert found(proved.halves, root) == said


def test_no_row_and_no_question_where_none_belongs(root, monkeypatch):
    spoil(root, PAGE, ENTRY_QUESTION, "")
    (root / "book/practice/errata.md").write_text("**Right:** [one](../relative/one.ipynb#part).\n")
    assert found(listed.own_entries, root) == []
    monkeypatch.setattr(listed, "NO_ROW", {"relative/one"})
    assert len(found(listed.own_entries, root)) == 1
    spoil(root, PAGE, ENTRY_ROW, "")
    assert found(listed.own_entries, root) == []


# --- What make chapter laid out ---------------------------------------------------------------------------------------


def still(file, number, line):
    return f"{file}:{number} still says {line[:60]!r}, which make chapter laid out: put yours in its place"


def test_each_line_that_was_laid_out_is_asked_for_where_it_stands(root):
    for rule, (file, template) in LAID.items():
        laid = laid_out.prose_of(new_chapter.TEMPLATES / template)
        assert laid
        (root / file).write_text("".join(f'r"""The one.\n\n{line}\n"""\n' for line in laid[:1]))
        assert found(rule, root) == [still(file, 3, laid[0])]
        (root / file).write_text('r"""The one.\n\n' + "\n".join(laid) + '\n"""\n')
        assert len(found(rule, root)) == len(laid)


def test_a_line_of_the_laid_out_page_is_asked_for_at_its_time(root):
    for rule, line in OF_THE_PAGE.items():
        (root / PAGE).write_text(TEXT.replace("**Paper.", f"{line}\n\n**Paper."))
        said = {rule: found(rule, root) for rule in OF_THE_PAGE}
        assert said.pop(rule) == [still(PAGE, line_of("**Paper."), line)]
        assert not any(said.values())


def test_the_template_is_all_asked_for():
    template = laid_out.sections_of_template()
    assert {"The idea, by hand", "On other pages", "In the wild"} <= set(template.values())
    assert {"What to see in it.", "What the figure shows, for those who cannot see it."} <= set(template)


# --- One thing at a time ----------------------------------------------------------------------------------------------


def test_of_a_draft_each_file_is_asked_for(root):
    (root / FOLDER / "method.py").unlink()
    (root / "_toc.yml").write_text(DRAFTED)
    missed = [said.split(" is missing")[0] for said in found(laid_out.files, root)]
    assert missed == [f"{FOLDER}/method.py", "book/relative/one.ipynb"]


def test_the_first_thing_that_is_missing_is_said_and_no_other(root):
    unlisted = "_toc.yml has no 'relative/two', neither in the book nor among the drafts"
    assert missing.answer("relative/two", Book(root)) == f"{unlisted}: make chapter NAME=relative/two lays it out"
    spoil(root, MODULE, "One", "Two")
    assert missing.answer("relative/one", Book(root)).startswith("book/relative/one.ipynb is missing: ")
    (root / "book" / "relative" / "one.ipynb").write_text("")
    assert missing.answer("relative/one", Book(root)) == found(listed.exports_of_its_room, root)[0]


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
    assert missing.answer("relative/one", Book(root)) == f"{file}:{line}: Python cannot read it: '(' was never closed"


def test_a_chapter_of_the_book_has_all_and_each_rule_has_one_time():
    assert len(set(chapter_rules.WORK)) == len(chapter_rules.WORK)
    assert set(chapter_rules.WORK) > chapter_rules.OF_PUBLISHED | chapter_rules.OF_ALL_AT_ONCE
    name = BOOK.chapters[0].name
    assert missing.answer(name).startswith(f"{name} has all that can be seen without running it. Now run its tests")
