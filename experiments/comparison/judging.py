"""The rules and tests of the protocol, on the numbers of the records: a mean has an interval, and a rule three answers.

A rule says yes where the whole interval is on its good side, no where the whole interval is on the other, and else it
says that it is open. An interval is for seeds: each has its own weights, training texts and test texts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from math import sqrt
from pathlib import Path
from statistics import mean, stdev

from bookkit.comparison import sign_flip
from experiments.comparison.records import FOLDER, finished

Seeds = dict[int, float]
QUANTILE = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}
"""Of Student's t with n - 1 degrees of freedom, for n seeds: 95 % lie within plus and minus this."""

LEARNED, KEPT, MORE, LEVEL = 0.95, 0.9, 0.1, 0.05
"""Right answers at the trained length; the part of them that is left far beyond it; the nats allowed there; α."""


def numbers(task: str, contestant: str, folder: Path = FOLDER) -> dict[tuple[str, str, int], Seeds]:
    """For each reading, measure and length the number of each seed; runs that chose a rate are left out."""
    found: dict[tuple[str, str, int], Seeds] = defaultdict(dict)
    for run, line in finished(folder, task, contestant).items():
        for reading, measure, times, value in line["numbers"] if not run.chooses else ():
            found[reading, measure, times][run.seed] = value
    return dict(found)


def interval(values: Iterable[float]) -> tuple[float, float]:
    """The 95 % interval of the mean, by Student's t.

    >>> [round(end, 3) for end in interval([1.0, 2.0, 3.0, 4.0, 5.0])]
    [1.037, 4.963]
    """
    values = list(values)
    half = QUANTILE[len(values)] * stdev(values) / sqrt(len(values))
    return mean(values) - half, mean(values) + half


def verdict(values: Iterable[float], least: float = 0.0) -> str:
    """Whether the mean is at least so large: "yes", "no" or "open".

    >>> verdict([1.0, 1.1, 0.9]), verdict([-1.0, -1.1, -0.9]), verdict([1.0, -1.0, 0.5])
    ('yes', 'no', 'open')
    """
    low, high = interval(values)
    return "yes" if low >= least else "no" if high < least else "open"


def diverged(task: str, contestant: str, folder: Path = FOLDER) -> bool:
    """Whether one of its reported seeds did: then no rule says yes, or is open."""
    runs = finished(folder, task, contestant).items()
    return any(line["status"].startswith("diverged") for run, line in runs if not run.chooses)


def learned(task: str, contestant: str, folder: Path = FOLDER) -> str:
    """On the texts that are for this. In text: a smaller loss than that of the counts of pairs of bytes."""
    if diverged(task, contestant, folder):
        return "no"
    found = numbers(task, contestant, folder)
    if task != "text":
        return verdict(found[contestant, "accuracy to judge learning", 1].values(), LEARNED)
    own, pairs = (found[name, "loss to judge learning", 1] for name in (contestant, "pairs of bytes"))
    return verdict(pairs[seed] - own[seed] for seed in own)


def holds(task: str, contestant: str, reading: str, folder: Path = FOLDER) -> str:
    """Whether eight times the trained length costs at most 0.1 nats, or leaves nine tenths of the right answers."""
    if diverged(task, contestant, folder):
        return "no"
    found = numbers(task, contestant, folder)
    measure = "loss" if task == "text" else "accuracy"
    near, far = found[contestant, measure, 1], found[reading, measure, 8]
    return verdict(near[s] + MORE - far[s] if task == "text" else far[s] - KEPT * near[s] for s in far)


def paired(one: Seeds, other: Seeds) -> list[float]:
    """The differences, seed by seed: each seed has the same texts for both."""
    return [one[seed] - other[seed] for seed in sorted(one.keys() & other.keys())]


def compared(pairs: dict[str, list[float]]) -> dict[str, dict[str, object]]:
    """For each pair that is asked: mean, interval, the exact sign-flip p-value, and whether Holm's step keeps it."""
    p = {name: sign_flip(differences) for name, differences in pairs.items()}
    kept = holm(p)
    return {
        name: {"mean": mean(values), "interval": interval(values), "p": p[name], "differs": kept[name]}
        for name, values in pairs.items()
    }


def holm(p: dict[str, float], level: float = LEVEL) -> dict[str, bool]:
    """Which are kept by Holm's correction: the smallest of m against level/m, the next against level/(m - 1), …

    >>> holm({"a": 0.002, "b": 0.04, "c": 0.03})
    {'a': True, 'b': False, 'c': False}
    """
    kept, still = {}, True
    for rank, name in enumerate(sorted(p, key=p.get)):
        still = still and p[name] <= level / (len(p) - rank)
        kept[name] = still
    return {name: kept[name] for name in p}
