"""A layer that makes the number of a token from the weight 1/t of the first one: right up to T, and then level."""

import sympy as sp
import torch

from bookkit.movable import Axis, Each, Movable, Say, Slider, dots, draggable, line, text
from bookkit.movable.truth import Said
from posenc_lib import attention_weights

LARGEST = 10  # number of a token, as a power of 2


def counted_tokens() -> Movable:
    T, e, t, v = sp.symbols("T e t v", real=True)
    j = sp.Symbol("j", integer=True, positive=True)

    def written(weight):
        bends = sp.Sum(2 * j * sp.Max(0, weight - 1 / j), (j, 2, T - 1))
        return 2 * T - 1 - T * (T - 1) * weight + bends

    def height(number):
        return sp.log(number) / sp.log(2)

    ticks = {0: "1", 2: "4", 4: "16", 6: "64", 8: "256", 10: "1,024"}
    return Movable(
        name="counted_tokens",
        alt="Two lines over the number of a token from 1 to 1,024, both axes in powers of 2. The dotted one is the "
        "number itself and rises all the way. The solid one, the layer's count, lies on it up to the number for which "
        "it was made, then bends and stays level.",
        question="From its weight 1/t a layer makes the number t again, with weights for numbers up to 8. What does "
        "it write at token 1,000?",
        answer="14.9. Up to 8 the count is right. Beyond, the layer goes on along its last straight piece, from 1/7 "
        "over 1/8 towards 0, and at 0, infinitely far into the text, that ends at 15: twice 8, less 1. Weights for a "
        "larger number only move the bend.",
        controls=[
            Slider(T, "made to count to", 2, 40, 8),
            Slider(e, "number of the token: t =", 0, LARGEST, 3, shown=2**e),
        ],
        marks=[
            line(v, v, Each(v, 0, LARGEST, 2), "quiet"),
            line(v, height(written(2**-v)), Each(v, 0, LARGEST, 10 * LARGEST + 1), "a"),
            line(e, v, Each(v, 0, LARGEST, 2), "quiet"),
            draggable(dots(e, height(written(1 / t)), look="b"), e),
            text(sp.Rational(31, 4), sp.Rational(43, 5), "the number", anchor="end"),
            text(LARGEST, height(2 * T - 1) + sp.Rational(3, 5), "what the layer writes", look="a", anchor="end"),
        ],
        say=[
            Say("The first token gets", 1 / t, 4, "of the attention."),
            Say("The layer writes", written(1 / t), 2),
        ],
        view=(0, LARGEST, 0, LARGEST),
        play=e,
        frames=[{"e": 3}, {"e": 10}],
        axes=(Axis("number of the token", ticks), Axis("count", ticks)),
        lets={t: 2**e},
    )


def truth(T: int, e: int) -> Said:
    """The layer of the page as one of torch: a unit for each bend, one for the straight piece, and a constant."""
    weight = attention_weights(torch.zeros(1, 1), torch.zeros(2**e, 1), q_positions=torch.tensor([2**e - 1]))[-1, 0]
    bends = torch.arange(1, T, dtype=torch.float64)  # the one at 1 is never passed
    hidden = (weight.double() - 1 / bends).relu()
    return [weight.item(), (2 * T - 1 - T * (T - 1) * weight.double() + (2 * bends * hidden).sum()).item()]
