"""What the tables say: who learned a task, whose numbers hold eight times as far, and which differences are chance."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from pathlib import Path
from statistics import mean

from experiments.harness import TIMES
from experiments.records import RESULTS, finished
from experiments.tasks import TASKS

LEARNED = 0.95  # of the answers right at the trained length
KEPT = 0.9  # of them still right
MORE = 0.1  # nats: so much worse may the same bytes be with more of the text before them
Numbers = dict[str, dict[int, dict[int, float]]]  # by reading, length, seed


def numbers(task: str, measure: str | None = None, folder: Path = RESULTS, share: float = 1.0) -> Numbers:
    """One number for each reading, length and seed, of the rate that was chosen."""
    measure = measure or ("accuracy" if TASKS[task].by_accuracy else "loss")
    found: Numbers = defaultdict(lambda: defaultdict(dict))
    for run, record in finished(folder).items():
        if run.task == task and run.share == share and record["chosen"]:
            for times, reading, what, value in record["numbers"]:
                if what == measure:
                    found[reading][times][run.seed] = value
    return {reading: dict(by_length) for reading, by_length in found.items()}


def learned(task: str, by_length: dict[int, dict[int, float]], limit: float) -> bool:
    """Whether the mean over the seeds reaches the limit at the trained length."""
    at_trained = mean(by_length[1].values())
    return at_trained >= limit if TASKS[task].by_accuracy else at_trained <= limit


def holds(task: str, by_length: dict[int, dict[int, float]]) -> bool:
    """At eight times the trained length, on the mean over the seeds."""
    first, last = (mean(by_length[times].values()) for times in (TIMES[0], TIMES[-1]))
    return last >= KEPT * first if TASKS[task].by_accuracy else last <= first + MORE


def sign_flip(differences: list[float]) -> float:
    """How often signs drawn by chance would give a mean at least as far from 0: the exact p-value.

    With n pairs it cannot fall below 2 / 2ⁿ: 0.25 for three seeds, 0.0625 for five.
    """
    signs = list(product((1, -1), repeat=len(differences)))
    seen = abs(sum(differences)) - 1e-12
    return sum(abs(sum(s * d for s, d in zip(row, differences, strict=True))) >= seen for row in signs) / len(signs)
