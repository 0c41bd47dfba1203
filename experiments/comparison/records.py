"""The records: a file for each task and contestant, a line for each run that has ended. A line is never changed.

So several processes may write, what is there can be committed at any time, and a run that has a line is not repeated.
"""

from __future__ import annotations

import fcntl
import json
import math
import os
import platform
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import torch

from experiments.comparison.frozen import ROOT, judge, maker
from experiments.comparison.tasks import source_facts
from experiments.comparison.training import Run, Training, parameters
from tools.machine import commit, processor

FOLDER = ROOT / "experiments/comparison/records"
TRAINED = "trained"


@cache
def source() -> str:
    """What must be the same for two numbers that are compared: the code, torch, and the bytes of the texts."""
    return f"maker {maker()}, torch {torch.__version__.split('+')[0]}, {source_facts()}"


@cache
def machine() -> str:
    """What else there is to know of a number."""
    return f"python {platform.python_version()}, {processor()}, library {commit()}, judge {judge()}"


def record(training: Training, numbers: list) -> dict:
    """A number that is not finite is null, and takes no other with it."""
    status = f"diverged at step {training.done}" if training.diverged else TRAINED
    about = {"parameters": parameters(training)}
    about["ms a step"] = round(1000 * training.seconds / max(1, training.done), 1)  # of one core, on a shared machine
    about["numbers"] = [[*number[:3], rounded(number[3])] for number in numbers]
    return line_of(training.run, status) | about


def rounded(number: float) -> float | None:
    return float(f"{number:.5g}") if math.isfinite(number) else None


def line_of(run: Run, status: str) -> dict:
    """Without numbers: of a run that failed."""
    return vars(run) | {"status": status, "source": source(), "machine": machine(), "numbers": []}


def path(folder: Path, task: str, contestant: str) -> Path:
    return folder / task / f"{contestant}.jsonl"


def append(folder: Path, line: dict) -> None:
    """All at once, and behind a lock: two processes may end runs of one contestant at the same time."""
    file = path(folder, line["task"], line["contestant"])
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab") as out:
        fcntl.flock(out, fcntl.LOCK_EX)
        cut_off = file.read_bytes()[-1:] not in (b"", b"\n")
        os.write(out.fileno(), b"\n" * cut_off + json.dumps(line).encode() + b"\n")


def read(folder: Path, task: str, contestant: str) -> Iterator[dict]:
    """A last line that was cut off is not there: its run is done again, and begins a new line."""
    file = path(folder, task, contestant)
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            continue


def finished(folder: Path, task: str, contestant: str) -> dict[Run, dict]:
    """The first line of each run; but one that failed gives way to one by another code."""
    found: dict[Run, dict] = {}
    for line in read(folder, task, contestant):
        first = found.setdefault(run_of(line), line)
        if failed(first) and first["source"] != line["source"]:
            found[run_of(line)] = line
    return found


def failed(line: dict) -> bool:
    return line["status"].startswith("failed")


def again(line: dict) -> bool:
    """Whether the run failed by another code than today's: it is repeated. By the same code it would fail again."""
    return failed(line) and line["source"] != source()


def run_of(line: dict) -> Run:
    return Run(*(line[name] for name in ("task", "contestant", "seed", "rate", "share")))
