"""Two words in either order, and four ways to say where they stand: which weights notice that they were swapped?"""

import math

import sympy as sp
import torch
import torch.nn.functional as F

from bookkit.movable import Choice, Each, Movable, Say, box, draggable, rounded, text
from bookkit.movable.truth import Said, numbers
from posenc_lib import Slots, attention_weights
from posenc_lib.absolute import sinusoidal
from posenc_lib.rotary import Rotary

WORDS = ("mille", "deux")
LEARNED = {-1: -1.2, 0: 0.0, 1: 1.2}  # a bias for "the key comes next", "the same word", "the key came before"
QUERIES, KEYS = ((1.3, 0.4), (0.5, 1.1)), ((0.3, 1.0), (1.1, -0.5))  # of mille and of deux


def attended(way: int, swapped: int) -> torch.Tensor:
    """The weights, by words and not by places: nothing, sinusoids, a rotation, or a bias says where the words stand."""
    at = torch.tensor([1, 0] if swapped else [0, 1])
    q, k = (torch.tensor([rows], dtype=torch.float64) for rows in (QUERIES, KEYS))  # one head
    if way == 1:
        q, k = (x + sinusoidal(at, 2, dtype=torch.float64) for x in (q, k))
    slots = Slots(transform=Rotary(torch.ones(1, dtype=torch.float64))) if way == 2 else Slots()
    if way == 3:
        slots = Slots(bias=by_order)
    return attention_weights(q, k, slots, q_positions=at, k_positions=at)[0]


def by_order(q_positions: torch.Tensor, k_positions: torch.Tensor) -> torch.Tensor:
    back = q_positions[:, None] - k_positions
    return torch.tensor([[LEARNED[int(b)] for b in row] for row in back], dtype=torch.float64)[None]


def two_words() -> Movable:
    way, swapped = sp.symbols("p o", real=True)
    i, j = sp.symbols("i j", integer=True, nonnegative=True)
    weight = sp.IndexedBase("weight")
    place = i + swapped * (1 - 2 * i)  # 0, 1 or 1, 0
    across, down = Each(j, 0, 1), Each(i, 0, 1)
    weights = [[rounded(attended(w, s)) for s in range(2)] for w in range(4)]
    return Movable(
        name="two_words",
        alt="The words mille and deux in their order, and below them a square for each pair of words: how much the "
        "word on the left looks at the word above. A stronger square is a larger weight.",
        question="If you swap the two words, which squares change? And which do if you first set position to “none”?",
        answer="All four change: whichever word comes first gets a bonus, so its column is the strong one. With “none” "
        "not one does. “Mille deux” is 1,002 and “deux mille” is 2,000, but attention alone sees the same two words.",
        controls=[
            Choice(swapped, "order", ("mille deux", "deux mille")),
            Choice(way, "position", ("none", "added", "rotated", "as a bias"), 3),
        ],
        marks=[
            draggable(text(2 * place - sp.Rational(6, 5), sp.Rational(9, 5), ("mille", "deux"), down, "b"), swapped),
            text(-sp.Rational(19, 10), sp.Rational(9, 5), "the text:", anchor="end"),
            text(2 * j - sp.Rational(6, 5), sp.Rational(11, 10), WORDS, across),
            text(-sp.Rational(23, 10), sp.Rational(1, 5) - sp.Rational(11, 10) * i, WORDS, down, anchor="end"),
            box(
                2 * j - sp.Rational(6, 5),
                sp.Rational(1, 5) - sp.Rational(11, 10) * i,
                (sp.Rational(19, 10), 1),
                weight[way, swapped, i, j],
                [down, across],
            ),
        ],
        say=[
            Say("“deux” looks at “mille” with weight", weight[way, swapped, 1, 0], 3),
            Say("if you swap them, with", weight[way, 1 - swapped, 1, 0], 3),
        ],
        view=(-4.2, 2.4, -1.7, 2.2),
        frames=[{"p": way, "o": order} for way in (3, 0) for order in (0, 1)],
        tables={weight: weights},
    )


def truth(o: int, p: int) -> Said:
    """By hand: scores, the positions put in, and a softmax of two numbers."""
    q, k = numbers(0.5, 1.1), numbers(0.3, 1.0, 1.1, -0.5).reshape(2, 2)  # of deux; of mille and deux

    def looks(order: int) -> float:
        here, there = (0, 1) if order else (1, 0)  # the places of deux and mille
        where = numbers(there, here)
        query, keys = q, k
        if p == 1:
            query = q + numbers(math.sin(here), math.cos(here))
            keys = k + torch.stack([where.sin(), where.cos()], dim=-1)
        if p == 2:
            c, s = (where - here).cos(), (where - here).sin()
            keys = torch.stack([c * k[:, 0] - s * k[:, 1], s * k[:, 0] + c * k[:, 1]], dim=-1)
        bias = 1.2 * (here - where) if p == 3 else 0
        return F.softmax(keys @ query / math.sqrt(2) + bias, dim=0)[0].item()

    return [looks(o), looks(1 - o)]
