"""Attention in a text whose words change places: what permutes, what stays, and what ends that."""

import sympy as sp
import torch

from bookkit.movable import Choice, Each, Movable, Say, Slider, box, draggable, rounded, text
from bookkit.movable.truth import Said
from posenc_lib import attention_weights, causal_mask
from posenc_lib.absolute import sinusoidal

WORDS = ("mille", "neuf", "cent", "deux")
N, D = len(WORDS), 8


def places(first: int) -> list[int]:
    """The place of each word when the first one has moved to this place and the others have kept their order."""
    return [first, *(place for place in range(N) if place != first)]


def attended(first: int, positions: int, masked: int) -> tuple[torch.Tensor, float]:
    """The weights, by words and not by places, and the mean of the outputs' first feature."""
    draw = torch.Generator().manual_seed(5)
    x, w_q, w_k, w_v = (torch.randn(rows, D, dtype=torch.float64, generator=draw) for rows in (N, D, D, D))
    at = torch.tensor(places(first))
    mask = causal_mask(at, at) if masked else None
    x = x + positions * sinusoidal(at, D, base=100.0, dtype=torch.float64)
    weights = attention_weights(x @ w_q / 3, x @ w_k / 3, mask=mask)
    return weights, (weights @ x @ w_v).mean(0)[0].item()


def tables() -> tuple[list, list]:
    all_of_them = [[[attended(f, p, c) for c in range(2)] for p in range(2)] for f in range(N)]
    weights = [[[rounded(cell[0]) for cell in row] for row in rows] for rows in all_of_them]
    means = [
        [[rounded(torch.tensor(cell[1], dtype=torch.float64)) for cell in row] for row in rows] for rows in all_of_them
    ]
    return weights, means


def moved_word() -> Movable:
    f, p, c = sp.symbols("f p c", real=True)
    i, j = sp.symbols("i j", integer=True, nonnegative=True)
    weight, mean = sp.IndexedBase("weight"), sp.IndexedBase("mean")

    def place(word):
        return sp.Piecewise((f, sp.Eq(word, 0)), (word - 1, word <= f), (word, True))

    weights, means = tables()
    each, up = Each(i, 0, N - 1), N - 1
    return Movable(
        name="moved_word",
        alt="A map of attention weights, queries downwards and keys across, with the four words mille, neuf, cent "
        "and deux along both sides. A stronger cell is a larger weight.",
        question="Neither positions nor a mask: the word “mille” moves through the text. Which weights change, "
        "and what happens to the mean of the outputs?",
        answer="No weight changes: rows and columns move along with their words, and the mean stays to the last "
        "digit, so the model cannot tell the orders apart. Add positions, or let no word look ahead, and "
        "both change with the order.",
        controls=[
            Slider(f, "place of “mille”:", 0, N - 1, 0),
            Choice(p, "positions", ("none", "sinusoid added")),
            Choice(c, "mask", ("none", "causal")),
        ],
        marks=[
            box(
                place(j),
                up - place(i),
                (sp.Rational(19, 20), sp.Rational(19, 20)),
                sp.Rational(3, 2) * weight[f, p, c, i, j],
                [each, Each(j, 0, N - 1)],
            ),
            draggable(text(place(i), sp.Rational(19, 5), WORDS, each, "b"), f),
            text(-sp.Rational(7, 10), up - place(i), WORDS, each, "b", "end"),
        ],
        say=[
            Say("Weight with which “deux” looks at “mille”:", weight[f, p, c, N - 1, 0], 4),
            Say("Mean of the outputs, first feature:", mean[f, p, c], 6),
        ],
        view=(-2.2, 4.2, -0.6, 4.2),
        frames=[{"f": 0}, {"f": 3}, {"f": 3, "p": 1}],
        tables={weight: weights, mean: means},
    )


def truth(f: int, p: int, c: int) -> Said:
    """Here the text itself is put into its new order; the picture moves the positions."""
    draw = torch.Generator().manual_seed(5)
    x, w_q, w_k, w_v = (torch.randn(rows, 8, dtype=torch.float64, generator=draw) for rows in (4, 8, 8, 8))
    order = [word for word in range(4) if word != 0]
    order.insert(f, 0)
    at = torch.arange(4)
    text = x[order] + p * sinusoidal(at, 8, base=100.0, dtype=torch.float64)
    weights = attention_weights(text @ w_q / 3, text @ w_k / 3, mask=causal_mask(at, at) if c else None)
    means = (weights @ (text @ w_v)).mean(0)
    return [weights[order.index(3), order.index(0)].item(), means[0].item()]
