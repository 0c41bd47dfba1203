"""The pairs that are tested: differences seed by seed, an exact test, and a correction for all that are asked."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from bookkit.comparison import sign_flip
from experiments.comparison.evidence import WORST, cell
from experiments.comparison.judging import LEVEL, interval, learned
from experiments.comparison.questions import PAIRS, Pair
from experiments.comparison.records import FOLDER


@dataclass(frozen=True)
class Compared:
    """One minus other. Without an interval where a seed diverged or failed; with p = 1 where codes are mixed."""

    differences: list[float]
    gone: int
    mixed: bool
    learned: tuple[str, str]

    @property
    def p(self) -> float:
        return 1.0 if self.mixed else sign_flip(self.differences)

    @property
    def mean(self) -> float:
        return mean(self.differences)

    @property
    def interval(self) -> tuple[float, float] | None:
        return None if self.gone else interval(self.differences)


def compared(pair: Pair, folder: Path = FOLDER) -> Compared:
    """A seed that diverged or failed has the worst number: it stays in the pair, and its sign counts."""
    cells = [cell(pair.task, name, folder) for name in (pair.one, pair.other)]
    one, other = (
        [min(value, WORST["loss"]) for value in its.values(its.measure, pair.times, name)]
        for its, name in zip(cells, (pair.one, pair.other), strict=True)
    )
    differences = [a - b for a, b in zip(one, other, strict=True)]
    mixed = len(cells[0].sources | cells[1].sources) > 1
    said = tuple(learned(pair.task, name, folder).said for name in (pair.one, pair.other))
    return Compared(differences, sum(its.gone for its in cells), mixed, said)


def verdicts(folder: Path = FOLDER, pairs: tuple[Pair, ...] = PAIRS) -> dict[Pair, tuple[Compared, bool, bool]]:
    """Of each pair what was found, whether it differs by Holm's correction over all, and with the expected sign."""
    found = {pair: compared(pair, folder) for pair in pairs}
    differs = holm({pair: its.p for pair, its in found.items()})
    return {pair: (its, differs[pair], as_expected(pair, its.mean)) for pair, its in found.items()}


def as_expected(pair: Pair, difference: float) -> bool:
    """Whether the mean has the sign that was expected; a smaller loss is better."""
    better = difference < 0 if pair.task == "text" else difference > 0
    return difference != 0 and better == (pair.expected == "better")


def holm(p: dict[Hashable, float], level: float = LEVEL) -> dict[Hashable, bool]:
    """Which are kept by Holm's correction: the smallest of m against level/m, the next against level/(m - 1), …

    >>> holm({"a": 0.002, "b": 0.04, "c": 0.03})
    {'a': True, 'b': False, 'c': False}
    """
    kept, still = {}, True
    for rank, name in enumerate(sorted(p, key=p.get)):
        still = still and p[name] <= level / (len(p) - rank)
        kept[name] = still
    return {name: kept[name] for name in p}
