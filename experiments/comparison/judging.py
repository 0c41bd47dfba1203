"""The rules of the protocol, on the numbers of the records: a mean has an interval, and a rule three answers.

A rule says yes where the whole interval is on its good side, no where the whole interval is on the other, and else it
says that it is open. An interval is for seeds: each has its own weights, training texts and test texts. Beside each
answer stands how many seeds are on its good side.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite, sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import NamedTuple

from experiments.comparison.evidence import cell, owner
from experiments.comparison.records import FOLDER

QUANTILE = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}
"""Of Student's t with n - 1 degrees of freedom, for n seeds: 95 % lie within plus and minus this."""

LEARNED, KEPT, MORE, LEVEL = 0.95, 0.9, 0.1, 0.05
"""Right answers at the trained length; the part of them that is left far beyond it; the nats allowed there; α."""

NOT_ASKED = "not asked"


class Answer(NamedTuple):
    """Of a rule: "yes", "no", "open" or "not asked"; and how many seeds of how many are on its good side."""

    said: str
    good: int = 0
    seeds: int = 0


def interval(values: Iterable[float]) -> tuple[float, float]:
    """The 95 % interval of the mean, by Student's t.

    >>> [round(end, 3) for end in interval([1.0, 2.0, 3.0, 4.0, 5.0])]
    [1.037, 4.963]
    """
    values = list(values)
    half = QUANTILE[len(values)] * stdev(values) / sqrt(len(values))
    return mean(values) - half, mean(values) + half


def verdict(values: Iterable[float], least: float = 0.0) -> Answer:
    """Whether the mean is at least so large.

    >>> verdict([1.0, 1.1, 0.9]), verdict([-1.0, -1.1, -0.9]).said, verdict([1.0, -1.0, 0.5]).said
    (Answer(said='yes', good=3, seeds=3), 'no', 'open')
    """
    values = list(values)
    good = sum(value >= least for value in values)
    if not all(map(isfinite, values)):
        return Answer("open", good, len(values))
    low, high = interval(values)
    return Answer("yes" if low >= least else "no" if high < least else "open", good, len(values))


def failing(seeds: int, chance: float = 0.05) -> float:
    """So large may be the share of seeds that fail, though all of so many were good: a one-sided exact bound.

    >>> round(failing(10), 2), round(failing(5), 2)
    (0.26, 0.45)
    """
    return 1 - chance ** (1 / seeds)


def learned(task: str, reading: str, folder: Path = FOLDER) -> Answer:
    """On the texts that are for this. In text: a smaller loss than that of the counts of pairs of bytes.

    One seed that diverged or failed is a no. Other frequencies are read in the rotary model: its answer is theirs.
    """
    its = cell(task, reading, folder)
    if its.gone:
        return Answer("no", len(its.lines) - its.gone, len(its.lines))
    own = its.values(f"{its.measure} to judge learning")
    if its.measure == "accuracy":
        return verdict(own, LEARNED)
    pairs = its.values("loss to judge learning", reading="pairs of bytes")
    return verdict(pair - loss for pair, loss in zip(pairs, own, strict=True))


def holds(task: str, reading: str, folder: Path = FOLDER) -> Answer:
    """Whether eight times the trained length costs at most 0.1 nats, or leaves nine tenths of the right answers.

    It is asked only of who learned. Other frequencies at eight times are compared with rotary at the trained length.
    """
    if learned(task, reading, folder).said != "yes":
        return Answer(NOT_ASKED)
    its = cell(task, reading, folder)
    near, far = its.values(its.measure, 1, owner(reading)), its.values(its.measure, 8, reading)
    return verdict(kept(its.measure, near, far))


def kept(measure: str, near: list[float], far: list[float]) -> list[float]:
    """For each seed a number that is not negative if it holds."""
    pairs = zip(near, far, strict=True)
    return [n + MORE - f if measure == "loss" else f - KEPT * n for n, f in pairs]
