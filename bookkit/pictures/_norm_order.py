"""One pair of a query and of a key, weighted before they are rotated and after: what happens when both move on?"""

import math

import sympy as sp
import torch
import torch.nn.functional as F

from bookkit.movable import Each, Movable, Say, Slider, arrow, line, named_arrow, text
from bookkit.movable.truth import Said, numbers
from posenc_lib.rotary import QueryKeyNorm, Rotary

STEP, APART = sp.Rational(3, 10), 5  # the turn of one position, in radians; tokens from key to query
QUERY, KEY = -sp.Rational(4, 10), sp.Rational(3, 10)  # directions
LEFT, RIGHT = -3, 3


def norm_order() -> Movable:
    s, w, t = sp.symbols("s w t", real=True)
    size = sp.sqrt(2)  # of two features whose mean square is 1
    turns = {"k": (KEY, s), "q": (QUERY, s + APART)}

    def before(direction, at):
        x, y = w * size * sp.cos(direction), size * sp.sin(direction)
        cos, sin = sp.cos(at * STEP), sp.sin(at * STEP)
        return x * cos - y * sin, x * sin + y * cos

    def after(direction, at):
        return w * size * sp.cos(direction + at * STEP), size * sp.sin(direction + at * STEP)

    def score(way):
        (a, b), (c, d) = (way(*turn) for turn in turns.values())
        return a * c + b * d

    def path(way, name):
        """Where the arrow goes in a whole turn."""
        return way(turns[name][0], t / STEP)

    def side(middle, way):
        for name, look in (("k", "b"), ("q", "a")):
            x, y = path(way, name)
            yield line(middle + x, y, Each(t, 0, 6.2832, 61), "quiet")
            x, y = way(*turns[name])
            yield arrow(middle + x, y, (middle, 0), look=look)

    return Movable(
        name="norm_order",
        alt="Two arrows, a query q and a key k, drawn twice. On the left both are weighted and then rotated, and each "
        "runs on a circle of its own. On the right both are rotated and then weighted, and run on one ellipse.",
        question="Both arrows have been brought to one length. Then their feature across is multiplied by a weight, "
        "before the rotation or after it. If both tokens move on together, on which side does the score stay?",
        answer="On the left. There each arrow is stretched once, and then only turned: both by the same angle. On the "
        "right an arrow is stretched the more, the more it points across, and where it points depends on the place. "
        "With the weight 1, as that of the other feature, both sides agree.",
        controls=[
            Slider(s, "move both by", 0, 30, 0),
            Slider(w, "weight of the feature across:", 0.5, 1.8, 1.8, 0.1, digits=1),
        ],
        marks=[
            *side(LEFT, before),
            *side(RIGHT, after),
            *named_arrow(-0.9, 2.5, "q", "a", 0.8),
            *named_arrow(1.1, 2.5, "k", "b", 0.8),
            text(LEFT, -sp.Rational(31, 10), "weighted first"),
            text(RIGHT, -sp.Rational(31, 10), "rotated first"),
        ],
        say=[
            Say("Score, weighted first:", score(before), 2),
            Say("Score, rotated first:", score(after), 2),
        ],
        view=(-5.9, 5.9, -3.4, 2.9),
        play=s,
        frames=[{"s": 0}, {"s": 6}],
    )


def truth(s: int, w: float) -> Said:
    q, k = (3 * numbers(math.cos(turn), math.sin(turn)) for turn in (-0.4, 0.3))
    rotary, at = Rotary(numbers(0.3)), (torch.tensor([s + 5]), torch.tensor([s]))
    first = QueryKeyNorm(2, rotary, eps=1e-12).double()
    for weight in (first.q_weight, first.k_weight):
        weight.data[:] = numbers(w, 1)
    last = [F.rms_norm(x, (2,)) * numbers(w, 1) for x in rotary(q[None], k[None], *at)]
    return [(a @ b.T).item() for a, b in (first(q[None], k[None], *at), last)]
