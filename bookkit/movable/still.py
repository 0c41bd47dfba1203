"""The still frames of a movable picture, with its question: what Colab, GitHub and paper show."""

from __future__ import annotations

import base64
import io
import math
import textwrap
from itertools import groupby

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle

from bookkit.colours import GRID, HUES, QUIET
from bookkit.drawing.style import STYLE
from bookkit.movable.description import MOVABLE, Choice, Movable, evaluate, shown
from bookkit.movable.marks import Mark

LOOKS = {  # told apart by dash and lightness, without colour
    "a": {"color": HUES["query"], "linestyle": "-"},
    "b": {"color": HUES["key"], "linestyle": "--"},
    "c": {"color": HUES["position"], "linestyle": "-."},
    "quiet": {"color": QUIET, "linestyle": ":"},
    "stays": {"color": HUES["position"], "linestyle": "-"},
    "plain": {"color": QUIET, "linestyle": "-", "linewidth": 0.8},
    "faint": {"color": GRID, "linestyle": "-", "linewidth": 0.8},
}
QUIET_INK = "#4a4a4a"  # words in the colour of quiet lines would be too pale
WIDTH, DPI = 7.2, 110
QUESTION = 96  # letters in a line of it
FLAT = 0.45
ANCHORS = {"start": "left", "middle": "center", "end": "right"}


def still(picture: Movable) -> bytes:
    """The frames side by side, or one below the other where they are flat; as PNG, the same bytes every time."""
    count = len(picture.frames)
    columns = 1 if picture.ratio < FLAT else 2 if count == 4 else count
    rows = count // columns
    question = textwrap.fill(picture.question, QUESTION)
    room = 0.22 * (question.count("\n") + 2)
    height = WIDTH / columns * max(picture.ratio, 0.8 if picture.axes else 0) + 0.3
    with plt.rc_context({**STYLE, "font.size": 9, "axes.titlesize": 9}):
        figure, axes = plt.subplots(rows, columns, squeeze=False, figsize=(WIDTH, rows * height + room))
        figure.suptitle(question, fontsize=10, x=0.02, ha="left")
        for ax, frame in zip(axes.flat, picture.frames, strict=True):
            draw(ax, picture, frame)
        file = io.BytesIO()
        figure.savefig(file, format="png", dpi=DPI, metadata={"Software": None})
        plt.close(figure)
    return file.getvalue()


def in_notebooks(picture: Movable, **_: object) -> dict:
    """The record, from which the site draws the picture that moves, with its still frames and its words."""
    png = base64.b64encode(still(picture)).decode()
    return {MOVABLE: picture.record(), "image/png": png, "text/plain": picture.alt}


def draw(ax: Axes, picture: Movable, frame: dict[str, float]) -> None:
    """One frame: the picture at these settings, which its title names."""
    values = picture.values(**frame)
    for mark in picture.marks:
        DRAW[mark.kind](ax, mark, points(mark, values))
    ax.set(xlim=picture.view[:2], ylim=picture.view[2:])
    ax.set_title(", ".join(setting(picture, name, values) for name in frame))
    if picture.axes:
        x, y = picture.axes
        ax.set_xticks(list(x.ticks), x.ticks.values())
        ax.set_yticks(list(y.ticks), y.ticks.values())
        ax.set(xlabel=x.words, ylabel=y.words)
    else:
        ax.set_aspect("equal")
        ax.set_axis_off()


def setting(picture: Movable, name: str, values: dict) -> str:
    (control,) = (control for control in picture.controls if control.symbol.name == name)
    if isinstance(control, Choice):
        return control.options[int(values[control.symbol])]
    value = evaluate(control.symbol if control.shown is None else control.shown, values)
    return f"{control.words} {shown(value, control.digits)}"


def points(mark: Mark, values: dict) -> list[dict[str, float]]:
    """Where each piece of the mark lies: its formulas, evaluated."""
    return [
        {name: float(evaluate(formula, values | point)) for name, formula in mark.formulas.items()}
        for point in mark.points()
    ]


def seen(found: list[dict[str, float]]) -> list[dict[str, float]]:
    return [point for point in found if not any(map(math.isnan, point.values()))]


def draw_line(ax: Axes, mark: Mark, found: list[dict[str, float]]) -> None:
    length = len(mark.over[-1].values)
    for _, part in groupby(enumerate(found), lambda numbered: numbered[0] // length):
        one = [point for _, point in part]
        x, y = ([p[name] for p in one] for name in "xy")
        ax.plot(x, y, **LOOKS[mark.look], clip_on=False)
        if mark.look == "stays":
            ax.fill(x, y, color=LOOKS["stays"]["color"], alpha=0.25, linewidth=0)


def draw_dots(ax: Axes, mark: Mark, found: list[dict[str, float]]) -> None:
    for p in seen(found):
        ax.plot(p["x"], p["y"], "o", color=LOOKS[mark.look]["color"], markersize=5, clip_on=False)


def draw_arrow(ax: Axes, mark: Mark, found: list[dict[str, float]]) -> None:
    for p in seen(found):
        style = {"arrowstyle": "->", "linewidth": 1.6, "shrinkA": 0, "shrinkB": 0, **LOOKS[mark.look]}
        ax.annotate("", (p["x"], p["y"]), (p["from_x"], p["from_y"]), arrowprops=style)


def draw_box(ax: Axes, mark: Mark, found: list[dict[str, float]]) -> None:
    boxes = [
        Rectangle((p["x"] - p["width"] / 2, p["y"] - p["height"] / 2), p["width"], p["height"]) for p in seen(found)
    ]
    shades = [to_rgba(LOOKS[mark.look]["color"], min(max(p["shade"], 0), 1)) for p in seen(found)]
    ax.add_collection(PatchCollection(boxes, facecolors=shades, linewidths=0))


def draw_text(ax: Axes, mark: Mark, found: list[dict[str, float]]) -> None:
    ink = QUIET_INK if mark.look == "quiet" else LOOKS[mark.look]["color"]
    for k, p in enumerate(found):
        if not math.isnan(p["x"] + p["y"]):
            words = mark.words[k % len(mark.words)]
            ax.text(p["x"], p["y"], words, color=ink, ha=ANCHORS[mark.anchor], va="center", fontsize=8)


DRAW = {"line": draw_line, "dots": draw_dots, "arrow": draw_arrow, "box": draw_box, "text": draw_text}
