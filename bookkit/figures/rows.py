"""Rows with a name each: of dots, or of boxes with numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt

from bookkit.colours import GRID, INK, PAPER, QUIET
from bookkit.drawing.style import CURVES, STYLE, WIDTH


def dots(rows: Mapping[str, Mapping[str, Sequence[float]]], *, x_label: str) -> plt.Axes:
    """A row for each name, with every number as a dot; the kinds of numbers are told apart by shape and filling."""
    looks = [{"marker": "o", "facecolors": "none"}, {"marker": "D"}]
    with plt.rc_context(STYLE):
        ax = plt.subplots(figsize=(WIDTH, 1.1 + 0.25 * len(rows)))[1]
        for i, look in enumerate(looks):
            found = [(value, y) for y, kinds in enumerate(rows.values()) for value in list(kinds.values())[i]]
            name = list(next(iter(rows.values())))[i]
            color = CURVES[i]["color"]
            ax.scatter(
                *zip(*found, strict=True), s=26, zorder=3 - i, edgecolors=color, label=name, **({"color": color} | look)
            )
        ax.set(xlabel=x_label, ylim=(len(rows) - 0.5, -0.5))
        ax.set_yticks(range(len(rows)), rows)
        ax.grid(axis="y", color=GRID)
        ax.set_axisbelow(True)
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)  # above: no dot lies there
    return ax


def numbered_rows(rows: Mapping[str, Sequence[int | None]], *, x_label: str) -> None:
    """Rows of boxes with a number in each, grey where it is not the number of its column; None leaves a box out."""
    columns = max(map(len, rows.values()))
    with plt.rc_context({**STYLE, "figure.figsize": (WIDTH, 0.6 + 0.32 * len(rows))}):
        _, ax = plt.subplots()
        for y, numbers in enumerate(rows.values()):
            for x, number in enumerate(numbers):
                if number is not None:
                    face = PAPER if number == x else GRID
                    ax.add_patch(plt.Rectangle((x - 0.45, y - 0.4), 0.9, 0.8, facecolor=face, edgecolor=QUIET))
                    ax.text(x, y, str(number), ha="center", va="center", color=INK)
        ax.set(xlim=(-0.6, columns - 0.4), ylim=(len(rows) - 0.4, -0.6), xlabel=x_label)
        ax.set_xticks(range(columns))
        ax.set_yticks(range(len(rows)), rows)
        ax.tick_params(length=0)
        ax.spines[["left", "bottom"]].set_visible(False)
