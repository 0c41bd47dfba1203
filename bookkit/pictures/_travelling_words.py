"""Two neighbours that travel through a text: three scores, from their places alone to words, places and matrices."""

import math

import sympy as sp
import torch

from bookkit.movable import Axis, Each, Movable, Say, Slider, dots, draggable, line, only, rounded, text
from bookkit.movable.truth import Said
from posenc_lib.absolute import sinusoidal

D, LAST, START = 8, 60, 5
WAYS = {"positions alone": "a", "words plus positions": "b", "then learned matrices": "c"}


def scores(way: int) -> torch.Tensor:
    """Of deux at s + 1 with mille at s, for each s."""
    draw = torch.Generator().manual_seed(2)
    mille, deux = torch.randn(2, D, dtype=torch.float64, generator=draw) / 2
    w_q, w_k = torch.randn(2, D, D, dtype=torch.float64, generator=draw) / D**0.5
    p = sinusoidal(torch.arange(LAST + 2), D, base=100.0, dtype=torch.float64)
    query, key = p[1:], p[:-1]
    if way > 0:
        query, key = query + deux, key + mille
    if way > 1:
        query, key = query @ w_q, key @ w_k
    return (query * key).sum(-1)


def travelling_words() -> Movable:
    s = sp.Symbol("s", real=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)
    score = sp.IndexedBase("score")
    so_far = Each(i, 0, LAST)

    def trace(way: int, look: str):
        """Up to where the two words are: what comes next is for the reader to guess."""
        yield line(i, only(i <= s, score[way, i]), so_far, look)
        yield draggable(dots(s, score[way, s], look=look), s)

    return Movable(
        name="travelling_words",
        alt="Three curves of the score of deux with mille, one place before it, as far as the two words have come. One "
        "is level, from the places alone. The others go up and down: with the words, and with the matrices.",
        question="“Mille deux” travels through a text, deux always right behind mille. Which of the three scores stays "
        "the same?",
        answer="Only that of the bare positions. As soon as a word is added, its product with the position comes in; "
        "and the matrices also mix the hands, so that even the product of two positions is no longer one of distance.",
        controls=[Slider(s, "position of “mille”, s =", 0, LAST, START)],
        marks=[
            *(mark for way, look in enumerate(WAYS.values()) for mark in trace(way, look)),
            *(
                text(1, 12 - 2 * sp.Rational(way), words, look=look, anchor="start")
                for way, (words, look) in enumerate(WAYS.items())
            ),
        ],
        say=[Say(f"{words.capitalize()}:", score[way, s], 3) for way, words in enumerate(WAYS)],
        view=(0, LAST, -6, 13),
        axes=(
            Axis("position of “mille”", {at: str(at) for at in range(0, LAST + 1, 20)}),
            Axis("score", {at: str(at).replace("-", "−") for at in (-4, 0, 4, 8)}),
        ),
        play=s,
        frames=[{"s": START}, {"s": LAST}],
        tables={score: [rounded(scores(way)) for way in range(len(WAYS))]},
    )


def truth(s: int) -> Said:
    draw = torch.Generator().manual_seed(2)
    words = torch.randn(2, 8, dtype=torch.float64, generator=draw) / 2  # mille, deux
    w_q, w_k = torch.randn(2, 8, 8, dtype=torch.float64, generator=draw) / math.sqrt(8)
    p = sinusoidal(torch.tensor([s, s + 1]), 8, base=100.0, dtype=torch.float64)

    def score(x: torch.Tensor, between: torch.Tensor) -> float:
        return (x[1] @ between @ x[0]).item()

    same = torch.eye(8, dtype=torch.float64)
    return [score(p, same), score(p + words, same), score(p + words, w_q @ w_k.T)]
