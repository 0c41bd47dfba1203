"""One step, repeated: each code is the one before, turned and stretched. Which steps neither collapse nor explode?"""

import math

import sympy as sp
import torch

from bookkit.movable import Each, Movable, Say, Slider, dots, line, only, text
from bookkit.movable.truth import Said, numbers
from posenc_lib.absolute import linear_recurrence

MOST = 40  # steps
WIDE, HIGH = sp.Rational(9, 5), sp.Rational(13, 10)  # of the picture: what lies beyond is left out


def repeated_step() -> Movable:
    stretch, turn, n, t = sp.symbols("r w n t", real=True)
    k = sp.Symbol("k", integer=True, nonnegative=True)
    angle = sp.Symbol("angle", real=True)
    x, y = stretch**k * sp.cos(k * angle), stretch**k * sp.sin(k * angle)

    def seen(value):
        return only((k <= n) & (sp.Abs(x) < WIDE) & (sp.Abs(y) < HIGH), value)

    gap = sp.sqrt(stretch**2 - 2 * stretch * sp.cos(angle) + 1)
    every = Each(k, 0, MOST)
    return Movable(
        name="repeated_step",
        alt="Dots in a plane, joined in their order: the codes of positions 0, 1, 2 and so on. They run along a spiral "
        "into its middle.",
        question="Each code is the one before, turned and stretched. Which turn and stretch keep the codes apart, "
        "while none runs away?",
        answer="The stretch must be exactly 1, and the turn not 0. So the step is a rotation: the codes stay on the "
        "circle, evenly spaced, and along the positions each of their two numbers is a sinusoid. With a stretch below "
        "1 they collapse, with one above 1 they explode.",
        controls=[
            Slider(stretch, "stretch:", 0.8, 1.2, 0.9, 0.01, digits=2),
            Slider(turn, "turn, in degrees:", 0, 90, 25),
            Slider(n, "steps:", 1, MOST, 30),
        ],
        marks=[
            line(sp.cos(t), sp.sin(t), Each(t, 0, 6.2832, 61), "quiet"),
            line(seen(x), seen(y), every),
            dots(seen(x), seen(y), every),
            text(sp.Rational(11, 10), 0, "code 0", anchor="start"),
        ],
        say=[
            Say("Length of the last code:", stretch**n, 3),
            Say("From it to the one before:", stretch ** (n - 1) * gap, 3),
        ],
        view=(-1.9, 1.9, -1.35, 1.35),
        play=n,
        frames=[{"r": 0.9}, {"r": 1.0}, {"r": 1.05}],
        lets={angle: turn * sp.pi / 180},
    )


def truth(r: float, w: int, n: int) -> Said:
    """A table of codes: a matrix, and its powers."""
    c, s = r * math.cos(math.radians(w)), r * math.sin(math.radians(w))
    codes = linear_recurrence(numbers(c, -s, s, c).reshape(2, 2), numbers(1, 0), torch.tensor([n - 1, n]))
    return [codes[1].norm().item(), (codes[1] - codes[0]).norm().item()]
