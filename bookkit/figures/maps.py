"""Maps of numbers in cells: one hue from paper to full colour, or two hues with paper at zero."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from jaxtyping import Real
from matplotlib.axes import Axes
from torch import Tensor

from bookkit.drawing.shades import Shades
from bookkit.drawing.style import STYLE, WIDTH

BAR = 65  # cells of a colour bar


def heatmaps(
    tables: Mapping[str, Real[Tensor, "rows columns"]],
    *,
    x_label: str,
    y_label: str,
    values: str | None,
    symmetric: bool = False,
    hue: str = "score",
) -> None:
    """Maps on one scale, side by side. `values` is the word on the colour bar, or None where there is yes and no.

    `symmetric` centres the scale on zero; a cell that is nan stays empty; `hue` says of what the numbers are, as
    "score" or "position".
    """
    rows = 1 if len(tables) <= 3 else 2
    columns = -(-len(tables) // rows)
    if rows * columns != len(tables):
        raise ValueError(f"{len(tables)} maps do not fill {rows} rows of {columns}: draw them in two figures")
    arrays = {name: table.numpy(force=True).astype(float) for name, table in tables.items()}
    low, high = min(map(np.nanmin, arrays.values())), max(map(np.nanmax, arrays.values()))
    if symmetric:
        low, high = -max(-low, high), max(-low, high)
    with plt.rc_context(STYLE):
        size = (WIDTH, 2.4 * rows + 0.2)
        figure, axes = plt.subplots(rows, columns, squeeze=False, sharex=True, sharey=True, figsize=size)
        look = {"cmap": Shades(hue, symmetric), "vmin": low, "vmax": high, "aspect": "auto", "interpolation": "nearest"}
        for ax, (name, array) in zip(axes.flat, arrays.items(), strict=True):
            image = ax.imshow(array, **look)
            ax.set(title=textwrap.fill(name, 36 // columns))
            ax.locator_params(integer=True)  # cells are counted
            ax.spines[:].set_visible(True)
        figure.supxlabel(x_label)
        figure.supylabel(y_label)
        if values is not None:
            bar = plt.colorbar(image, ax=axes, label=values)
            as_cells(bar.ax, low, high, look["cmap"])


def as_cells(ax: Axes, low: float, high: float, shades: Shades) -> None:
    """The shades of a colour bar as the cells of a map, of which the site takes care."""
    ax.collections[-1].remove()  # the same shades in hundreds of pieces
    steps = np.linspace(low, high, BAR)[:, None]
    ax.imshow(steps, cmap=shades, vmin=low, vmax=high, aspect="auto", origin="lower", extent=(0, 1, low, high))
