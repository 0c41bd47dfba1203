"""`python -m benchmarks [--quick | --save] [TABLE]`: measure, show how far it is, write a table for each.

The tables go to _build/benchmarks. With --save a complete one replaces the one in benchmarks/results or bookkit/tables
that a page quotes; run and read that page again. Ctrl-C ends the run, and what was measured so far is written.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator
from pathlib import Path

from tqdm import tqdm

from benchmarks.measure import ROOT, Row, machine, paths_without_space, write
from benchmarks.processor import AS_ON, pretend

# What is run, a module with a list of cases, a function that measures one of them and one that says what the numbers
# mean; and where its table is kept. What a page reads lies in bookkit, which Colab installs.
TABLES = {
    "rotary": "benchmarks/results",
    "biases": "bookkit/tables",
    "cost": "bookkit/tables",
    "model": "benchmarks/results",
}
SHOWN = {"method": 27, "form": 25, "n": 6, "threads": 8, "median": 8, "least": 8, "mib": 7}  # columns and their widths


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.split("\n")[0])
    parser.add_argument("table", nargs="?", choices=TABLES, help="only this one")
    extent = parser.add_mutually_exclusive_group()
    extent.add_argument("--quick", action="store_true", help="short texts and few rounds: it runs, no more")
    extent.add_argument("--save", action="store_true", help="replace the tables that are kept")
    parser.add_argument("--threads", type=int, default=1, help="1 (default): timed by processor time")
    parser.add_argument("--simd", choices=AS_ON, help="measure as on a processor with these instructions and no wider")
    return parser.parse_args(given)


def measured(table: str, quick: bool, threads: int) -> tuple[list[Row], bool]:
    """The rows, and whether they are all there: Ctrl-C ends the run early."""
    rows: list[Row] = []
    try:
        module = importlib.import_module(f"benchmarks.{table}")
        for case in progress(table, module.cases(quick)):
            rows += module.measure(case, threads=threads)
    except KeyboardInterrupt:
        return rows, False
    return rows, True


def progress(table: str, cases: list) -> Iterator:
    """The cases one by one, and one line that says which, of how many, and the time left."""
    with tqdm(cases, bar_format="{desc}{n_fmt} of {total_fmt} done, {elapsed} so far, {remaining} left") as bar:
        for case in bar:
            bar.set_description(f"{table}, {case}")
            yield case


def show(table: str, rows: list[Row]) -> None:
    print(", ".join(f"{name} {value}" for name, value in machine().items()))
    for row in [{name: name for name in SHOWN}, *rows]:
        print("".join(f"{row.get(name, '')!s:{width}}" for name, width in SHOWN.items()).rstrip())
    for remark in importlib.import_module(f"benchmarks.{table}").remarks(rows):
        print(remark)


def path_of(table: str, keep: bool, simd: str | None) -> Path:
    """What was measured as on another kind of processor lies beside what was measured on this one."""
    return ROOT / (TABLES[table] if keep else "_build/benchmarks") / f"{table}{f'-{simd}' if simd else ''}.csv"


def main(given: list[str] | None = None) -> int:
    asked = arguments(given)
    if asked.simd:
        pretend(asked.simd)
    for table in [asked.table] if asked.table else TABLES:
        rows, complete = measured(table, asked.quick, asked.threads)
        path = path_of(table, asked.save and complete, asked.simd)
        show(table, rows)
        write(path, rows)
        print(f"{'' if complete else 'stopped; '}rows in {path.relative_to(ROOT).as_posix()}: {len(rows)}")
        if not complete:
            return 130
    return 0


if __name__ == "__main__":
    with paths_without_space():
        raise SystemExit(main())
