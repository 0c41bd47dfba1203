"""A new chapter is laid out so that it passes as it stands, and what cannot become a chapter is refused."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys

import pytest

from tools.book import BOOK, ROOT, Book, chapter_rules, lists, missing, new_chapter
from tools.book.chapter_rules.chapter import Chapter


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the book with two new chapters, in a folder with a space in its name."""
    root = tmp_path_factory.mktemp("a book") / "copy"
    for name in ("benchmarks", "book", "bookkit", "experiments", "posenc_checks", "posenc_lib", "tests", "tools"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("_toc.yml", "_config.yml", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, root)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(root))  # for the kernel that runs the chapters
        new_chapter.lay_out("relative/two-words", Book(root))
        new_chapter.lay_out("rotary/word", Book(root))
    return root


def run(root, *command):
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=root, env=os.environ | {"PYTHONPATH": str(root)}, capture_output=True
    )
    return done.returncode, done.stdout.decode()


def test_a_new_chapter_is_a_draft(copy):
    assert [page.name for page in Book(copy).drafts[-2:]] == ["relative/two-words", "rotary/word"]
    assert Book(copy).chapters == BOOK.chapters
    assert lists.stale(Book(copy)) == lists.stale()


@pytest.mark.parametrize("name", ["relative/two-words", "rotary/word"])
def test_a_new_chapter_holds_to_what_every_draft_must_hold_to(copy, name):
    assert list(chapter_rules.faults(Chapter(name, Book(copy)))) == []


def test_all_that_make_chapter_laid_out_is_still_to_be_written(copy):
    said = "posenc_lib/relative/two_words.py:1 still says 'Say in one sentence what the method does, and what it learns"
    assert missing.answer("relative/two-words", Book(copy)).startswith(said)
    places = [sentence.split(":")[0] for sentence in chapter_rules.missing(Chapter("relative/two-words", Book(copy)))]
    assert list(dict.fromkeys(places)) == [
        "posenc_lib/relative/two_words.py",
        "tests/relative/two_words/test_code.py",
        "tests/relative/two_words/method.py",
        "book/relative/two-words.md",
        "tests/relative/two_words/test_claims.py",
        "tests/corpus/mutants/relative/two-words.tsv",
        "_toc.yml",
    ]


def test_its_class_is_exported_and_in_order(copy):
    tree = ast.parse((copy / "posenc_lib" / "relative" / "__init__.py").read_text(encoding="utf-8"))
    (names,) = [ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign)]
    assert "TwoWordsBias" in names
    assert names == sorted(names)  # ruff's order is that of the signs, too
    assert run(copy, "ruff", "check", "-q", ".") == run(copy, "ruff", "format", "-q", "--check", ".") == (0, "")


def test_its_own_tests_pass_as_it_stands_and_test_something(copy):
    """The tests of the draft see an error in the function, in the derivation and in the mutant."""
    own = ("pytest", "-q", "-p", "no:cacheprovider", "tests/relative/two_words", "posenc_lib/relative/two_words.py")
    own += ("tests/test_proofs.py::test_chapter[relative/two-words]",)
    module, text = copy / "posenc_lib" / "relative" / "two_words.py", Book(copy).text_of("relative/two-words")
    code, said = run(copy, *own)
    assert code == 0, said
    for file, right, wrong, failed in [
        (module, "-distances.abs()", "-distances.abs() ** 2", {"test_code", "test_claims", "two_words"}),
        (text, "f(j) + f(k)", "f(j) - f(k)", {"test_proofs"}),
    ]:
        good = file.read_text(encoding="utf-8")
        file.write_text(good.replace(right, wrong), encoding="utf-8")
        assert set(re.findall(r"(?m)^(?:FAILED|ERROR) \S+/(\w+)\.py", run(copy, *own)[1])) == failed
        file.write_text(good, encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", r"a chapter's name is room/method in small letters, words joined by hyphens; got ''"),
        ("kerple", r"a chapter's name is room/method .*; got 'kerple'"),
        ("relative/Kerple", r"a chapter's name is room/method .*; got 'relative/Kerple'"),
        ("relative/a_b", r"a chapter's name is room/method .*; got 'relative/a_b'"),
        ("relative/../x", r"a chapter's name is room/method .*; got"),
        ("relatif/kerple", r"no room 'relatif' .* rooms are absolute, content, extension, relative, rotary, shapes"),
        ("practice/kerple", r"no room 'practice' in the book and the library"),
        ("relative/lambda", r"'lambda' is a word of Python"),
        ("relative/alibi", r"there is a chapter 'relative/alibi', and its claims begin with 'alibi'"),
        ("rotary/alibi", r"there is a chapter 'relative/alibi', and its claims begin with 'alibi'"),
        ("relative/distance", r"posenc_lib/relative/distance\.py exists already; remove it first"),
        ("rotary/polar", r"posenc_lib/rotary/_?polar\.py exists already"),
    ],
)
def test_what_cannot_become_a_chapter_is_refused(name, sentence):
    with pytest.raises(ValueError, match=sentence):
        new_chapter.require_new(name)


def test_a_list_that_does_not_end_with_its_drafts_is_left_as_it_was(tmp_path):
    (tmp_path / "_toc.yml").write_text("meta:\n  drafts:\nparts:\n  - chapters:\n      - file: a\n")
    with pytest.raises(ValueError, match=r"_toc\.yml should end with its drafts"):
        new_chapter.list_draft("relative/kerple", Book(tmp_path))
    assert (tmp_path / "_toc.yml").read_text().endswith("- file: a\n")
