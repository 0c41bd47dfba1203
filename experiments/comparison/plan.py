"""Which runs there are, which are missing, and which rate a contestant has in a task."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from experiments.comparison.contestants import CONTESTANTS
from experiments.comparison.records import FOLDER, finished
from experiments.comparison.streams import CHOOSING_SEED
from experiments.comparison.training import Run

RATES, LEAST, MOST = (2e-3, 4e-3, 8e-3), 5e-4, 3.2e-2
"""Tried first; while the best one is at the end, the next one beyond is tried too, by factors of 2 up to these."""

NEW = 4e-3
"""The rate in the small form of a contestant for which none has been chosen yet."""


def losses_by_rate(records: Iterable[dict]) -> dict[float, float]:
    """On the texts that are for choosing; a run that diverged has none."""
    found = {}
    for record in records:
        losses = [number for _, measure, _, number in record["numbers"] if measure == "loss"]
        found[record["rate"]] = losses[0] if losses else math.inf
    return found


def untried(losses: dict[float, float]) -> list[float]:
    """The rates that are to be tried before one is chosen; none if the best is known.

    >>> untried({2e-3: 1.3, 4e-3: 1.2, 8e-3: 1.1}), untried({2e-3: 1.3, 4e-3: 1.1, 8e-3: 1.2})
    ([0.016], [])
    """
    if missing := [rate for rate in RATES if rate not in losses]:
        return missing
    best = min(losses, key=losses.get)
    if best == max(losses) and best < MOST:
        return [2 * best]
    return [best / 2] if best == min(losses) and best > LEAST else []


def chosen_rate(task: str, contestant: str, folder: Path = FOLDER) -> float | None:
    """None while it is not yet chosen."""
    losses = losses_by_rate(line for run, line in finished(folder, task, contestant).items() if run.chooses)
    return None if untried(losses) else min(losses, key=losses.get)


def missing(task: str, contestant: str, folder: Path, seeds: int | None = None, share: float = 1.0) -> list[Run]:
    """The runs of a cell that can be done now: those that choose its rate, then one for each seed."""
    done = finished(folder, task, contestant)
    losses = losses_by_rate(line for run, line in done.items() if run.chooses and run.share == share)
    if rates := untried(losses):
        return [Run(task, contestant, CHOOSING_SEED, rate, share) for rate in rates]
    rate = min(losses, key=losses.get)
    runs = [Run(task, contestant, seed, rate, share) for seed in range(seeds or CONTESTANTS[contestant].seeds)]
    return [run for run in runs if run not in done]


def first_seed(task: str, contestant: str, folder: Path, share: float = 1.0) -> list[Run]:
    """The small form: one seed, at the rate that the whole comparison has chosen."""
    run = Run(task, contestant, 0, chosen_rate(task, contestant) or NEW, share)
    return [run] * (run not in finished(folder, task, contestant))


def all_missing(tasks: Iterable[str], contestants: Iterable[str], folder: Path, quick: bool, share: float) -> list[Run]:
    """First all that choose a rate, then the first seed of each, then the second, and so on."""
    contestants = list(contestants)
    of_cell = first_seed if quick else missing
    runs = [run for name in contestants for task in tasks for run in of_cell(task, name, folder, share=share)]
    return sorted(runs, key=lambda run: (not run.chooses, run.seed))
