"""Places divided by the length of the text: where do two neighbours stand?"""

import sympy as sp
import torch

from bookkit.movable import Each, Movable, Say, Slider, dots, draggable, only, text
from bookkit.movable.truth import Said

MOST = 64


def squeezed_places() -> Movable:
    n = sp.Symbol("n", real=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)
    at = only(i < n, 4 * i / (n - 1))
    step = 4 / (n - 1)
    return Movable(
        name="squeezed_places",
        alt="A line from 0 to 1 with a dot for each word of a text. The more words there are, the closer the dots lie.",
        question="The first word gets 0, the last one 1, the others what lies between. As the text grows, what "
        "becomes of one step, from “mille” to “deux”?",
        answer="It shrinks. In four words a step is 0.333, in 64 it is 0.016, so no number means “the word before”.",
        controls=[Slider(n, "words in the text:", 3, MOST, 4)],
        marks=[
            dots(at, 0, Each(i, 0, MOST - 1), "quiet"),
            draggable(dots(step, 0, look="a"), n),
            dots(0, 0, look="b"),
            text(0, sp.Rational(3, 10), "mille", look="b", anchor="end"),
            text(step, sp.Rational(3, 10), "deux", look="a", anchor="start"),
            text(0, -sp.Rational(2, 5), "0"),
            text(4, -sp.Rational(2, 5), "1"),
        ],
        say=[Say("From “mille” to “deux”:", 1 / (n - 1), 3)],
        view=(-0.6, 4.4, -0.7, 0.7),
        play=n,
        frames=[{"n": 4}, {"n": 32}],
    )


def truth(n: int) -> Said:
    return [torch.linspace(0, 1, n, dtype=torch.float64)[1].item()]
