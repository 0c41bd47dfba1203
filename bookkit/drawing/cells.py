"""The cells of maps as shapes, one for each shade: they stay sharp, and the site can colour them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle

from bookkit.drawing.shades import Shades

LEVELS = 24  # shades of a hue: an eye tells no more of them apart
TIE = 1e-6  # where a number lies between two shades, every processor takes the lower one


@contextmanager
def set_aside(figure: Figure) -> Iterator[dict[str, str]]:
    """While the figure is saved an empty frame stands in the place of each map; the cells come by its name."""
    images = [image for ax in figure.axes for image in ax.images if isinstance(image.cmap, Shades)]
    frames = {f"cells-{k}": frame(image) for k, image in enumerate(images)}
    for (name, shape), image in zip(frames.items(), images, strict=True):
        shape.set(gid=name)
        image.axes.add_patch(shape)
        image.set_visible(False)
    yield {name: shapes(image) for name, image in zip(frames, images, strict=True)}
    for shape, image in zip(frames.values(), images, strict=True):
        shape.remove()
        image.set_visible(True)


def frame(image: AxesImage) -> Rectangle:
    left, right, bottom, top = image.get_extent()
    return Rectangle((left, bottom), right - left, top - bottom, fill=False, linewidth=0, zorder=image.zorder)


def shapes(image: AxesImage) -> str:
    """The cells in a square of side 1; what is paper is left out."""
    levels = levels_of(image)
    rows, columns = levels.shape
    paths = [
        f'<path d="{outline(levels == level)}" style="fill: {color}; fill-opacity: {abs(level) / LEVELS:.2g}"/>'
        for level in sorted({*levels.flat} - {0})
        for color in [image.cmap.hue if level > 0 else image.cmap.below]
    ]
    return f'<g transform="scale({1 / columns:.6g} {1 / rows:.6g})" shape-rendering="crispEdges">{"".join(paths)}</g>'


def levels_of(image: AxesImage) -> np.ndarray:
    """The shade of each cell, from 0, the paper, to LEVELS, and below zero to -LEVELS; the first row on top."""
    numbers = np.ma.filled(image.get_array().astype(float), np.nan)
    low, high = image.get_clim()
    share = (numbers - low) / (high - low if high > low else 1)
    if image.cmap.below:
        share = 2 * share - 1
    levels = np.sign(share) * np.ceil(np.abs(share) * LEVELS - 0.5 - TIE)
    return np.nan_to_num(levels if image.origin == "upper" else levels[::-1]).astype(int)


def outline(chosen: np.ndarray) -> str:
    """The chosen cells as a path, from each rectangle to the next.

    >>> outline(np.array([[True, True, False], [False, False, True]]))
    'm0 0h2v1h-2zm2 1h1v1h-1z'
    """
    path, at = "", (0, 0)
    for row, column, rows, columns in rectangles(chosen.copy()):
        across = column - at[0], row - at[1]
        path += f"m{across[0]}{'' if across[1] < 0 else ' '}{across[1]}h{columns}v{rows}h-{columns}z"
        at = column, row
    return path


def rectangles(free: np.ndarray) -> Iterator[tuple[int, int, int, int]]:
    """All that is free in few rectangles: as high as it goes, then as wide."""
    for column, row in np.argwhere(free.T).tolist():
        if free[row, column]:
            rows = run(free[row:, column])
            columns = run(free[row : row + rows, column:].all(axis=0))
            free[row : row + rows, column : column + columns] = False
            yield row, column, rows, columns


def run(free: np.ndarray) -> int:
    """How many come first that are free."""
    return len(free) if free.all() else int(free.argmin())
