"""Two frequencies on a plane of patches: in two pairs, one for each axis, or as the direction of a single pair."""

import math

import sympy as sp
import torch

from bookkit.movable import Each, Movable, Say, Slider, arrow, box, dots, draggable, text
from bookkit.movable.truth import Said, numbers
from posenc_lib.rotary import axes_angles, axial_freqs, directed_freqs, rotate

N, GAP = 15, 2  # patches along a side; room between the two maps


def axes_plane() -> Movable:
    alpha, size, right, up = sp.symbols("alpha size right up", real=True)
    i, j = sp.symbols("i j", integer=True)
    across, along = sp.symbols("across along", real=True)  # the frequencies of a step to the right, and downwards
    half, shift = N // 2, N + GAP
    plane = [Each(i, -half, half), Each(j, -half, half)]

    def axial(y, x):
        return (sp.cos(across * x) + sp.cos(along * y)) / 2

    def mixed(y, x):
        return sp.cos(across * x + along * y)

    turn = 2 * sp.pi / size
    return Movable(
        name="axes_plane",
        alt="Two maps of 15 by 15 patches with the query in the middle, strong where the score is high. On the left, "
        "one pair for each axis: a grid of spots. On the right, a single pair: stripes across the chosen direction.",
        question="Turn the direction from 0 to 45 degrees. On which side do the stripes turn too?",
        answer="On the right they turn, where one pair has both frequencies. At 45 degrees every patch on the rising "
        "diagonal scores 1 there: its column goes up as its row goes down. On the left there are spots. One pair adds "
        "something for the column, the other something for the row, and no choice of the two makes a diagonal.",
        controls=[
            Slider(alpha, "direction in degrees:", 0, 90, 0, 5),
            Slider(size, "patches from stripe to stripe:", 4, 14, 8),
            Slider(right, "marked patch, columns to the right:", 0, 7, 3),
            Slider(up, "rows up:", -7, 7, 3),
        ],
        marks=[
            box(j, -i, (1, 1), (axial(i, j) + 1) / 2, plane),
            box(j + shift, -i, (1, 1), (mixed(i, j) + 1) / 2, plane),
            arrow(right + shift * i, up, (shift * i, 0), Each(i, 0, 1), "b"),
            draggable(dots(right + shift * i, up, Each(i, 0, 1), "b"), right, up),
            text(shift * i, half + sp.Rational(3, 2), ["axial: two pairs", "mixed: one pair"], Each(i, 0, 1)),
        ],
        say=[
            Say("Score of the marked patch, axial:", axial(-up, right), 3),
            Say("mixed:", mixed(-up, right), 3),
        ],
        view=(-half - 1, half + shift + 1, -half - 1, half + 2.5),
        play=alpha,
        frames=[{"alpha": 0}, {"alpha": 45}],
        lets={across: turn * sp.cos(alpha * sp.pi / 180), along: turn * sp.sin(alpha * sp.pi / 180)},
    )


def truth(alpha: int, size: int, right: int, up: int) -> Said:
    """The query, and a key so many columns to the right and rows up; all pairs are the same unit vector."""
    places, step = torch.tensor([[0, 0], [-up, right]]), numbers(2 * math.pi / size)
    mixed = directed_freqs(step, numbers(math.radians(alpha)))
    axial = axial_freqs(mixed.flatten(), torch.tensor([0, 1]), 2)
    scores = []
    for freqs in (axial, mixed):
        pairs = freqs.shape[-1]
        q, k = rotate(numbers(1, 0).repeat(pairs).expand(2, -1), axes_angles(places, freqs))
        scores.append((q @ k).item() / pairs)
    return scores
