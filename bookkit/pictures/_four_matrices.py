"""A point that one of four matrices moves, once for each token back: how far to the right it stands is its score."""

import sympy as sp
import torch

from bookkit.movable import Each, Movable, Say, Slider, dots, line, only, text
from bookkit.movable.truth import Said, numbers
from posenc_lib.rotary import exp_map

TURN, DECAY, SLIDE = sp.Rational(1, 4), sp.Rational(1, 20), sp.Rational(1, 25)  # per token
LAST, APART = 39, 4
NAMES = ("turn", "turn and shrink", "shrink", "slide")


def moved(t) -> list:
    """Where (1, 1) is after t tokens, by the matrices in the order of their names."""
    less = sp.exp(-DECAY * t)
    turned = sp.cos(TURN * t) - sp.sin(TURN * t), sp.sin(TURN * t) + sp.cos(TURN * t)
    return [turned, tuple(less * x for x in turned), (less, less), (1 - SLIDE * t, sp.Integer(1))]


def four_matrices() -> Movable:
    t, u = sp.symbols("t u", real=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)

    def panel(k):
        middle, height = APART * (k % 2), -APART * (k // 2)
        x, y = moved(t)[k]
        path = moved(u)[k]
        yield line(middle + u, height, Each(u, -1.6, 1.6, 2), "quiet")
        yield line(middle, height + u, Each(u, -1.6, 1.6, 2), "quiet")
        steps = moved(i)[k]
        yield line(middle + path[0], height + path[1], Each(u, 0, LAST, 157), "a")
        yield dots(only(i < t, middle + steps[0]), height + steps[1], Each(i, 0, LAST), "quiet")
        yield line(middle + x, height + y * u, Each(u, 0, 1, 2), "b")
        yield dots(middle + x, height + y, look="b")
        yield text(middle, height - sp.Rational(9, 5), NAMES[k])

    return Movable(
        name="four_matrices",
        alt="Four planes, each with a point that starts at one place, up and to the right, and with the path on which "
        "a matrix moves it: a circle, a spiral into the middle, a straight line into the middle, and a level line to "
        "the left. A dashed line drops from the point to the axis across, where its score is read.",
        question="With each token back, a matrix moves the point once more. For which of the four does the score fall "
        "by the same amount each time?",
        answer="For the slide: by 0.04 a token, so after 25 tokens the score is 0. That is ALiBi. The turn is "
        "rotary, and the turn that shrinks is xPos: its score swings less and less. Shrinking alone is what xPos adds "
        "to rotary.",
        controls=[Slider(t, "tokens back:", 0, LAST, 4)],
        marks=[mark for k in range(4) for mark in panel(k)],
        say=[Say(f"Score, {name}:", x, 2) for name, (x, _) in zip(NAMES, moved(t), strict=True)],
        view=(-2, APART + 2, -APART - 2.1, 1.8),
        play=t,
        frames=[{"t": 4}, {"t": 25}],
    )


def truth(t: int) -> Said:
    generators = numbers(0, -0.25, 0.25, 0, -0.05, -0.25, 0.25, -0.05, -0.05, 0, 0, -0.05, 0, -0.04, 0, 0)
    return [(exp_map(torch.tensor([[t]]), one[None]) @ numbers(1, 1))[0, 0].item() for one in generators.view(4, 2, 2)]
