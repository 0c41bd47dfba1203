"""Two words in either order, and the weights between them: without positions, nothing changes."""

import math

import sympy as sp
import torch

from bookkit.movable import Choice, Each, Movable, Say, box, draggable, rounded, text
from bookkit.movable.truth import Said, numbers
from posenc_lib import attention_weights

WORDS = ("mille", "deux")
QUERIES, KEYS = ((1.3, 0.4), (0.5, 1.1)), ((0.3, 1.0), (1.1, -0.5))


def swapped_words() -> Movable:
    swapped = sp.Symbol("o", real=True)
    i, j = sp.symbols("i j", integer=True, nonnegative=True)
    weight = sp.IndexedBase("weight")
    place = i + swapped * (1 - 2 * i)  # 0, 1 or 1, 0
    column, row = 2 * j - sp.Rational(6, 5), sp.Rational(1, 5) - sp.Rational(11, 10) * i
    across, down = Each(j, 0, 1), Each(i, 0, 1)
    q, k = (torch.tensor([rows], dtype=torch.float64) for rows in (QUERIES, KEYS))  # one head
    return Movable(
        name="swapped_words",
        alt="The words mille and deux in their order, and below them a square for each pair of words: how much the "
        "word on the left looks at the word above. A stronger square is a larger weight.",
        question="If you swap the two words of the text, which squares change?",
        answer="None. The weights are made from the words alone, so 1,002 and 2,000 are the same two words.",
        controls=[Choice(swapped, "the text", ("mille deux", "deux mille"))],
        marks=[
            draggable(text(2 * place - sp.Rational(6, 5), sp.Rational(9, 5), WORDS, down, "b"), swapped),
            text(-sp.Rational(19, 10), sp.Rational(9, 5), "the text:", anchor="end"),
            text(column, sp.Rational(11, 10), WORDS, across),
            text(-sp.Rational(23, 10), row, WORDS, down, anchor="end"),
            box(column, row, (sp.Rational(19, 10), 1), weight[i, j], [down, across]),
        ],
        say=[Say("“Deux” looks at “mille” with weight", weight[1, 0], 3)],
        view=(-4.2, 2.4, -1.7, 2.2),
        frames=[{"o": 0}, {"o": 1}],
        tables={weight: rounded(attention_weights(q, k)[0])},
    )


def truth(o: int) -> Said:
    deux, keys = numbers(0.5, 1.1), torch.stack([numbers(0.3, 1.0), numbers(1.1, -0.5)])
    return [(keys @ deux / math.sqrt(2)).softmax(-1)[0].item()]  # in either order
