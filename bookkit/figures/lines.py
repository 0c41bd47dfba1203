"""Curves, named at their ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import torch
from jaxtyping import Real
from torch import Tensor

from bookkit.colours import HUES, QUIET
from bookkit.comparison import FAR, TRAINED
from bookkit.drawing.style import CURVES, STYLE
from bookkit.pages.runs import PARTS, curve


def curves(
    x: Real[Tensor, " n"],
    ys: Mapping[str, Real[Tensor, " n"]],
    *,
    x_label: str,
    y_label: str,
    hue: str | None = None,
    looks: Sequence[Mapping[str, str]] = CURVES,
) -> None:
    """One line for each entry of `ys`, with its name at its end; `hue` says what the first one is of, as "score"."""
    if len(ys) > len(looks):
        raise ValueError(f"{len(ys)} curves cannot be told apart: draw {len(looks)} at most")
    with plt.rc_context(STYLE):
        _, ax = plt.subplots()
        for (name, y), look in zip(ys.items(), looks, strict=False):
            ax.plot(x, y, label=name if len(ys) > 1 else f"_{name}", **look)
        if hue:
            ax.get_lines()[0].set_color(HUES[hue])
        ax.set(xlabel=x_label, ylabel=y_label)


def spread_curves(
    x: Real[Tensor, " n"],
    ys: Mapping[str, Real[Tensor, "runs n"]],
    *,
    x_label: str,
    y_label: str,
    hue: str | None = None,
    looks: Sequence[Mapping[str, str]] = CURVES,
) -> None:
    """The mean of some runs as a line, on a band from the least of them to the largest."""
    means = {name: runs.mean(dim=0) for name, runs in ys.items()}
    curves(x, means, x_label=x_label, y_label=y_label, hue=hue, looks=looks)
    ax = plt.gca()
    for runs, line in zip(ys.values(), ax.get_lines(), strict=True):
        ax.fill_between(x, runs.amin(dim=0), runs.amax(dim=0), color=line.get_color(), alpha=0.2, linewidth=0)


LOOKS = {
    "rotary": 0, "alibi": 1, "ntk": 1, "random positions": 1, "yarn": 2, "interpolated": 2, "t5 128": 2,
    "sinusoidal": 3, "none": 3, "llama 3": 3,
}  # fmt: skip
"""The curve of each reading, the same on every page."""


def loss_by_position(readings: Mapping[str, str]) -> None:
    """Curves of the measured comparison: for each name, a reading. The line is where training ended."""
    width = FAR * TRAINED / PARTS
    middles = width * (torch.arange(PARTS) + 0.5)
    runs = {name: torch.tensor(curve(reading)) for name, reading in readings.items()}
    looks = [CURVES[LOOKS[reading]] for reading in readings.values()]
    spread_curves(middles, runs, x_label="place in the text, in bytes", y_label="loss, in nats", looks=looks)
    ax = plt.gca()
    ax.axvline(TRAINED, color=QUIET, linewidth=0.8)
    look = {"va": "top", "color": QUIET, "size": STYLE["font.size"], "textcoords": "offset points"}
    ax.annotate("← trained to here", (TRAINED, 1), (4, 0), ax.get_xaxis_transform(), **look)
