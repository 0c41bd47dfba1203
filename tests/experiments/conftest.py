"""Records of all planned runs that no training has made, and the tables that are made of them."""

from __future__ import annotations

import json
import random

import pytest

from experiments import published
from experiments.comparison import plan
from experiments.comparison.contestants import CONTESTANTS
from experiments.comparison.readings import CHANGED, SCALED
from experiments.comparison.streams import CHOOSING_SEED
from experiments.comparison.tasks import TASKS, TIMES
from tests.experiments.comparison.support import line

PROBES = ("without that head", "without another head, the mean", "without another head, the least",
          "begun in the middle: matches", "begun in the middle: counts")  # fmt: skip


def drawn(task: str, name: str, draw: random.Random) -> list:
    """Numbers of a run, near the borders of the rules, so that each answer comes up."""
    measure, best = ("loss", 2.2) if task == "text" else ("accuracy", 0.95)
    at_trained = [("pairs of bytes", "loss to judge learning", 1, 2.3)] if task == "text" else []
    at_trained += [(name, f"{measure} to judge learning", 1, best + draw.gauss(0.02, 0.02))]
    found, shift = [], draw.choice((0.0, 0.1, 0.5))
    for reading in (name, *(SCALED if name == "rotary" else ())):
        for times in TIMES if reading == name else TIMES[1:]:
            value = best + (shift if task == "text" else -shift) * (times > 1) + draw.gauss(0, 0.02)
            found.append((reading, measure, times, None if draw.random() < 0.002 else value))
        found += [(reading, part, 8, draw.random()) for part in published.parts(task)]
    found += [(f"{name}: {what}", measure, times, best) for what in CHANGED.get(name, {}) for times in (1, 8)]
    return at_trained + found + [(name, probe, 1, draw.random()) for probe in PROBES if task == "copy"]


def invented(folder, draw: random.Random, gone: float = 0.004) -> None:
    for task in TASKS:
        (folder / task).mkdir()
        for name, contestant in CONTESTANTS.items():
            losses = {rate: abs(rate - 4e-3) for rate in plan.RATES}
            lines = [line(task, name, CHOOSING_SEED, [(name, "loss", 1, loss)], rate) for rate, loss in losses.items()]
            sure = draw.random() < 0.8  # a contestant whose seeds agree
            of_cell = draw.random()
            for seed in range(contestant.seeds):
                own = random.Random(of_cell if sure else draw.random())
                status = "diverged at step 3" if draw.random() < gone else "trained"
                numbers = drawn(task, name, own) if status == "trained" else []
                numbers = [[*its[:3], its[3] and its[3] + draw.gauss(0, 0.003)] for its in numbers]
                lines.append(line(task, name, seed, numbers, status=status) | {"parameters": 7, "ms a step": 1.5})
            text = "".join(json.dumps(its) + "\n" for its in lines)
            (folder / task / f"{name}.jsonl").write_text(text, encoding="utf-8")


@pytest.fixture(scope="session")
def both(tmp_path_factory):
    """Records, and the tables that are made of them."""
    folder, out = tmp_path_factory.mktemp("records"), tmp_path_factory.mktemp("tables")
    invented(folder, random.Random(1))
    published.write(published.published(folder), out)
    return folder, out
