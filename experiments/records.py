"""The tables of the results: one a task, a row a number, with the commit, the versions and the kind of machine."""

from __future__ import annotations

import csv
import platform
from functools import cache
from pathlib import Path

import torch

from bookkit.comparison import COLUMNS, NUMBER, PAIRS, RUN, rows
from experiments.harness import Run
from experiments.tasks import TASKS, pairs_loss, source_facts
from tools.machine import commit, processor

ROOT = Path(__file__).resolve().parent.parent


@cache
def machine(task: str) -> str:
    """What a number depends on besides the code of the experiments."""
    versions = f"python {platform.python_version()}, torch {torch.__version__.split('+')[0]}"
    text = f", {source_facts()}" if task == "text" else ""
    return f"{versions}, {processor()}, library {commit()}{text}"


def finished(folder: Path) -> dict[Run, dict]:
    """The runs that the tables have."""
    records: dict[Run, dict] = {}
    for row in (row for task in TASKS for row in rows(task, folder)):
        run = Run(**{name: row[name] for name in RUN})
        record = records.setdefault(run, vars(run) | {name: row[name] for name in ("status", "machine")})
        record.setdefault("numbers", []).extend([[row[name] for name in NUMBER]] if row["measure"] else [])
    return records


def counted(share: float) -> dict:
    """The record of who knows how often each byte follows each other, and no more."""
    numbers = [[1, PAIRS, "loss", pairs_loss()]]
    run = Run("text", PAIRS, 0, 0.0, share)
    return vars(run) | {"status": "counted", "machine": machine("text"), "numbers": numbers}


def write(folder: Path, records: list[dict], chosen: dict[tuple[str, str], float]) -> None:
    """One table for each task of the records; what it had of other runs stays."""
    folder.mkdir(parents=True, exist_ok=True)
    every = finished(folder) | {run_of(record): record for record in records}
    for task in {record["task"] for record in records}:
        runs = sorted((run for run in every if run.task == task), key=lambda r: (r.method, r.share, r.rate, r.seed))
        with (folder / f"{task}.csv").open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(COLUMNS)
            for run in runs:
                table.writerows(lines(every[run], run.rate == chosen.get((task, run.method), run.rate)))


def run_of(record: dict) -> Run:
    return Run(**{name: record[name] for name in RUN})


def lines(record: dict, chosen: bool) -> list[list]:
    """Of a rate that was not chosen only the loss that decided it."""
    start = [*(record[name] for name in RUN), "yes" if chosen else "no", record["status"]]
    decided = [1, record["method"], "loss"]
    numbers = [[*n[:3], f"{n[3]:.5g}"] for n in record["numbers"] if chosen or list(n[:3]) == decided]
    return [[*start, *number, record["machine"]] for number in numbers or [[""] * len(NUMBER)]]
