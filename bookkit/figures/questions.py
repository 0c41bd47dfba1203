"""Questions one below the other: a yes leads to an answer, a no to the next question."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt

from bookkit.colours import INK, QUIET
from bookkit.drawing.style import STYLE, WIDTH

ASKED, ANSWERED = (0.0, 0.41), (0.53, 1.0)
"""Where the boxes of questions and of answers begin and end, as shares of the width."""
HEIGHT, STEP, LINE = 0.52, 0.74, 0.2  # inches


def decision(ways: Mapping[str, str], otherwise: str, *, open_: str) -> plt.Axes:
    """`ways` gives the answer where the answer to a question is yes. Answers that begin with `open_` are dashed."""
    rows, most = [*ways.items()], STEP * (len(ways) + 1)
    with plt.rc_context(STYLE):
        ax = plt.subplots(figsize=(WIDTH, most))[1]
        ax.set(xlim=(-0.01, 1.01), ylim=(most, 0))
        ax.axis("off")
        for i, (asked, answer) in enumerate(rows):
            y = STEP * (i + 0.5)
            _box(ax, asked, ASKED, y, edgecolor=QUIET)
            _box(ax, answer, ANSWERED, y, edgecolor=INK, linestyle="--" if answer.startswith(open_) else "-")
            _arrow(ax, (ASKED[1], y), (ANSWERED[0], y), "yes")
            if i + 1 < len(rows):
                _arrow(ax, (sum(ASKED) / 2, y + HEIGHT / 2), (sum(ASKED) / 2, y + STEP - HEIGHT / 2), "no")
        last = STEP * (len(rows) + 0.5)
        _box(ax, otherwise, ANSWERED, last, edgecolor=INK)
        ax.plot([sum(ASKED) / 2] * 2, [last - STEP + HEIGHT / 2, last], color=QUIET, linewidth=1)
        _arrow(ax, (sum(ASKED) / 2, last), (ANSWERED[0], last), "no")
    return ax


def _box(ax: plt.Axes, words: str, ends: tuple[float, float], y: float, **look: object) -> None:
    corner, width = (ends[0], y - HEIGHT / 2), ends[1] - ends[0]
    ax.add_patch(plt.Rectangle(corner, width, HEIGHT, facecolor="none", linewidth=1.2, **look))
    lines = words.split("\n")  # each by itself: a browser's letters are not as wide as matplotlib takes them to be
    for i, line in enumerate(lines):
        ax.text(sum(ends) / 2, y + LINE * (i - (len(lines) - 1) / 2), line, ha="center", va="center")


def _arrow(ax: plt.Axes, start: tuple[float, float], end: tuple[float, float], words: str) -> None:
    ax.annotate("", end, start, arrowprops={"arrowstyle": "->", "color": QUIET, "shrinkA": 0, "shrinkB": 0})
    level = start[1] == end[1]
    where = ((ASKED[1] + ANSWERED[0]) / 2, start[1] - 0.04) if level else (start[0] + 0.02, (start[1] + end[1]) / 2)
    ax.text(*where, words, color=QUIET, ha="center" if level else "left", va="bottom" if level else "center")
