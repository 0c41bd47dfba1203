"""What a query counts in a list of numbers: commas much and words little; and which rows of the table it then reads."""

import math

import sympy as sp
import torch

from bookkit.movable import Axis, Each, Movable, Say, Slider, box, draggable, text
from bookkit.movable.truth import Said, numbers
from posenc_lib.content import gate_counts

LAST, COMMAS = 11, (2, 5, 8, 10)
WORDS = ("mille", "deux", ",", "trois", "mille", ",", "cent", "un", ",", "dix", ",", "six")


def counted_commas() -> Movable:
    c, w, m, n = sp.symbols("c w m n", real=True)
    x = sp.Symbol("x", integer=True, nonnegative=True)

    def count(key):
        commas = sum(sp.Piecewise((1, (key <= comma) & (comma <= m)), (0, True)) for comma in COMMAS)
        return sp.Piecewise((w * (m - key + 1) + (c - w) * commas, key <= m), (0, True))

    height, read = count(x), count(n)
    shade = sp.Piecewise((1, sp.Or(*[sp.Eq(x, comma) for comma in COMMAS])), (sp.Rational(1, 2), True))
    return Movable(
        name="counted_commas",
        alt="Bars of the count from each of 12 tokens to the query at the end. They rise from right to left: by a lot "
        "at each of the four commas, and by little at each word.",
        question="A query wants to know in which number of the list a word stands, and counts commas. Each word "
        "counts a little too. How large must a word's gate be, so that the count at token 0 reaches 5 instead of 4?",
        answer="There are four commas and eight words: from 0.13 on, eight words count for more than one comma. In a "
        "text of 100 words the same happens from 0.01 on. With both gates at 1 the count is that of all tokens, and "
        "the query itself is the first.",
        controls=[
            Slider(c, "gate of a comma, c =", 0, 1, 1, 0.05, digits=2),
            Slider(w, "gate of a word, w =", 0, 1, 0.05, 0.01, digits=2),
            Slider(m, "position of the query, m =", 0, LAST, LAST),
            Slider(n, "position of the key, n =", 0, LAST, 0),
        ],
        marks=[
            box(x, height / 2, (sp.Rational(4, 5), height), shade, Each(x, 0, LAST)),
            # A phone has no room for all words in one line.
            text(x, -sp.Rational(1, 2) - (x - 2 * sp.floor(x / 2)), WORDS, Each(x, 0, LAST)),
            draggable(box(n, read / 2, (sp.Rational(4, 5), read), look="b"), n),
        ],
        say=[
            Say("The count from the key to the query:", read, 2),
            Say("Share of the row above in what it reads:", read - sp.floor(read), 2),
        ],
        view=(-0.7, LAST + 0.7, 0, LAST + 1),
        axes=(
            Axis("", {}),
            Axis("count, from each token to the query", {at: str(at) for at in (0, 4, 8, 12)}),
        ),
        frames=[{"w": 0}, {"w": 0.2}],
    )


def truth(c: float, w: float, m: int, n: int) -> Said:
    gates = numbers(*[c if token in (2, 5, 8, 10) else w for token in range(12)])
    count = gate_counts(gates[None], torch.tensor([m]), torch.arange(12))[0, n].item()
    return [count, math.modf(round(count, 9))[0]]
