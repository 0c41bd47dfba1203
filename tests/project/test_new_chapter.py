"""A new chapter is laid out so that it passes as it stands, and what cannot become a chapter is refused."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys

import pytest

from tools import claims, faults, lists, new_chapter, notebooks, repository
from tools.chapters import ROOT, chapters, drafts, text_of


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
        new_chapter.lay_out("relative/two-words", root)
        new_chapter.lay_out("rotary/word", root)
    return root


def run(root, *command):
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=root, env=os.environ | {"PYTHONPATH": str(root)}, capture_output=True
    )
    return done.returncode, done.stdout.decode()


def test_a_new_chapter_is_a_draft(copy):
    assert [page.name for page in drafts(copy)[-2:]] == ["relative/two-words", "rotary/word"]
    assert chapters(copy) == chapters()
    assert lists.stale(copy) == lists.stale()


def test_a_new_chapter_holds_to_what_every_draft_must_hold_to(copy):
    text = text_of("relative/two-words", copy)
    stored = notebooks.read_notebook(text.with_suffix(".ipynb"))
    assert stored.metadata["seal"] == notebooks.seal_of(stored)
    checks = [faults.run_faults, faults.figure_faults, faults.code_faults, faults.word_faults, faults.metadata_faults]
    found = [fault for check in checks for fault in check(stored)]
    found += faults.address_faults(stored, repository.current())
    assert found + list(faults.twin_faults(notebooks.read_text(text), stored)) + claims.untagged(text) == []


def test_its_claim_has_both_halves(copy):
    assert claims.named_in(text_of("rotary/word", copy)) == ["word.sum"]
    test = (copy / "tests" / "rotary" / "word" / "test_claims.py").read_text(encoding="utf-8")
    assert [claim for _, claim in claims.marked_tests(test)] == ["word.sum"]


def test_its_function_is_exported_and_in_order(copy):
    tree = ast.parse((copy / "posenc_lib" / "relative" / "__init__.py").read_text(encoding="utf-8"))
    (names,) = [ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign)]
    assert "two_words" in names
    assert names == sorted(names)  # ruff's order is that of the signs, too
    assert run(copy, "ruff", "check", "-q", ".") == run(copy, "ruff", "format", "-q", "--check", ".") == (0, "")


def test_its_own_tests_pass_as_it_stands_and_test_something(copy):
    """The tests of the draft see an error in the function, in the derivation and in the mutant."""
    own = ("pytest", "-q", "-p", "no:cacheprovider", "tests/relative/two_words", "posenc_lib/relative/two_words.py")
    module, text = copy / "posenc_lib" / "relative" / "two_words.py", text_of("relative/two-words", copy)
    code, said = run(copy, *own)
    assert code == 0, said
    for file, right, wrong, failed in [
        (module, "-slope * distances", "-slope * distances**2", {"test_code", "test_claims", "two_words"}),
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
        ("relatif/kerple", r"no room 'relatif' .* rooms are absolute, relative, rotary, extension"),
        ("practice/kerple", r"no room 'practice' in the book and the library"),
        ("relative/lambda", r"'lambda' is a word of Python"),
        ("relative/alibi", r"there is a chapter 'relative/alibi', and its claims begin with 'alibi'"),
        ("rotary/alibi", r"there is a chapter 'relative/alibi', and its claims begin with 'alibi'"),
        ("relative/distance", r"posenc_lib/relative/distance\.py exists already; remove it first"),
        ("relative/score-mod", r"posenc_lib\.relative has a 'score_mod' already"),
    ],
)
def test_what_cannot_become_a_chapter_is_refused(name, sentence):
    with pytest.raises(ValueError, match=sentence):
        new_chapter.require_new(name)


def test_a_list_that_does_not_end_with_its_drafts_is_left_as_it_was(tmp_path):
    (tmp_path / "_toc.yml").write_text("meta:\n  drafts:\nparts:\n  - chapters:\n      - file: a\n")
    with pytest.raises(ValueError, match=r"_toc\.yml should end with its drafts"):
        new_chapter.list_draft("relative/kerple", tmp_path)
    assert (tmp_path / "_toc.yml").read_text().endswith("- file: a\n")
