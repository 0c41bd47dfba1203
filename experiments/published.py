"""The tables of the comparison that pages read, from its records: `python -m experiments.published`.

`bookkit/tables/runs` has a table for each task, a row for each reading and seed; and one each of what was changed on
purpose, of the cells, the causes, the pairs and the predictions. Nothing is published before all planned runs are
there.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from bookkit.pages.runs import FOLDER as TABLES
from experiments.comparison import plan, questions
from experiments.comparison.causes import CAUSES, answer
from experiments.comparison.contestants import CONTESTANTS
from experiments.comparison.evidence import Cell, NotAsPlanned, cell, owner
from experiments.comparison.frozen import unfrozen
from experiments.comparison.measuring import PARTS
from experiments.comparison.pairs import compared
from experiments.comparison.readings import SCALED
from experiments.comparison.records import FOLDER
from experiments.comparison.tasks import TASKS, TIMES

READINGS = (*CONTESTANTS, *SCALED)
Row = dict[str, object]


def numbers(task: str, folder: Path = FOLDER) -> Iterator[Row]:
    """Of each reading and seed what the task is judged by: to judge learning, and at each length; and its parts."""
    for reading in READINGS:
        its = cell(task, reading, folder)
        columns: dict[str, list] = {"learning": its.values(f"{its.measure} to judge learning", 1, its.contestant)}
        if task == "text":
            columns |= {"pairs": its.values("loss to judge learning", 1, "pairs of bytes")}
        columns |= {str(n): its.values(its.measure, n, its.contestant if n == 1 else reading) for n in TIMES}
        columns |= {part: its.values(part, 8, reading) for part in parts(task)}
        for seed, line in enumerate(its.lines):
            row = {name: values[seed] for name, values in columns.items()}
            yield {"reading": reading, "seed": seed, "status": line["status"]} | row


def parts(task: str) -> list[str]:
    """What is measured at eight times the length by place: the loss of text, and how many needles are found."""
    by_task = {"text": [f"loss in {i + 1}/{PARTS}" for i in range(PARTS)]}
    return (by_task | {"needle": [f"accuracy in quarter {i + 1}" for i in range(4)]}).get(task, [])


def changed(folder: Path = FOLDER) -> Iterator[Row]:
    """What is read with something changed on purpose, and the probes of copying."""
    for task in TASKS:
        for name in CONTESTANTS:
            its = cell(task, name, folder)
            for line in its.lines:
                for reading, measure, times, value in line["numbers"]:
                    if what := intervention(its, reading, measure):
                        about = {"task": task, "contestant": name, "what": what, "times": times}
                        yield about | {"seed": line["seed"], "value": value}


def intervention(its: Cell, reading: str, measure: str) -> str:
    """What was changed, or probed; "" of all other numbers."""
    name, _, what = reading.partition(": ")
    if reading == its.contestant and not measure.startswith(("loss", "accuracy")):
        return measure
    return what if name == its.contestant and measure == its.measure else ""


def cells(folder: Path = FOLDER) -> Iterator[Row]:
    """Of each contestant in each task its parameters, its time, and how its rate was chosen."""
    for task in TASKS:
        for name in CONTESTANTS:
            its = cell(task, name, folder)
            yield {"task": task, "contestant": name, "gone": its.gone} | cost(its) | choice(task, name, folder)


def cost(its: Cell) -> Row:
    lines = [line for line in its.lines if "ms a step" in line]
    times = sorted(line["ms a step"] for line in lines)
    return {"parameters": lines[0]["parameters"] if lines else "", "ms": times[len(times) // 2] if times else ""}


def choice(task: str, name: str, folder: Path) -> Row:
    losses = plan.losses_by_rate(task, name, folder)
    shown = " ".join(f"{rate:g}:{loss:g}" for rate, loss in sorted(losses.items()))
    rate = plan.chosen_rate(task, name, folder)
    marks = ["second near"] * plan.near(task, losses) + ["last allowed"] * (rate in (plan.LEAST, plan.MOST))
    return {"rate": rate, "marks": ", ".join(marks), "losses": shown}


def causes(folder: Path = FOLDER) -> Iterator[Row]:
    for told, cause in CAUSES.items():
        for name in cause.contestants:
            said, found = answer(told, name, folder)
            claims = " ".join(f"{its.said}:{its.good}/{its.seeds}" for its in found)
            yield {"task": cause.task, "contestant": name, "cause": told, "answer": said, "claims": claims}


def pairs(folder: Path = FOLDER) -> Iterator[Row]:
    """`mixed`: one was trained by another code, or on other texts, than the other; then nothing is concluded."""
    for pair in questions.PAIRS:
        yield pair._asdict() | {"mixed": "yes" if compared(pair, folder).mixed else "no"}


CONSTANT = ("t5 32", "t5 64", "shaw 128", "rotary 14", "rotary, smallest base", "p-rope")
"""Whom the first comparison had with another constant. Their cells, if blind at all, are so but for that."""


def predictions() -> Iterator[Row]:
    for (task, reading), its in questions.predictions().items():
        about = {"task": task, "reading": reading, "owner": owner(reading)}
        blind = "no" if not its.blind else "but for a constant" if reading in CONSTANT else "yes"
        yield about | its._asdict() | {"blind": blind}


def published(folder: Path = FOLDER) -> dict[str, list[Row]]:
    """All tables, by name; an error if a run is missing, or what judges is not as it was frozen."""
    if why := unfrozen():
        raise NotAsPlanned(why)
    tables: dict[str, Iterable[Row]] = {task: numbers(task, folder) for task in TASKS}
    tables |= {"changed": changed(folder), "cells": cells(folder), "causes": causes(folder)}
    return {
        name: list(rows) for name, rows in (tables | {"pairs": pairs(folder), "predictions": predictions()}).items()
    }


def write(tables: dict[str, list[Row]], out: Path = TABLES) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for name, rows in tables.items():
        with (out / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            table.writeheader()
            table.writerows(rows)


if __name__ == "__main__":
    write(published())
