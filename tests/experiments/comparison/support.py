"""Records that no training has made."""

from __future__ import annotations

from experiments.comparison import records
from experiments.comparison.plan import RATES
from experiments.comparison.streams import CHOOSING_SEED


def line(task, contestant, seed, numbers=(), rate=4e-3, share=1.0, status="trained", source="one"):
    about = {"task": task, "contestant": contestant, "seed": seed, "rate": rate, "share": share}
    return about | {"status": status, "source": source, "numbers": [list(number) for number in numbers]}


def chosen(folder, task, contestant):
    """0.004 is the best rate."""
    for rate in RATES:
        numbers = [(contestant, "loss", 1, abs(rate - 4e-3))]
        records.append(folder, line(task, contestant, CHOOSING_SEED, numbers, rate))


def written(folder, task, contestant, values, more=(), choose=True, source="one"):
    """A line for each (1 ×, 8 ×, on the texts for learning), all with the further numbers, after the rate is chosen."""
    if choose:
        chosen(folder, task, contestant)
    measure = "loss" if task == "text" else "accuracy"
    for seed, (near, far, learning) in enumerate(values):
        numbers = [(contestant, measure, 1, near), (contestant, measure, 8, far)]
        numbers += [(contestant, f"{measure} to judge learning", 1, learning)]
        numbers += [("pairs of bytes", "loss to judge learning", 1, 2.3), *more]
        records.append(folder, line(task, contestant, seed, numbers, source=source))
