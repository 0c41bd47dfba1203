"""A query that goes round a circle, or with decay along a hyperbola; and its score with a key, by distance."""

import math

import sympy as sp
import torch

from bookkit.movable import Axis, Choice, Each, Movable, Say, Slider, arrow, draggable, line
from bookkit.movable.truth import Said, numbers
from posenc_lib.rotary import GroupTransform, hyperbolic_generator, pair_generator

STEP, DAMPED = sp.Rational(1, 10), sp.Rational(3, 20)
FAR = 24


def two_turns() -> Movable:
    way, t, a = sp.symbols("way t a", real=True)
    s = sp.Symbol("s", real=True)
    x = sp.Symbol("x", integer=True, nonnegative=True)
    degrees = a * sp.pi / 180
    k = (sp.cos(degrees), sp.sin(degrees))

    def moved(steps):  # q, after so many steps
        angle = steps * STEP
        turned = (sp.cos(angle), sp.sin(angle))
        stretched = (sp.cosh(angle) * sp.exp(-DAMPED * steps), sp.sinh(angle) * sp.exp(-DAMPED * steps))
        return tuple(
            sp.Piecewise((one, sp.Eq(way, 0)), (two, True)) for one, two in zip(turned, stretched, strict=True)
        )

    def score(steps):
        return sum(p * r for p, r in zip(moved(steps), k, strict=True))

    return Movable(
        name="two_turns",
        alt="On the left a query and a key as arrows, and the path of the query. On the right the score of the two "
        "against the distance: a wave for the rotation, a curve that goes to 0 for the hyperbolic one.",
        question="With the hyperbolic rotation, and the key turned to any side, for which keys does the score fall "
        "with the distance, and for which does it rise?",
        answer="It rises for keys that begin below 0, or fall below it: from there the score goes up to 0. So decay "
        "makes a key that was unwanted nearby less unwanted far away.",
        controls=[
            Choice(way, "rotation", ("of a circle", "hyperbolic, with decay")),
            Slider(t, "distance, t =", 0, FAR, 6),
            Slider(a, "direction of the key, in degrees:", 0, 350, 160, 10),
        ],
        marks=[
            line(*moved(s), Each(s, 0, FAR, 97), "quiet"),
            arrow(*moved(t), (0, 0), (), "a"),
            arrow(*k, (0, 0), (), "b"),
            line(sp.Rational(3, 2) + x / sp.Integer(12), score(x), Each(x, 0, FAR), "c"),
            draggable(line(sp.Rational(3, 2) + t / sp.Integer(12), score(t) * s, Each(s, 0, 1, 2), "a"), t),
        ],
        say=[
            Say("Score:", score(t), 3),
            Say("one step further:", score(t + 1), 3),
        ],
        view=(-1.2, 3.6, -1.2, 1.2),
        axes=(
            Axis("the arrows, and the score by distance", {1.5: "0", 2.5: "12", 3.5: "24"}),
            Axis("score", {-1: "−1", 0: "0", 1: "1"}),
        ),
        play=t,
        frames=[{"way": 0}, {"way": 1}],
    )


def truth(way: int, t: int, a: int) -> Said:
    step, q = numbers(0.1), numbers(1, 0)[None]
    k = numbers(math.cos(math.radians(a)), math.sin(math.radians(a)))[None]
    generator = (pair_generator(step, 0 * step), hyperbolic_generator(step, 1.5 * step))[way]
    zero = torch.tensor([0])
    moved = [GroupTransform(generator)(q, k, torch.tensor([at]), zero) for at in (t, t + 1)]
    return [(one @ key.T).item() for one, key in moved]
