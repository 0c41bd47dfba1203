"""How the tests are shared between processes, and the table of what they took."""

from types import SimpleNamespace

from tests.support import costs
from tools.chapters import ROOT


def report(test, when, duration):
    return SimpleNamespace(nodeid=test, when=when, duration=duration)


def test_a_file_is_the_work_of_one_process():
    assert costs.unit("tests/a/test_y.py::TestY::test_x[1]") == "tests/a/test_y.py"


def test_tests_that_share_nothing_are_given_to_whoever_is_free():
    for file in costs.APART:
        assert (ROOT / file).is_file()
        assert costs.unit(f"{file}::test_x[a]") != costs.unit(f"{file}::test_x[b]")


def test_table_counts_each_test_once_and_all_its_seconds():
    stats = {
        "": [report("tests/a/x/test_y.py::t", "setup", 1.0), report("posenc_lib/pairs.py::f", "setup", 0.5)],
        "passed": [report("tests/a/x/test_y.py::t", "call", 2.0), report("tests/test_z.py::t", "call", 0.25)],
        "deselected": [object()],
    }
    assert [line.strip() for line in costs.table(stats)] == [
        "3.0 s  tests/a (1 tests)",
        "0.5 s  posenc_lib (1 tests)",
        "0.2 s  tests (1 tests)",
        "3.8 s  in all (3 tests); of these the longest files:",
        "3.0 s  tests/a/x/test_y.py",
        "0.5 s  posenc_lib/pairs.py",
        "0.2 s  tests/test_z.py",
    ]
