"""A word at a position, multiplied or added: does one step on do the same everywhere?"""

import math

import sympy as sp
import torch

from bookkit.movable import Each, Movable, Say, Slider, arrow, draggable, line, text
from bookkit.movable.truth import Said, numbers
from posenc_lib.absolute import complex_order, sinusoidal

LENGTH, START = sp.Rational(6, 5), sp.Rational(7, 10)  # of the word; its angle, in radians
LEFT, RIGHT = sp.Rational(-2), sp.Rational(8, 5)


def turned_or_added() -> Movable:
    m, turn, t = sp.symbols("m w t", real=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)
    angle = turn * sp.pi / 180
    word = LENGTH * sp.cos(START), LENGTH * sp.sin(START)

    def multiplied(at):
        return LENGTH * sp.cos(START + at * angle), LENGTH * sp.sin(START + at * angle)

    def added(at):
        return word[0] + sp.cos(at * angle), word[1] + sp.sin(at * angle)

    def length(vector):
        return sp.sqrt(vector[0] ** 2 + vector[1] ** 2)

    def change(way):  # of the length, by the step from m to m + 1
        return length(way(m + 1)) / length(way(m))

    def degrees(way):
        (a, b), (c, d) = way(m), way(m + 1)
        return sp.atan2(a * d - b * c, a * c + b * d) * 180 / sp.pi

    around = Each(t, 0, 6.2832, 61)
    sides = [(LEFT, multiplied), (RIGHT, added)]
    return Movable(
        name="turned_or_added",
        alt="A word as an arrow, twice, at one position and dashed at the next. On the left the position turns the "
        "word's arrow. On the right the position's own arrow is added at its tip.",
        question="As the word moves from the solid position to the dashed one, on which side does a step always do "
        "the same?",
        answer="On the left: from every position to the next the arrow turns by the same angle, and its length stays. "
        "On the right the step turns it sometimes more and sometimes less, and stretches or shrinks it: what one step "
        "does depends on the word and on the place.",
        controls=[
            Slider(m, "position:", 0, 36, 2),
            Slider(turn, "turn with each position, in degrees:", 0, 60, 25),
        ],
        marks=[
            line(LEFT + LENGTH * sp.cos(t), LENGTH * sp.sin(t), around, "quiet"),
            line(RIGHT + word[0] + sp.cos(t), word[1] + sp.sin(t), around, "quiet"),
            arrow(RIGHT + word[0], word[1], (RIGHT, 0), look="quiet"),
            *(arrow(at + way(m + 1)[0], way(m + 1)[1], (at, 0), look="b") for at, way in sides),
            *(draggable(arrow(at + way(m)[0], way(m)[1], (at, 0)), m) for at, way in sides),
            text(
                LEFT + sp.Rational(9, 2) * i,
                sp.Rational(-8, 5),
                ("multiplied", "added"),
                Each(i, 0, 1),
            ),
        ],
        say=[
            Say("Multiplied: one step turns by", degrees(multiplied), 1, "degrees."),
            Say("Added: one step turns by", degrees(added), 1, "degrees,"),
            Say("and makes the arrow longer by the factor", change(added), 2),
        ],
        view=(-3.5, 3.6, -1.8, 2),
        play=m,
        frames=[{"m": 2}, {"m": 9}],
    )


def truth(m: int, w: int) -> Said:
    at, step = torch.tensor([m, m + 1]), numbers(math.radians(w))
    multiplied = complex_order(at, numbers(1.2), step, numbers(0.7))[:, 0]
    sine_first = sinusoidal(at.double() * step, 2, dtype=torch.float64)
    added = torch.polar(numbers(1.2), numbers(0.7)) + torch.complex(*sine_first.flip(-1).T)
    steps = [way[1] / way[0] for way in (multiplied, added)]
    return [math.degrees(steps[0].angle()), math.degrees(steps[1].angle()), steps[1].abs().item()]
