"""The names of lines stand at their ends, one below the other."""

from __future__ import annotations

import textwrap

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Annotation

from bookkit.drawing.style import STYLE

LETTERS = 13  # in a row
GAP = 4  # points between a line and its name
LEADING = 1.2


def name_ends(figure: Figure) -> None:
    """Each named line of a figure without a legend gets its name, once: it is asked again for every copy."""
    for ax in figure.axes:
        named = [line for line in ax.get_lines() if not line.get_label().startswith("_")]
        if named and not ax.get_legend():
            labels = [at_end(ax, line) for line in named]
            figure.draw_without_rendering()  # now it is known where the ends lie
            spread(figure, ax, labels)


def at_end(ax: Axes, line: Line2D) -> Annotation:
    words = textwrap.fill(line.get_label(), LETTERS)
    line.set_label(f"_{line.get_label()}")
    look = {"color": line.get_color(), "size": STYLE["font.size"], "va": "center", "linespacing": 1}
    end = last_in_view(ax, line)
    return ax.annotate(words, end, (GAP, 0), textcoords="offset points", annotation_clip=False, **look)


def last_in_view(ax: Axes, line: Line2D) -> tuple[float, float]:
    """The last point of a line between the limits of its axes."""
    points = np.asarray(line.get_xydata(), dtype=float)
    (left, right), (bottom, top) = sorted(ax.get_xlim()), sorted(ax.get_ylim())
    x, y = points.T
    inside = (left <= x) & (x <= right) & (bottom <= y) & (y <= top)
    return tuple(points[inside][-1])


def spread(figure: Figure, ax: Axes, labels: list[Annotation]) -> None:
    """Moves labels that stand at the right apart, each as little as may be, upwards and downwards alike."""
    right = max(label.xy[0] for label in labels)
    # Upwards; of two that end in one point the first is on top.
    labels = [label for label in reversed(labels) if label.xy[0] == right]
    labels.sort(key=lambda label: round(place(ax, label)))
    heights = np.array([rows(label) * label.get_fontsize() * LEADING for label in labels])
    wanted = np.array([place(ax, label) * 72 / figure.dpi for label in labels])
    for label, shift in zip(labels, apart(wanted, heights) - wanted, strict=True):
        label.set_position((GAP, shift))


def place(ax: Axes, label: Annotation) -> float:
    return ax.transData.transform(label.xy)[1]


def rows(label: Annotation) -> int:
    return label.get_text().count("\n") + 1


def apart(wanted: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """Places near the wanted ones, in their order, that leave room for the heights.

    >>> apart(np.array([0.0, 1.0, 50.0]), np.array([10.0, 10.0, 10.0])).tolist()
    [-4.5, 5.5, 50.0]
    """
    groups: list[list[int]] = []
    for i in range(len(wanted)):
        groups.append([i])
        while len(groups) > 1 and overlap(*groups[-2:], wanted, heights):
            upper = groups.pop()
            groups[-1] += upper
    return np.concatenate([stacked(group, wanted, heights) for group in groups])


def stacked(group: list[int], wanted: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """The group one above the other, where it is on average as wanted."""
    middles = np.cumsum(heights[group]) - heights[group] / 2
    return middles + (wanted[group] - middles).mean()


def overlap(lower: list[int], upper: list[int], wanted: np.ndarray, heights: np.ndarray) -> bool:
    low, high = stacked(lower, wanted, heights)[-1], stacked(upper, wanted, heights)[0]
    return high - low < (heights[lower[-1]] + heights[upper[0]]) / 2
