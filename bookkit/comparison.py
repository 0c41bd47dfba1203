"""The measured comparison, as pages read it: who learned a task, whose numbers hold far beyond the trained length.

`make experiments` writes the tables in `bookkit/tables/comparison`, one a task, a row a number.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from functools import cache
from itertools import product
from pathlib import Path
from statistics import mean

FOLDER = Path(__file__).resolve().parent / "tables/comparison"
RUN = {"task": str, "method": str, "seed": int, "rate": float, "share": float}
NUMBER = {"times": int, "reading": str, "measure": str, "value": float}
COLUMNS = (*RUN, "chosen", "status", *NUMBER, "machine")
LOSS, PAIRS = "text", "pairs of bytes"
"""The task that is measured by its loss in nats, not by the share of right answers; and whom it must be better than."""

FAR, PARTS, TRAINED = 8, 32, 64
"""Texts are up to so many times as long as in training; so many parts have the curve; bytes of text in training."""

LEARNED, KEPT, MORE = 0.95, 0.9, 0.1
"""Right answers at the trained length, the part of them that must be left far beyond it, and the nats allowed there."""

NAMES = {
    "none": "none", "sinusoidal": "sinusoid", "learned": "learned", "shaw": "Shaw", "t5": "T5", "alibi": "ALiBi",
    "rotary": "rotary", "xpos": "xPos", "p-rope": "p-RoPE", "random positions": "random positions",
    "three of four": "three of four", "interpolated": "interpolated", "ntk": "NTK", "yarn": "YaRN",
    "llama 3": "Llama 3",
}  # fmt: skip
"""The readings, as a reader is told of them."""

Seeds = dict[int, float]


def rows(task: str, folder: Path = FOLDER) -> list[dict]:
    """The rows of a table with their numbers as numbers; none where there is no table yet."""
    path = folder / f"{task}.csv"
    return _read(path, path.stat().st_mtime_ns) if path.exists() else []


@cache
def _read(path: Path, changed: int) -> list[dict]:
    """Once for each state of the file: a page asks a hundred times."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            row | {name: kind(row[name]) for name, kind in (RUN | NUMBER).items() if row[name] != ""}
            for row in csv.DictReader(file)
        ]


def numbers(task: str, measure: str | None = None, folder: Path = FOLDER) -> dict[str, dict[int, Seeds]]:
    """By reading, length and seed, with the rate that was chosen. A reading is a model with its frequencies.

    >>> sorted(numbers("copy")["alibi"])
    [1, 2, 4, 8]
    """
    measure = measure or ("loss" if task == LOSS else "accuracy")
    found: dict = defaultdict(lambda: defaultdict(dict))
    for row in rows(task, folder):
        if row["chosen"] == "yes" and row["measure"] == measure:
            found[row["reading"]][row["times"]][row["seed"]] = row["value"]
    return {reading: dict(by_length) for reading, by_length in found.items()}


def learned(task: str, reading: str, folder: Path = FOLDER) -> bool:
    """Whether the mean over the seeds says so at the trained length. For text: better than counts of pairs of bytes."""
    found = numbers(task, folder=folder)
    at_trained = mean(found[reading][1].values())
    return at_trained < found[PAIRS][1][0] if task == LOSS else at_trained >= LEARNED


def holds(task: str, reading: str, folder: Path = FOLDER) -> bool:
    """Whether the mean over the seeds is kept at eight times the trained length."""
    by_length = numbers(task, folder=folder)[reading]
    first, last = (mean(by_length[times].values()) for times in (1, FAR))
    return last <= first + MORE if task == LOSS else last >= KEPT * first


def curve(reading: str, folder: Path = FOLDER) -> list[list[float]]:
    """For each seed the loss of text in 32 parts of windows eight times the trained length, in nats."""
    by_seed: dict[int, list[float]] = defaultdict(list)
    for row in rows(LOSS, folder):
        if (row["reading"], row["chosen"]) == (reading, "yes") and row["measure"].startswith("loss in "):
            by_seed[row["seed"]].append(row["value"])  # the parts are in order
    return list(by_seed.values())


def predictions(task: str, folder: Path = FOLDER) -> dict[str, bool]:
    """What was expected before the first run: whether each reading holds."""
    with (folder / "predictions.csv").open(encoding="utf-8", newline="") as file:
        return {row["reading"]: row["prediction"] == "holds" for row in csv.DictReader(file) if row["task"] == task}


def sign_flip(differences: list[float]) -> float:
    """How often signs drawn by chance would give a mean at least as far from 0: the exact p-value.

    With n pairs it cannot fall below 2 / 2ⁿ: 0.25 for three seeds, 0.0625 for five.

    >>> sign_flip([0.2, 0.1, 0.4])
    0.25
    """
    seen = abs(sum(differences)) - 1e-12
    flipped = [sum(s * d for s, d in zip(signs, differences, strict=True))
               for signs in product((1, -1), repeat=len(differences))]  # fmt: skip
    return sum(abs(total) >= seen for total in flipped) / len(flipped)
