"""What the tests cost: how they are shared between processes, and where the seconds went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

# A file is the work of one process, so that what its tests share is made once. The tests of these files
# share little and take long: each one is given to whichever process is free.
APART = (
    "tests/bookkit/derivation/test_statements.py",
    "tests/site/test_outputs.py",
    "tests/site/test_browser.py",
    "tests/checks/test_planted.py",
    "tests/contract/test_compiled.py",
    "tests/test_proofs.py",
)
FILES_SHOWN = 12
# What takes longest comes first. (xdist puts files of many tests before those of few; among equals this order counts.)
LONGEST = (
    "tests/test_proofs.py",
    "tests/site/test_outputs.py",
    "tests/contract/test_compiled.py",
    "tests/site/test_site.py",
    "tests/checks",
    "tests/contract",
    "tests/bookkit",
)


def late(test: str) -> int:
    """How late a test may start.

    >>> late("tests/contract/test_flex.py::test_x") < late("tests/rotary/rotary/test_code.py::test_y")
    True
    """
    return next((rank for rank, begin in enumerate(LONGEST) if test.startswith(begin)), len(LONGEST))


def unit(test: str) -> str:
    """What one process does in one go: the file of a test, or the test."""
    file = test.split("::", 1)[0]
    return test if file in APART else file


def scheduler(config, log):
    from xdist.scheduler import LoadScopeScheduling

    class ByUnit(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return unit(nodeid)

    return ByUnit(config, log)


def seconds(stats: dict[str, list]) -> Counter[str]:
    """Test → what it took, with what it needed before and after."""
    took: Counter[str] = Counter()
    for report in [report for reports in stats.values() for report in reports]:
        if hasattr(report, "duration") and hasattr(report, "when"):
            took[report.nodeid] += report.duration
    return took


def folder(test: str) -> str:
    """`tests/relative` for a test of ALiBi, `posenc_lib` for an example in a docstring."""
    *folders, file = test.split("::", 1)[0].split("/")
    return "/".join(folders[:2] if folders[:1] == ["tests"] else folders[:1] or [file])


def table(stats: dict[str, list]) -> Iterator[str]:
    """The seconds of all processes together by folder, and the files that take the longest."""
    by_folder: Counter[str] = Counter()
    by_file: Counter[str] = Counter()
    tests: Counter[str] = Counter()
    for test, took in seconds(stats).items():
        by_folder[folder(test)] += took
        by_file[test.split("::", 1)[0]] += took
        tests[folder(test)] += 1
    for name, took in by_folder.most_common():
        yield f"{took:8.1f} s  {name} ({tests[name]} tests)"
    yield f"{by_folder.total():8.1f} s  in all ({tests.total()} tests); of these the longest files:"
    for name, took in by_file.most_common(FILES_SHOWN):
        yield f"{took:8.1f} s  {name}"
