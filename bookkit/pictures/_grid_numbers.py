"""The cells of a grid, numbered line by line: does one difference of numbers always lead to the same neighbour?"""

import math

import sympy as sp
import torch

from bookkit.movable import Choice, Each, Movable, Say, Slider, arrow, box, draggable, line, only, text
from bookkit.movable.truth import Said
from posenc_lib.relative import window_index

H, W = 4, 5  # lines and columns
LONG = 2 * W - 1  # a line with its gap
SIDE, HALF = sp.Rational(9, 10), sp.Rational(9, 20)


def grid_numbers() -> Movable:
    c, back, gap, t = sp.symbols("c d g t", real=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)
    stretch, q_x, q_y, k_x, k_y = sp.symbols("stretch q_x q_y k_x k_y", real=True)
    number = stretch * q_y + q_x - back  # of the key
    there = (k_x < W) & (k_y >= 0) & (k_y < H)
    x, y = i - stretch * sp.floor(i / stretch), sp.floor(i / stretch)
    corner = [sp.Piecewise((-HALF, (t < side) | (t > side + 1)), (HALF, True)) for side in (1, 2)]

    every, frame = Each(i, 0, H * LONG - 1), [Each(t, 0, 4)]
    plain = only(sp.Eq(gap, 0), W + 1 + HALF)
    return Movable(
        name="grid_numbers",
        alt="A grid of four lines of five cells with their numbers. An arrow leads from the query's cell to the cell "
        "whose number is smaller by one.",
        question="The arrow leads to the cell whose number is smaller by 1. Where does it lead from the start of a "
        "line?",
        answer="To the far end of the line above. So a table with one number for each difference would treat “one to "
        "the left” and “one up, four to the right” alike. Leave a gap of four numbers after each line, and they are "
        "two differences: at the start of a line there is no key with a number smaller by 1.",
        controls=[
            Slider(c, "cells before the query:", 0, H * W - 1, 12),
            Slider(back, "the key's number is smaller by", -6, 6, 1),
            Choice(gap, "numbers", ("line by line", "with a gap after each line")),
        ],
        marks=[
            box(only((x < W) & (y < H), x), -y, (SIDE, SIDE), sp.Rational(3, 20), every, "quiet"),
            draggable(box(q_x, -q_y, (SIDE, SIDE), sp.Rational(2, 5)), c),
            box(only(there, k_x), -k_y, (SIDE, SIDE), sp.Rational(2, 5), look="b"),
            line(q_x + corner[0], -q_y + corner[1], frame),
            line(only(there, k_x + corner[0]), -k_y + corner[1], frame, "b"),
            arrow(only(there & sp.Ne(back, 0), k_x), -k_y, (q_x, -q_y), look="b"),
            text(x, only(y < H, sp.Rational(1, 5) - y), [str(number) for number in range(H * LONG)], every),
            text(
                plain, -1 - sp.Rational(2, 5) * i, ("a line ends, and", "the next one", "begins at once"), Each(i, 0, 2)
            ),
        ],
        say=[
            Say("So the key lies", only(there, q_y - k_y), 0, "up"),
            Say("and", only(there, q_x - k_x), 0, "to the left of the query."),
        ],
        view=(-0.6, LONG - 0.4, -H + 0.4, 0.6),
        play=c,
        frames=[{"c": c, "g": g} for g in (0, 1) for c in (12, 10)],
        lets={
            stretch: W + gap * (W - 1),
            q_y: sp.floor(c / W),
            q_x: c - W * q_y,
            k_y: sp.floor(number / stretch),
            k_x: number - stretch * k_y,
        },
    )


def truth(c: int, d: int, g: int) -> Said:
    """The library numbers cells with the gap, from the middle of its table; without one the numbers are the places."""
    cells = torch.arange(20)
    index = window_index((4, 5))[c] - 31 if g else c - cells
    key = (index == d).nonzero().flatten()
    return [(c // 5 - key // 5).item(), (c % 5 - key % 5).item()] if len(key) else [math.nan, math.nan]
