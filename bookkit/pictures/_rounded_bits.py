"""Four bits as square waves, and the waves that are left when their corners are rounded."""

import math

import sympy as sp
import torch

from bookkit.movable import Axis, Each, Movable, Say, Slider, dots, draggable, line
from bookkit.movable.truth import Said, numbers
from bookkit.pictures._binary_places import BITS, bit

LAST = 16


def rounded_bits() -> Movable:
    m, w, x, t = sp.symbols("m w x t", real=True)
    j = sp.Symbol("j", integer=True, nonnegative=True)

    def wave(at):  # runs through the middle of each run of zeros and ones
        return -sp.sin(sp.pi * (at + sp.Rational(1, 2)) / 2**j)

    def row(at, square):
        return sp.Rational(5, 2) * j + (1 - w) * (2 * square - 1) + w * wave(at)

    rows = Each(j, 0, BITS - 1)
    change = wave(m + 1) - wave(m)
    flip = 2 * (bit(j, m + 1) - bit(j, m))
    step = sp.sqrt(sp.Sum(((1 - w) * flip + w * change) ** 2, (j, 0, BITS - 1)))
    return Movable(
        name="rounded_bits",
        alt="Four rows, one for each bit, drawn as square waves over the places 0 to 15: the lowest is the fastest. "
        "With rounding they become smooth waves of the same lengths.",
        question="Move “rounding” from 0 to 1. Do the rows still say which position it is? And where is the big jump "
        "from 7 to 8?",
        answer="They do: each wave is high where its bit was 1. The jump is gone. In full waves the slow rows move "
        "a little at each step instead of not at all and then all at once.",
        controls=[Slider(w, "rounding", 0, 1, 0, 0.05, digits=2), Slider(m, "position =", 0, LAST - 2, 7)],
        marks=[
            line(x, row(x, bit(j, x + sp.Rational(1, 2))), [rows, Each(x, -0.5, 15.49, 321)]),
            line(m, 10 * t - sp.Rational(3, 2), Each(t, 0, 1), "c"),
            draggable(dots(m, row(m, bit(j, m)), rows, "c"), m),
        ],
        say=[Say("How far the four values move on the step to the next position:", step, 2)],
        view=(-0.6, 15.6, -1.5, 9),
        axes=(
            Axis("position", {place: str(place) for place in range(0, LAST, 5)}),
            Axis("bit", {2.5 * power: str(2**power) for power in range(BITS)}),
        ),
        play=w,
        frames=[{"w": 0}, {"w": 1}],
    )


def truth(w: float, m: int) -> Said:
    def values(at: int) -> torch.Tensor:
        bits = numbers(*(int(digit) for digit in reversed(f"{at:04b}")))
        waves = (math.pi * (at + 0.5) / 2 ** torch.arange(4)).sin()
        return (1 - w) * (2 * bits - 1) - w * waves

    return [(values(m + 1) - values(m)).norm().item()]
