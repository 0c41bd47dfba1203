"""The records: a file for each task and contestant, a line for each run that has ended. A line is never changed.

So several processes may write, what is there can be committed at any time, and a run that has a line is not repeated.
"""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import torch

from experiments.comparison.tasks import source_facts
from experiments.comparison.training import Run, Training, parameters
from tools.machine import commit, git, processor

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "experiments/comparison/records"


@cache
def machine() -> str:
    """What a number depends on besides the protocol."""
    versions = f"python {platform.python_version()}, torch {torch.__version__.split('+')[0]}"
    return f"{versions}, {processor()}, {source_facts()}"


@cache
def code() -> str:
    """The last commit that changed the experiments, and that of the library."""
    try:
        where = ("--", "experiments/comparison", ":!experiments/comparison/records")
        changed = git("status", "-s", *where)
        return f"experiments {git('log', '-1', '--format=%h', *where)}{'+' * bool(changed)}, library {commit()}"
    except OSError:
        return "unknown"


def record(training: Training, numbers: list) -> dict:
    diverged = training.diverged or not all(math.isfinite(number[3]) for number in numbers)
    status, numbers = (f"diverged at step {training.done}", []) if diverged else ("trained", numbers)
    run = vars(training.run)
    about = {"status": status, "parameters": parameters(training), "machine": machine(), "code": code()}
    about["ms a step"] = round(1000 * training.seconds / max(1, training.done), 1)  # of one core, on a shared machine
    return run | about | {"numbers": [[*number[:3], float(f"{number[3]:.5g}")] for number in numbers]}


def path(folder: Path, task: str, contestant: str) -> Path:
    return folder / task / f"{contestant}.jsonl"


def append(folder: Path, line: dict) -> None:
    file = path(folder, line["task"], line["contestant"])
    file.parent.mkdir(parents=True, exist_ok=True)
    cut_off = file.exists() and file.read_bytes()[-1:] not in (b"", b"\n")
    with file.open("a", encoding="utf-8") as out:
        out.write("\n" * cut_off + json.dumps(line) + "\n")


def read(folder: Path, task: str, contestant: str) -> Iterator[dict]:
    """A last line that was cut off is not there: its run is done again, and begins a new line."""
    file = path(folder, task, contestant)
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            continue


def finished(folder: Path, task: str, contestant: str) -> dict[Run, dict]:
    return {run_of(line): line for line in read(folder, task, contestant)}


def run_of(line: dict) -> Run:
    return Run(*(line[name] for name in ("task", "contestant", "seed", "rate", "share")))
