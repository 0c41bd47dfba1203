"""`python -m benchmarks [--quick] [rotary|biases|cost]`: measure, show how far it is, write one table for each.

A full run replaces the tables in benchmarks/results and bookkit/tables; a quick one writes to _build/benchmarks.
Ctrl-C ends it, and what was measured so far is written.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator
from pathlib import Path

from tqdm import tqdm

from benchmarks.measure import ROOT, Row, paths_without_space, write

# What is run, a module with a list of cases and a function that measures one of them, and where its table lies. What a
# page reads lies in bookkit, which Colab installs.
TABLES = {"rotary": "benchmarks/results", "biases": "benchmarks/results", "cost": "bookkit/tables"}
SHOWN = {"method": 27, "form": 22, "n": 6, "threads": 8, "median": 8, "least": 8, "mib": 7}  # columns and their widths


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.split("\n")[0])
    parser.add_argument("table", nargs="?", choices=TABLES, help="only this one")
    parser.add_argument("--quick", action="store_true", help="short texts and few rounds: it runs, no more")
    parser.add_argument("--threads", type=int, default=1, help="1 (default): timed by processor time")
    parser.add_argument("--out", type=Path, help="the folder for the tables")
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


def show(rows: list[Row]) -> None:
    for row in [{name: name for name in SHOWN}, *rows]:
        print("".join(f"{row.get(name, '')!s:{width}}" for name, width in SHOWN.items()).rstrip())


def main(given: list[str] | None = None) -> int:
    asked = arguments(given)
    elsewhere = asked.out or (ROOT / "_build" / "benchmarks" if asked.quick else None)
    for table in [asked.table] if asked.table else TABLES:
        rows, complete = measured(table, asked.quick, asked.threads)
        show(rows)
        write((elsewhere or ROOT / TABLES[table]) / f"{table}.csv", rows)
        if not complete:
            print(f"stopped; rows in {table}.csv: {len(rows)}")
            return 130
    return 0


if __name__ == "__main__":
    with paths_without_space():
        raise SystemExit(main())
