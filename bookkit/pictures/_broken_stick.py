"""Stick-breaking beside the softmax: 12 keys with the same score, and one that scores more."""

import sympy as sp
import torch

from bookkit.movable import Axis, Choice, Each, Movable, Say, Slider, box, draggable
from bookkit.movable.truth import Said
from posenc_lib.content import stick_breaking

LAST = 11


def broken_stick() -> Movable:
    z, c, at, way = sp.symbols("z c at way", real=True)
    x = sp.Symbol("x", integer=True, nonnegative=True)
    plain, bonus, total = sp.symbols("plain bonus total", positive=True)

    def weight(key):
        met = sp.Piecewise((1, key > at), (0, True))  # whether the stick has passed the one that scores more
        own = sp.Piecewise((bonus, sp.Eq(key, at)), (plain, True))
        broken = own * (1 - plain) ** (key - met) * (1 - bonus) ** met
        soft = sp.Piecewise((sp.exp(c), sp.Eq(key, at)), (1, True)) / total
        return sp.Piecewise((broken, sp.Eq(way, 0)), (soft, True))

    rest = sp.Piecewise(((1 - plain) ** LAST * (1 - bonus), sp.Eq(way, 0)), (0, True))
    return Movable(
        name="broken_stick",
        alt="Bars of the weights of 12 keys, the nearest at the left. With stick-breaking they fall by the same factor "
        "from key to key, and what is left after the last is the rest. With the softmax all but one are alike.",
        question="Raise or lower z, the score of all keys. Which weights change with the softmax, and which with "
        "stick-breaking?",
        answer="With the softmax none: what is added to all scores cancels. With stick-breaking z says how much each "
        "key takes of what is left, so the nearest key takes most, and a high z leaves nothing for the others.",
        controls=[
            Choice(way, "weights", ("stick-breaking", "softmax")),
            Slider(z, "score of all keys, z =", -4, 4, -1, 0.5, digits=1),
            Slider(c, "one key scores more by", 0, 6, 0, 0.5, digits=1),
            Slider(at, "how many tokens back it lies:", 0, LAST, 6),
        ],
        marks=[
            box(
                x,
                weight(x) / 2,
                (sp.Rational(4, 5), weight(x)),
                sp.Piecewise((0, sp.Eq(x, at)), (1, True)),
                Each(x, 0, LAST),
            ),
            draggable(box(at, weight(at) / 2, (sp.Rational(4, 5), weight(at)), look="b"), at),
        ],
        say=[
            Say("Weight of the nearest key:", weight(sp.Integer(0)) * 100, 1, "%"),
            Say("of the one that scores more:", weight(at) * 100, 1, "%"),
            Say("Left over:", rest * 100, 1, "%"),
        ],
        view=(-0.7, LAST + 0.7, 0, 1),
        axes=(
            Axis("tokens back", {at: str(at) for at in (0, 3, 6, 9, LAST)}),
            Axis("weight", {0: "0", 0.5: "50 %", 1: "100 %"}),
        ),
        lets={
            plain: 1 / (1 + sp.exp(-z)),
            bonus: 1 / (1 + sp.exp(-z - c)),
            total: LAST + sp.exp(c),
        },
        frames=[{"way": 0, "z": -1}, {"way": 1, "z": -1}],
    )


def truth(way: int, z: float, c: float, at: int) -> Said:
    scores = torch.full((1, 12), z, dtype=torch.float64)
    scores[0, 11 - at] += c
    last, places = torch.tensor([11]), torch.arange(12)
    weights = (scores.softmax(-1) if way else stick_breaking(scores, last, places))[0].flip(0)
    return [100 * weights[0].item(), 100 * weights[at].item(), 100 - 100 * weights.sum().item()]
