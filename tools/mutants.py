"""Who notices what: `make mutants MODULE=posenc_lib/relative/alibi.py` plants errors in a module, one at a time.

mutmut makes the errors. Each is planted in a process of its own, which runs all tests that look at the module, and
says which of them fail. The table is kept in `tests/mutants/`, a row for each error: a test may go if no row that was
not empty becomes empty (CHECK=1 says so). Without MODULE, all modules; EACH=3 is how many errors a function gets.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import importlib.machinery
import io
import json
import multiprocessing
import signal
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

from tools.book.chapters import ROOT, chapter_of, folder_of_tests

TABLES = ROOT / "tests" / "mutants"
SECONDS = 300
# Modules that no chapter is about, and who looks at them. The first that fits counts.
LOOKED_AT_BY = {
    "posenc_lib/border": ["tests/border", "tests/test_positions.py", "tests/test_pairs.py"],
    "posenc_lib/released": ["tests/practice/settings", "tests/extension/yarn"],
    "posenc_lib/transformer": ["tests/foundations", "tests/test_transformer.py", "tests/test_layers.py"],
    "posenc_lib/pairs.py": ["tests/test_pairs.py", "tests/rotary/rotary", "tests/absolute/sinusoidal"],
    "posenc_lib": ["tests/test_attention.py", "tests/test_grouped_heads.py", "tests/test_masks.py"],
    "posenc_checks": ["tests/checks"],
    "bookkit/derivation": ["tests/bookkit/derivation"],
}
PACKAGES = ("posenc_lib", "posenc_checks", "bookkit/derivation")


class Mutant(NamedTuple):
    module: str
    function: str
    change: str  # what stood there → what stands there now
    source: str


def mutants(module: str, each: int) -> list[Mutant]:
    """So many errors for each function, the same ones as long as the function is the same."""
    import libcst as cst
    from mutmut.mutation import file_mutation
    from mutmut.mutation.pragma_handling import IgnoredCode

    class Visitor(file_mutation.MutationVisitor):
        def _skip_node_and_children(self, node: cst.CSTNode) -> bool:
            # mutmut leaves out what is decorated, and here most functions are: by what they refuse.
            return not isinstance(node, cst.FunctionDef) and super()._skip_node_and_children(node)

    code = (ROOT / module).read_text(encoding="utf-8")
    wrapper = cst.metadata.MetadataWrapper(cst.parse_module(code))
    visitor = Visitor(file_mutation.mutation_operators, IgnoredCode(set(), set(), set()))
    wrapper.visit(visitor)
    by_function: dict[str, list[Mutant]] = {}
    for mutation in visitor.mutations:
        owner = mutation.contained_by_top_level_function
        name = owner.name.value if isinstance(owner, cst.FunctionDef) else ""
        before, after = (wrapper.module.code_for_node(its) for its in (mutation.original_node, mutation.mutated_node))
        source = wrapper.module.deep_replace(mutation.original_node, mutation.mutated_node).code
        by_function.setdefault(name, []).append(Mutant(module, name, f"{before} → {after}", source))
    order = lambda its: hashlib.sha256(f"{its.function}{its.change}".encode()).digest()  # noqa: E731
    return [mutant for found in by_function.values() for mutant in sorted(found, key=order)[:each]]


def tests_of(module: str) -> list[str]:
    folder = folder_of_tests(chapter_of(module.removesuffix(".py").replace("/", ".")))
    if folder.is_dir():
        return [str(folder.relative_to(ROOT))]
    return next(tests for part, tests in LOOKED_AT_BY.items() if module.startswith(part))


class Noticed:
    """A plugin of pytest that keeps the functions whose tests fail, and files that cannot be collected."""

    def __init__(self) -> None:
        self.by: set[str] = set()

    def pytest_runtest_logreport(self, report) -> None:
        if report.failed:
            self.by.add(report.nodeid.split("[")[0].removeprefix("tests/"))

    def pytest_collectreport(self, report) -> None:
        if report.failed:
            self.by.add(report.nodeid.removeprefix("tests/"))


def run(mutant: Mutant | None, tests: list[str]) -> set[str]:
    """In this process: the tests with the mutant in the place of its module."""
    import pytest

    if mutant is not None:
        place, loader = str(ROOT / mutant.module), importlib.machinery.SourceFileLoader
        read, stats = loader.get_data, loader.path_stats
        loader.get_data = lambda self, path: mutant.source.encode() if path == place else read(self, path)

        def no_cache(self, path):  # nothing compiled is read or kept for it
            if path == place:
                raise OSError(path)
            return stats(self, path)

        loader.path_stats = no_cache
    noticed, silent = Noticed(), io.StringIO()
    options = ["-q", "-p", "no:nbval", "-p", "no:cacheprovider", "-p", "no:cacheprovider"]
    with redirect_stdout(silent), redirect_stderr(silent):
        pytest.main(
            [*options, "--ignore-glob=*/test_proofs.py", "-m", "not browser and not compiled", *tests], [noticed]
        )
    return noticed.by


def noticed_by(asked: tuple[Mutant | None, list[str]]) -> list[str]:
    """What does not end within the time has noticed too."""

    def too_long(*_) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(SECONDS)
    try:
        return sorted(run(*asked))
    except TimeoutError:
        return ["did not end"]


def rows(module: str, each: int) -> list[dict[str, object]]:
    """Each in a process of its own, forked from this one, which has imported torch."""
    tests, planted = tests_of(module), mutants(module, each)
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        sound, *found = pool.map(noticed_by, [(its, tests) for its in (None, *planted)], chunksize=1)
    if sound:
        raise SystemExit(f"{module}: tests fail without any error planted: {', '.join(sound)}")
    rows = zip(planted, found, strict=True)
    return [{"module": its.module, "function": its.function, "change": its.change, "by": by} for its, by in rows]


def table(package: str) -> Path:
    return TABLES / f"{package.replace('/', '-')}.json.gz"


def kept(package: str) -> list[dict]:
    file = table(package)
    return json.loads(gzip.decompress(file.read_bytes())) if file.is_file() else []


def keep(package: str, found: list[dict]) -> None:
    text = json.dumps(sorted(found, key=lambda row: (row["module"], row["function"], row["change"])), indent=0)
    TABLES.mkdir(exist_ok=True)
    table(package).write_bytes(gzip.compress(text.encode(), mtime=0))


def emptied(old: list[dict], new: list[dict]) -> list[dict]:
    """Errors that somebody noticed and nobody notices now."""
    key = lambda row: (row["module"], row["function"], row["change"])  # noqa: E731
    unseen = {key(row) for row in new if not row["by"]}
    return [row for row in old if row["by"] and key(row) in unseen]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", help="posenc_lib/relative/alibi.py, or a folder")
    parser.add_argument("--each", type=int, default=3)
    parser.add_argument("--check", action="store_true", help="compare with the table that is kept, and write nothing")
    options = parser.parse_args()
    import torch  # noqa: F401  (loaded once, for all that are forked)

    lost = []
    for place in options.modules or PACKAGES:
        files = sorted((ROOT / place).rglob("*.py")) if (ROOT / place).is_dir() else [ROOT / place]
        for module in [file.relative_to(ROOT).as_posix() for file in files]:
            package = next(name for name in PACKAGES if module.startswith(name))
            found = rows(module, options.each)
            unseen = [row for row in found if not row["by"]]
            print(f"{module}: {len(found)} errors, {len(found) - len(unseen)} noticed", flush=True)
            for row in unseen if options.modules else ():
                print(f"   nobody notices, in {row['function']}: {row['change'][:100]}")
            old = kept(package)
            lost += emptied(old, found)
            if not options.check:
                keep(package, [row for row in old if row["module"] != module] + found)
    for row in lost:
        print(f"no longer noticed, in {row['module']}: {row['change']} (was: {', '.join(row['by'][:3])})")
    sys.exit(bool(lost))


if __name__ == "__main__":
    main()
