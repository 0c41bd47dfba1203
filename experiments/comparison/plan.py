"""Which runs there are, which are missing, and which rate a contestant has in a task."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from experiments.comparison.contestants import CONTESTANTS
from experiments.comparison.records import FOLDER, again, finished
from experiments.comparison.streams import CHOOSING_SEED
from experiments.comparison.training import Run

RATES, LEAST, MOST = (2e-3, 4e-3, 8e-3), 5e-4, 3.2e-2
"""Tried first; while the best one is at the end, the next one beyond is tried too, by factors of 2 up to these."""

ALLOWED = tuple(LEAST * 2**i for i in range(7))

NEW = 4e-3
"""The rate in the small form of a contestant for which none has been chosen yet."""

NEAR, NEAR_PART = 0.02, 0.1
"""A second best rate is near if its loss is larger by so many nats in text, elsewhere by this part."""


def losses_by_rate(task: str, contestant: str, folder: Path = FOLDER, share: float = 1.0) -> dict[float, float]:
    """On the texts that are for choosing; a run that diverged or failed has an infinite loss."""
    found = {}
    for run, line in finished(folder, task, contestant).items():
        if run.chooses and run.share == share:
            losses = [number for _, measure, _, number in line["numbers"] if measure == "loss"]
            found[run.rate] = math.inf if not losses or losses[0] is None else losses[0]
    return found


def best(losses: dict[float, float]) -> float:
    """The rate of the smallest loss; of equal ones the smaller rate, in whatever order the runs have ended."""
    return min(sorted(losses), key=losses.get)


def untried(losses: dict[float, float]) -> list[float]:
    """The rates that are to be tried before one is chosen; none if the best is known.

    >>> untried({2e-3: 1.3, 4e-3: 1.2, 8e-3: 1.1}), untried({2e-3: 1.3, 4e-3: 1.1, 8e-3: 1.2})
    ([0.016], [])
    """
    if missing := [rate for rate in RATES if rate not in losses]:
        return missing
    rate = best(losses)
    if rate == max(losses) and rate < MOST:
        return [2 * rate]
    return [rate / 2] if rate == min(losses) and rate > LEAST else []


def chosen_rate(task: str, contestant: str, folder: Path = FOLDER, share: float = 1.0) -> float | None:
    """None while it is not yet chosen, and where every rate diverged: then no seed is run."""
    losses = losses_by_rate(task, contestant, folder, share)
    return None if untried(losses) or not math.isfinite(min(losses.values())) else best(losses)


def hopeless(task: str, contestant: str, folder: Path = FOLDER) -> bool:
    """Whether all rates have been tried, and all diverged."""
    losses = losses_by_rate(task, contestant, folder)
    return not untried(losses) and not math.isfinite(min(losses.values()))


def near(task: str, losses: dict[float, float]) -> bool:
    """Whether the second best rate is so near that the choice may be one of chance: its cell is marked."""
    first, second = sorted(losses.values())[:2]
    return second - first <= (NEAR if task == "text" else NEAR_PART * first)


def missing(task: str, contestant: str, folder: Path, seeds: int | None = None, share: float = 1.0) -> list[Run]:
    """The runs of a cell that can be done now: those that choose its rate, then one for each seed."""
    done = finished(folder, task, contestant)
    if runs := [run for run, line in done.items() if again(line) and run.share == share]:
        return runs
    if rates := untried(losses_by_rate(task, contestant, folder, share)):
        return [Run(task, contestant, CHOOSING_SEED, rate, share) for rate in rates]
    if (rate := chosen_rate(task, contestant, folder, share)) is None:
        return []
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
