"""The tests may not grow heavier than they are: who adds some takes others away. A ceiling is lowered, never raised."""

from __future__ import annotations

from tools.book import ROOT

TESTS, CORPUS = ROOT / "tests", ROOT / "tests" / "corpus"
LINES, ROWS, IDS = 39_770, 7_300, 12_100


def lines(files) -> int:
    return sum(file.read_text(encoding="utf-8").count("\n") for file in files)


def filled(files) -> int:
    """A case is a line with something in it: the strangers' own code keeps its empty lines."""
    return sum(bool(line.strip()) for file in files for line in file.read_text(encoding="utf-8").splitlines())


def test_code_of_tests_and_their_corpus_keep_under_their_ceilings():
    code = [file for file in TESTS.rglob("*.py") if CORPUS not in file.parents]
    rows = [file for file in CORPUS.rglob("*") if file.suffix in (".py", ".tsv")]
    assert 0 < lines(code) <= LINES, f"{lines(code):,} lines of tests; CONTRIBUTING.md says how to find what may go"
    assert 0 < filled(rows) <= ROWS, f"{filled(rows):,} lines of cases"


def test_so_do_the_tests_that_are_collected(request):
    assert len(request.session.items) <= IDS
