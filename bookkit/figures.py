"""The kinds of figure that the chapters draw.

The style is set here, once, and only inside these functions; the caller ends the cell with `plt.show()`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import torch
from jaxtyping import Real
from torch import Tensor

from bookkit.comparison import FAR, PARTS, TRAINED, curve

STYLE = {
    "figure.figsize": (5.6, 3.2),
    "figure.dpi": 110,
    "figure.facecolor": "white",  # opaque, so that it can be read on a dark page
    "figure.constrained_layout.use": True,
    "font.size": 11,
    "figure.labelsize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "image.cmap": "cividis",  # its lightness rises evenly: it reads the same in grey
    "legend.frameon": False,
    "lines.linewidth": 1.8,
}
CURVES = [  # told apart by dash and lightness, without colour
    {"color": "#0b3c5d", "linestyle": "-"},
    {"color": "#c8553d", "linestyle": "--"},
    {"color": "#7a7a7a", "linestyle": ":"},
    {"color": "#3a8f6b", "linestyle": "-."},
]


def curves(
    x: Real[Tensor, " n"],
    ys: Mapping[str, Real[Tensor, " n"]],
    *,
    x_label: str,
    y_label: str,
    looks: Sequence[Mapping[str, str]] = CURVES,
) -> None:
    """One line for each entry of `ys`, named in the legend; each has a look."""
    if len(ys) > len(looks):
        raise ValueError(f"{len(ys)} curves cannot be told apart: draw {len(looks)} at most")
    with plt.rc_context(STYLE):
        _, ax = plt.subplots()
        for (name, y), look in zip(ys.items(), looks, strict=False):
            ax.plot(x, y, label=name, **look)
        ax.set(xlabel=x_label, ylabel=y_label)
        if len(ys) > 1:
            ax.legend()


def heatmaps(
    tables: Mapping[str, Real[Tensor, "rows columns"]], *, x_label: str, y_label: str, symmetric: bool = False
) -> None:
    """Maps on one scale, side by side; `symmetric` centres the scale on zero."""
    rows = 1 if len(tables) <= 3 else 2
    columns = -(-len(tables) // rows)
    if rows * columns != len(tables):
        raise ValueError(f"{len(tables)} maps do not fill {rows} rows of {columns}: draw them in two figures")
    with plt.rc_context(STYLE):
        low = min(t.min().item() for t in tables.values())
        high = max(t.max().item() for t in tables.values())
        if symmetric:
            low, high = -max(-low, high), max(-low, high)
        figure, axes = plt.subplots(rows, columns, squeeze=False, sharex=True, sharey=True, figsize=(5.6, 2.7 * rows))
        for ax, (name, table) in zip(axes.flat, tables.items(), strict=True):
            image = ax.imshow(table.numpy(force=True), vmin=low, vmax=high, aspect="auto", interpolation="nearest")
            ax.set(title=name)
            ax.locator_params(integer=True)  # cells are counted
        figure.supxlabel(x_label)
        figure.supylabel(y_label)
        plt.colorbar(image, ax=axes)


def spread_curves(
    x: Real[Tensor, " n"],
    ys: Mapping[str, Real[Tensor, "runs n"]],
    *,
    x_label: str,
    y_label: str,
    looks: Sequence[Mapping[str, str]] = CURVES,
) -> None:
    """The mean of some runs as a line, on a band from the least of them to the largest."""
    means = {name: runs.mean(dim=0) for name, runs in ys.items()}
    curves(x, means, x_label=x_label, y_label=y_label, looks=looks)
    for runs, look in zip(ys.values(), looks, strict=False):
        plt.gca().fill_between(x, runs.amin(dim=0), runs.amax(dim=0), color=look["color"], alpha=0.2, linewidth=0)


LOOKS = {
    "rotary": 0, "alibi": 1, "ntk": 1, "random positions": 1, "yarn": 2, "interpolated": 2, "t5": 2, "sinusoidal": 3,
    "none": 3, "llama 3": 3,
}  # fmt: skip
"""The curve of each reading, the same on every page."""


def loss_by_position(readings: Mapping[str, str]) -> None:
    """Curves of the measured comparison: for each name, a reading. The line is where training ended."""
    width = FAR * TRAINED / PARTS
    middles = width * (torch.arange(PARTS) + 0.5)
    runs = {name: torch.tensor(curve(reading)) for name, reading in readings.items()}
    looks = [CURVES[LOOKS[reading]] for reading in readings.values()]
    spread_curves(middles, runs, x_label="place in the text, in bytes", y_label="loss, in nats", looks=looks)
    plt.axvline(TRAINED, color="#7a7a7a", linewidth=0.8)
    plt.gca().legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(runs), frameon=False, handlelength=1.6)
    plt.gcf().set_size_inches(5.6, 2.8)


def dots(rows: Mapping[str, Mapping[str, Sequence[float]]], *, x_label: str) -> plt.Axes:
    """A row for each name, with every number as a dot; the kinds of numbers are told apart by shape and filling."""
    looks = [{"marker": "o", "facecolors": "none"}, {"marker": "D"}]
    with plt.rc_context(STYLE):
        ax = plt.subplots(figsize=(5.6, 0.8 + 0.26 * len(rows)))[1]
        for i, look in enumerate(looks):
            found = [(value, y) for y, kinds in enumerate(rows.values()) for value in list(kinds.values())[i]]
            name = list(next(iter(rows.values())))[i]
            color = CURVES[i]["color"]
            ax.scatter(
                *zip(*found, strict=True), s=26, zorder=3 - i, edgecolors=color, label=name, **({"color": color} | look)
            )
        ax.set(xlabel=x_label, ylim=(len(rows) - 0.5, -0.5))
        ax.set_yticks(range(len(rows)), rows)
        ax.grid(axis="y", color="#dddddd")
        ax.set_axisbelow(True)
    return ax


def numbered_rows(rows: Mapping[str, Sequence[int | None]], *, x_label: str) -> None:
    """Rows of boxes with a number in each, grey where it is not the number of its column; None leaves a box out."""
    columns = max(map(len, rows.values()))
    with plt.rc_context({**STYLE, "figure.figsize": (5.6, 0.5 + 0.32 * len(rows))}):
        _, ax = plt.subplots()
        for y, numbers in enumerate(rows.values()):
            for x, number in enumerate(numbers):
                if number is not None:
                    face = "white" if number == x else "#d5d9de"
                    ax.add_patch(plt.Rectangle((x - 0.45, y - 0.4), 0.9, 0.8, facecolor=face, edgecolor="#5a5a5a"))
                    ax.text(x, y, str(number), ha="center", va="center", color="black")
        ax.set(xlim=(-0.6, columns - 0.4), ylim=(len(rows) - 0.4, -0.6), xlabel=x_label)
        ax.set_xticks(range(columns))
        ax.set_yticks(range(len(rows)), rows)
        ax.tick_params(length=0)
        ax.spines[["left", "bottom"]].set_visible(False)
