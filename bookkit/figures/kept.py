"""What each model of the measured comparison keeps beyond its trained length: a map of models by tasks and lengths."""

from __future__ import annotations

from math import exp, nan
from statistics import mean

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from bookkit.colours import PAPER, QUIET
from bookkit.drawing.shades import Shades
from bookkit.drawing.style import STYLE, WIDTH
from bookkit.pages.runs import NAMES, TASKS, TIMES, holds, learned, ranked, values

LONGER = TIMES[1:]
TITLES = ("text", "copying", "needle", "number\nwords")


def kept(task: str, reading: str, times: int) -> float:
    """Of the right answers at the trained length; in text, of the probability that the right byte has there.

    0.1 nats more leave exp(-0.1) = 0.905 of it, so the two rules of `holds` ask for nearly the same.
    """
    near, far = (mean(values(task, reading, n)) for n in (1, times))
    return exp(near - far) if task == "text" else far / near


def kept_map() -> None:
    """The best in text on top. A dot: it holds. A cross: it is not shown to have learned the task."""
    names = ranked("text")
    with plt.rc_context(STYLE | {"ytick.labelsize": 9.5, "xtick.labelsize": 9.5}):
        figure, axes = plt.subplots(1, len(TASKS), sharey=True, figsize=(WIDTH, 5.4))
        for ax, task, title in zip(axes, TASKS, TITLES, strict=True):
            one_task(ax, task, names)
            ax.set_title(title)
        axes[0].set_yticks(range(len(names)), [NAMES[name] for name in names])
        figure.supxlabel("times the trained length")


def one_task(ax: Axes, task: str, names: list[str]) -> None:
    asked = [learned(task, name).said == "yes" for name in names]
    cells = [[kept(task, name, n) if ask else nan for n in LONGER] for name, ask in zip(names, asked, strict=True)]
    look = {"cmap": Shades("position", False), "vmin": 0, "vmax": 1, "aspect": "auto", "interpolation": "nearest"}
    ax.imshow(cells, **look)
    held = [row for row, name in enumerate(names) if holds(task, name).said == "yes"]
    ax.plot([len(LONGER) - 1] * len(held), held, ".", color=PAPER)
    unlearned = [row for row, ask in enumerate(asked) if not ask]
    ax.plot([1] * len(unlearned), unlearned, "x", color=QUIET, markersize=5)
    ax.set_xticks(range(len(LONGER)), map(str, LONGER))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(True)
