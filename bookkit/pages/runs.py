"""The measured comparison, as pages read it: who learned a task, who holds far beyond it, which pairs differ.

The tables in `bookkit/tables/runs` are made from the records of the runs by `python -m experiments.published`; the
rules are those of experiments/PROTOCOL.md. A reading is a trained model, as it is or with other frequencies.
"""

from __future__ import annotations

import csv
from collections.abc import Hashable, Iterable, Mapping
from functools import cache
from math import log, sqrt
from pathlib import Path
from statistics import mean, median, stdev
from typing import NamedTuple

from bookkit.comparison import sign_flip

FOLDER = Path(__file__).resolve().parents[1] / "tables/runs"
TASKS = ("text", "copy", "needle", "words")
TIMES, PARTS = (1, 2, 4, 8), 32
SCALED = ("interpolated", "ntk", "yarn", "llama 3")
"""The trained rotary model, read with other frequencies."""

LEARNED, KEPT, MORE, LEVEL = 0.95, 0.9, 0.1, 0.05
"""Right answers at the trained length; the part of them that is left at eight times it; the nats allowed there; α."""

WORST = log(256) + 10
"""The nats of a seed that diverged or failed, and the most that a pair counts."""

QUANTILE = {3: 4.303, 5: 2.776, 10: 2.262}
"""Of Student's t with n - 1 degrees of freedom, for n seeds: 95 % lie within plus and minus this."""

NAMES = {
    "none": "none", "sinusoidal": "sinusoid", "learned": "learned", "shaw 16": "Shaw 16", "shaw 128": "Shaw 128",
    "t5 32": "T5 32", "t5 64": "T5 64", "t5 128": "T5 128", "alibi": "ALiBi", "kerple": "KERPLE",
    "fire 16": "FIRE 16", "fire 512": "FIRE 512", "rotary": "rotary", "rotary 14": "rotary, base 14",
    "rotary, smallest base": "rotary, smallest base", "p-rope": "p-RoPE", "xpos": "xPos",
    "random positions": "random positions", "three of four": "three of four", "window": "window",
    "window and plain": "window and plain", "fox": "FoX, of keys", "stick-breaking": "stick-breaking",
    "cope": "CoPE, as long as the text", "cope 16": "CoPE 16", "path": "PaTH, of keys",
    "interpolated": "rotary, interpolated", "ntk": "rotary, NTK", "yarn": "rotary, YaRN", "llama 3": "rotary, Llama 3",
}  # fmt: skip
"""The readings, as a reader is told of them."""


class Answer(NamedTuple):
    """Of a rule: "yes", "no", "open" or "not asked"; and how many seeds of how many are on its good side."""

    said: str
    good: int = 0
    seeds: int = 0

    def __str__(self) -> str:
        return f"{self.said}, {self.good}/{self.seeds}" if self.seeds else self.said


class Pair(NamedTuple):
    """One minus other, seed by seed; without an interval if a seed diverged or failed. `sign` is said of one."""

    differences: list[float]
    interval: tuple[float, float] | None
    p: float
    sign: str  # "better", "worse" or "equal"


# --- Numbers ----------------------------------------------------------------------------------------------------------


@cache
def rows(name: str, folder: Path = FOLDER) -> list[dict[str, str]]:
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def measure(task: str) -> str:
    """Text is judged by its loss in nats, all else by the share of right answers."""
    return "loss" if task == "text" else "accuracy"


def values(task: str, reading: str, at: int | str, folder: Path = FOLDER) -> list[float]:
    """One number for each seed: at a length, such as 8 for eight times the trained one, or in another column."""
    return [float(row[str(at)]) for row in rows(task, folder) if row["reading"] == reading]


def curve(reading: str, folder: Path = FOLDER) -> list[list[float]]:
    """For each seed the loss of text in so many parts of windows of eight times the trained length, in nats."""
    parts = [values("text", reading, f"loss in {i}/{PARTS}", folder) for i in range(1, PARTS + 1)]
    return [list(by_part) for by_part in zip(*parts, strict=True)]


def changed(task: str, reading: str, what: str, times: int = 8, folder: Path = FOLDER) -> list[float]:
    """One number for each seed of a model in which this was changed on purpose, after it was trained."""
    asked = {"task": task, "contestant": reading, "what": what, "times": str(times)}
    return [float(row["value"]) for row in rows("changed", folder) if asked.items() <= row.items()]


def gone(task: str, reading: str, folder: Path = FOLDER) -> int:
    """How many seeds diverged or failed. (They have the worst number that there is.)"""
    return sum(row["status"] != "trained" for row in rows(task, folder) if row["reading"] == reading)


# --- Rules ------------------------------------------------------------------------------------------------------------


def interval(found: Iterable[float]) -> tuple[float, float]:
    """The 95 % interval of the mean over seeds, by Student's t.

    >>> [round(end, 3) for end in interval([1.0, 2.0, 3.0, 4.0, 5.0])]
    [1.037, 4.963]
    """
    found = list(found)
    half = QUANTILE[len(found)] * stdev(found) / sqrt(len(found))
    return mean(found) - half, mean(found) + half


def verdict(found: Iterable[float], least: float = 0.0) -> Answer:
    """Whether the mean is at least so large: yes or no if the whole interval says so, else open.

    >>> print(verdict([0.97, 0.98, 0.98, 0.99, 0.99], 0.95))
    yes, 5/5
    """
    found = list(found)
    low, high = interval(found)
    said = "yes" if low >= least else "no" if high < least else "open"
    return Answer(said, sum(value >= least for value in found), len(found))


def learned(task: str, reading: str, folder: Path = FOLDER) -> Answer:
    """On texts that are for this: 95 % right, or a smaller loss than that of the counts of pairs of bytes."""
    found = values(task, reading, "learning", folder)
    if fell_out := gone(task, reading, folder):
        return Answer("no", len(found) - fell_out, len(found))
    if measure(task) == "accuracy":
        return verdict(found, LEARNED)
    pairs = values(task, reading, "pairs", folder)
    return verdict(pair - loss for pair, loss in zip(pairs, found, strict=True))


def holds(task: str, reading: str, folder: Path = FOLDER) -> Answer:
    """At eight times the trained length at most 0.1 nats more, or nine tenths of the right answers left."""
    if learned(task, reading, folder).said != "yes":
        return Answer("not asked")
    both = zip(values(task, reading, 1, folder), values(task, reading, 8, folder), strict=True)
    return verdict(near + MORE - far if measure(task) == "loss" else far - KEPT * near for near, far in both)


def spread(found: Iterable[float]) -> str:
    """The mean, and how far its 95 % interval reaches.

    >>> spread([0.97, 0.98, 0.98, 0.99, 0.99])
    '0.98 ± 0.01'
    """
    low, high = interval(found)
    return f"{(low + high) / 2:.2f} ± {(high - low) / 2:.2f}"


def ranked(task: str, folder: Path = FOLDER) -> list[str]:
    """Who learned, the best at eight times the trained length first; then the others, in the order of NAMES."""
    learners = [reading for reading in NAMES if learned(task, reading, folder).said == "yes"]
    best = sorted(learners, key=lambda reading: mean(values(task, reading, 8, folder)), reverse=measure(task) != "loss")
    return best + [reading for reading in NAMES if reading not in learners]


def row(task: str, reading: str, folder: Path = FOLDER) -> dict[str, str]:
    """Of a table: a reading at each length, the median if seeds diverged or failed, and what the rules say of it."""
    fell_out = gone(task, reading, folder)
    by_length = {str(n): values(task, reading, n, folder) for n in TIMES}
    told = {n: f"{median(its):.2f}, {fell_out} failed" if fell_out else spread(its) for n, its in by_length.items()}
    did = learned(task, reading, folder)
    said = str(holds(task, reading, folder)) if did.said == "yes" else f"learned: {did}"
    return {"reading": NAMES[reading]} | told | {"holds": said}


# --- Pairs ------------------------------------------------------------------------------------------------------------


def pair(task: str, times: int, one: str, other: str, folder: Path = FOLDER) -> Pair:
    both = zip(*(values(task, reading, times, folder) for reading in (one, other)), strict=True)
    differences = [min(a, WORST) - min(b, WORST) for a, b in both]
    sure = interval(differences) if not gone(task, one, folder) + gone(task, other, folder) else None
    more = mean(differences) * (-1 if measure(task) == "loss" else 1)
    return Pair(differences, sure, sign_flip(differences), "better" if more > 0 else "worse" if more < 0 else "equal")


def planned_pairs(folder: Path = FOLDER) -> dict[tuple, Pair]:
    """The pairs that were named before the runs, by task, length and names. Where codes are mixed, p is 1."""
    found = {}
    for row in rows("pairs", folder):
        asked = row["task"], int(row["times"]), row["one"], row["other"]
        its = pair(*asked, folder)
        found[asked] = its._replace(p=1.0) if row["mixed"] == "yes" else its
    return found


def holm(p: Mapping[Hashable, float], level: float = LEVEL) -> dict[Hashable, bool]:
    """Who differs by Holm's correction: the smallest of m against level/m, the next against level/(m - 1), …

    >>> holm({"a": 0.002, "b": 0.04, "c": 0.03})
    {'a': True, 'b': False, 'c': False}
    """
    kept, still = {}, True
    for rank, name in enumerate(sorted(p, key=p.get)):
        still = still and p[name] <= level / (len(p) - rank)
        kept[name] = still
    return {name: kept[name] for name in p}


# --- Predictions ------------------------------------------------------------------------------------------------------


BLIND = ("yes", "but for a constant", "no")


def hits(
    tasks: Iterable[str] = TASKS, blind: Iterable[str] = BLIND, folder: Path = FOLDER
) -> tuple[int, int, int, int]:
    """Right predictions of who holds; right ones, had all been "falls"; with a verdict of yes or no; all there are."""
    asked = [row for row in rows("predictions", folder) if row["task"] in set(tasks) and row["blind"] in set(blind)]
    found = [(row["said"] == "holds", holds(row["task"], row["reading"], folder).said) for row in asked]
    judged = [(said, verdict == "yes") for said, verdict in found if verdict in ("yes", "no")]
    return sum(a == b for a, b in judged), sum(not held for _, held in judged), len(judged), len(asked)
