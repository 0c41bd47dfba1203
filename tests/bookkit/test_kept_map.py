"""The map of the measured comparison shows what is left of each model, and marks whom the rules say to hold."""

from __future__ import annotations

from statistics import mean

import matplotlib.pyplot as plt
import numpy as np
import pytest

from bookkit.figures.kept import kept, kept_map
from bookkit.pages import runs
from bookkit.pages.runs import holds, learned, ranked, values


def test_both_kinds_of_task_ask_for_about_nine_tenths():
    for task in runs.TASKS:
        for said, right in (("yes", lambda left: left > 0.9), ("no", lambda left: left < 0.906)):
            assert all(right(kept(task, name, 8)) for name in runs.NAMES if holds(task, name).said == said)
    assert kept("needle", "rotary", 8) == mean(values("needle", "rotary", 8)) / mean(values("needle", "rotary", 1))


@pytest.mark.parametrize("at", range(4))
def test_a_task_has_its_cells_its_dots_and_its_crosses(at):
    task, names = runs.TASKS[at], ranked("text")
    kept_map()
    ax = plt.gcf().axes[at]
    cells = ax.images[0].get_array()
    unlearned = [row for row, name in enumerate(names) if learned(task, name).said != "yes"]
    dots, crosses = (line.get_ydata().tolist() for line in ax.lines)
    assert [names[row] for row in dots] == [name for name in names if holds(task, name).said == "yes"]
    assert crosses == unlearned == np.flatnonzero(np.isnan(cells.filled(np.nan)[:, 2])).tolist()
    assert cells[names.index("rotary")].tolist() == [kept(task, "rotary", n) for n in (2, 4, 8)]
    plt.close("all")
