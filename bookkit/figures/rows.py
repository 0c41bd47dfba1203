"""Rows with a name each: of dots, or of boxes with numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt

from bookkit.colours import GRID
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
