"""How long all will take: `python -m experiments.comparison.budget` times some steps and tests of each contestant.

Seconds are those of one core, not of the clock, so that other work on the machine counts little.
"""

from __future__ import annotations

import time
from math import ceil

import torch

from experiments.comparison.contestants import CONTESTANTS, HEADLINE
from experiments.comparison.readings import PLAIN, SCALED, readings
from experiments.comparison.streams import CHOOSING_SEED
from experiments.comparison.tasks import TASKS, TIMES
from experiments.comparison.training import Run, Training

STEPS, SHARE, RATES = 5, 32, 4
"""Steps to time; one text of so many is read; and the rates that a contestant needs on average."""


def seconds(task: str, contestant: str) -> tuple[float, float, float]:
    """Of a training, of reading the model as it is or with other frequencies, and with something changed."""
    training = Training(Run(task, contestant, CHOOSING_SEED, 1e-3))
    for _ in range(2):
        training.step()
    training.seconds, training.done = 0.0, 0
    for _ in range(STEPS):
        training.step()
    own, changed = zip(*(read(training, times) for times in TIMES), strict=True)
    return training.run.steps * training.seconds / STEPS, sum(own), sum(changed)


def read(training: Training, times: int) -> tuple[float, float]:
    names = [n for n in readings(training.run.contestant, times) if training.run.task == "needle" or PLAIN not in n]
    changed = len([name for name in names if name not in SCALED])
    texts = training.task.texts("choosing", training.run.seed, times)[0]
    parts, start = ceil(len(texts) / SHARE), time.process_time()
    with torch.no_grad():
        generator = training.drawing("choosing", times)
        for part in texts[:parts].split(max(1, 128 // times**2)):
            training.model(part[:, :-1], training.positions(part, generator))
    each = (time.process_time() - start) * len(texts) / parts
    return each * (1 + len(names) - changed + (times == 1)), each * changed


def main() -> None:
    torch.set_num_threads(1)
    groups = {"headline": 0.0, "variants": 0.0}
    quick = 0.0
    print(f"{'contestant':24}" + "".join(f"{task:>16}" for task in TASKS) + f"{'hours':>8}")
    for name, contestant in CONTESTANTS.items():
        each = {task: seconds(task, name) for task in TASKS}
        hours = sum((contestant.seeds + RATES) * t + contestant.seeds * (m + c) for t, m, c in each.values()) / 3600
        groups["headline" if contestant.seeds == HEADLINE else "variants"] += hours
        quick += sum(t + m for t, m, _ in each.values()) / 3600 * (contestant.seeds == HEADLINE)
        cells = "".join(f"{f'{t:.0f} + {m + c:.0f} s':>16}" for t, m, c in each.values())
        print(f"{name:24}{cells}{hours:8.2f}", flush=True)
    print({group: f"{hours:.1f} hours of one core" for group, hours in groups.items()})
    print(f"in all {sum(groups.values()) / 2:.1f} hours on two cores; the first seed alone {30 * quick:.0f} minutes")


if __name__ == "__main__":
    main()
