"""The patches of a new image over those of a table: where does each of them read?"""

import sympy as sp
import torch

from bookkit.movable import Choice, Each, Movable, Say, Slider, box, dots, line, only
from bookkit.movable.truth import Said
from posenc_lib.shapes import axis_places

OLD = 4  # rows and columns of the table
MOST_ROWS, MOST_COLUMNS = 5, 8
RULES = ("go on counting", "crop the middle", "edges on edges", "corners on corners", "edges, with a tenth")


def new_patches() -> Movable:
    high, wide, rule = sp.symbols("high wide rule", real=True)
    i, j = sp.symbols("i j", integer=True, nonnegative=True)
    t = sp.Symbol("t", real=True)
    step_x, step_y, left, top = sp.symbols("step_x step_y left top", real=True)

    def step(new):
        kinds = (1, 1, OLD / new, (OLD - 1) / sp.Max(new - 1, 1), OLD / (new + sp.Rational(1, 10)))
        return sp.Piecewise(*((kind, sp.Eq(rule, number)) for number, kind in enumerate(kinds)), (sp.nan, True))

    def first(new, by):
        edges = by / 2 - sp.Rational(1, 2)
        return sp.Piecewise(
            (sp.floor((OLD - new) / 2), sp.Eq(rule, 1)), (edges, sp.Eq(rule, 2) | sp.Eq(rule, 4)), (0, True)
        )

    def corner(side, low, high):
        return sp.Piecewise((low, (t < side) | (t > side + 1)), (high, True))

    half = sp.Rational(1, 2)
    frame = Each(t, 0, 4)
    new = [Each(i, 0, MOST_ROWS - 1), Each(j, 0, MOST_COLUMNS - 1)]
    right, bottom = left + (wide - 1) * step_x, top + (high - 1) * step_y
    return Movable(
        name="new_patches",
        alt="A table of 4 by 4 patches as squares, and the patches of a new image of 3 by 5 as dots. The frame around "
        "the dots is the edge of the new image: it lies on the edge of the table.",
        question="The squares are the patches of a table, the dots those of a new image, each where it is read. "
        "Which of the five rules keep the image's frame on the table's edge? Which keep a step of one? Does any keep "
        "both?",
        answer="“Edges on edges” keeps the frame. “Go on counting” and “crop the middle” keep the step. None keeps "
        "both, unless the size is the old one. “Corners on corners” keeps the outermost patches. The tenth "
        "pulls the frame in, on the right and below only.",
        controls=[
            Slider(wide, "columns of the new image:", 1, MOST_COLUMNS, 5),
            Slider(high, "rows:", 1, MOST_ROWS, 3),
            Choice(rule, "rule:", RULES, 2),
        ],
        marks=[
            box(
                j,
                -i,
                (sp.Rational(19, 20), sp.Rational(19, 20)),
                sp.Rational(3, 20),
                [Each(i, 0, OLD - 1), Each(j, 0, OLD - 1)],
                "quiet",
            ),
            line(
                corner(1, left - step_x * half, right + step_x * half),
                -corner(2, top - step_y * half, bottom + step_y * half),
                [frame],
                "b",
            ),
            dots(only((i < high) & (j < wide), left + j * step_x), -(top + i * step_y), new, "b"),
        ],
        say=[
            Say("A step to the right:", step_x, 3, "old patches."),
            Say("The image's middle lies", (left + right) / 2 - (OLD - 1) * half, 3, "to the right of the table's."),
            Say("Its right edge lies", right + step_x * half - (OLD - half), 3, "to the right of the table's."),
        ],
        view=(-2.7, 7.7, -4.8, 1.8),
        play=wide,
        frames=[{"rule": 1}, {"rule": 2}],
        lets={
            step_x: step(wide),
            step_y: step(high),
            left: first(wide, step_x),
            top: first(high, step_y),
        },
    )


def truth(wide: int, high: int, rule: int) -> Said:
    """The middle and the edge from the first and the last of the places."""
    if rule == 4:
        at = (torch.arange(wide, dtype=torch.float64) + 0.5) * 4 / (wide + 0.1) - 0.5
    else:
        at = axis_places(4, wide, ("step", "middle", "edges", "corners")[rule])
    step = (at[1] - at[0]).item() if wide > 1 else (1, 1, 4, 3, 4 / 1.1)[rule]
    first, last = at[0].item(), at[-1].item()
    return [step, (first + last - 3) / 2, last + step / 2 - 3.5]
