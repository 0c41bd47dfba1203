"""What the rules read: for each planned seed its one line, or an error that says what is not as planned.

A seed that diverged or failed keeps its place, with the worst number there is; so does a reading that is not finite.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import log
from pathlib import Path

from experiments.comparison import frozen, plan, records
from experiments.comparison.contestants import CONTESTANTS
from experiments.comparison.readings import SCALED
from experiments.comparison.records import FOLDER, TRAINED
from experiments.comparison.training import Run

WORST = {"loss": log(256) + 10, "accuracy": 0.0}
"""Of a seed without a number. (No finite loss that is larger counts for more: in pairs losses are cut off there.)"""


class NotAsPlanned(ValueError):
    """Runs that are missing, or that nobody has planned."""


@dataclass(frozen=True)
class Cell:
    """A contestant in a task: a line for each of its seeds, in their order."""

    task: str
    contestant: str
    lines: list[dict]

    @property
    def measure(self) -> str:
        """What the task is judged by."""
        return "loss" if self.task == "text" else "accuracy"

    @property
    def gone(self) -> int:
        """How many seeds diverged or failed."""
        return sum(line["status"] != TRAINED for line in self.lines)

    @property
    def sources(self) -> set[str]:
        return {line["source"] for line in self.lines if "source" in line}

    def values(self, measure: str, times: int = 1, reading: str = "") -> list[float | None]:
        """One for each seed. None is the number of an intervention that is not finite."""
        return [number(line, reading or self.contestant, measure, times) for line in self.lines]


def number(line: dict, reading: str, measure: str, times: int) -> float | None:
    found = None
    if line["status"] == TRAINED:
        found = {tuple(each[:3]): each[3] for each in line["numbers"]}[reading, measure, times]
    return WORST[measure.split()[0]] if found is None and ": " not in reading else found


def owner(reading: str) -> str:
    """The contestant that is trained: rotary for other frequencies."""
    return "rotary" if reading in SCALED else reading


def cell(task: str, reading: str, folder: Path = FOLDER) -> Cell:
    """All planned seeds at the chosen rate, once each, and nothing else; else an error."""
    contestant = owner(reading)
    done = counted(task, contestant, folder)
    seeds = range(CONTESTANTS[contestant].seeds)
    rate = plan.chosen_rate(task, contestant, folder)
    planned = [] if rate is None else [Run(task, contestant, seed, rate) for seed in seeds]
    odd = [run.name for run in done if run not in planned and not (run.chooses and run.rate in plan.ALLOWED)]
    lacking = [run.name for run in planned if run not in done]
    if rate is None and not plan.hopeless(task, contestant, folder):
        lacking = [f"the rate of {contestant} in {task}"]
    if odd or lacking:
        raise NotAsPlanned(f"missing: {lacking or 'nothing'}; not planned: {odd or 'nothing'}")
    gone = {"status": "diverged at every rate", "numbers": []}
    return Cell(task, contestant, [done[run] for run in planned] or [gone for _ in seeds])


def known(line: dict) -> bool:
    return any(line["source"].startswith(f"maker {maker}, ") for _, maker, *_ in frozen.frozen())


def counted(task: str, contestant: str, folder: Path) -> dict[Run, dict]:
    """The line of each run. Only one that failed by another code may stand before it; a second one is refused."""
    lines = list(records.read(folder, task, contestant))
    last = {records.run_of(line): line for line in lines}
    lines = [
        line for line in lines if not (records.failed(line) and line["source"] != last[records.run_of(line)]["source"])
    ]
    if folder.resolve() == records.FOLDER and (strange := [line["source"] for line in lines if not known(line)]):
        raise NotAsPlanned(f"by a code that was never frozen: {set(strange)}")
    twice = [run.name for run, count in Counter(map(records.run_of, lines)).items() if count > 1]
    if twice:
        raise NotAsPlanned(f"more than one line: {twice}")
    return {records.run_of(line): line for line in lines}
