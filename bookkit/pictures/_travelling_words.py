"""Two neighbours that travel through a text: their score, where positions are added before W_q and W_k."""

import math

import sympy as sp
import torch

from bookkit.movable import Axis, Choice, Each, Movable, Say, Slider, dots, draggable, line, rounded
from bookkit.movable.truth import Said
from posenc_lib.absolute import sinusoidal

D, LAST = 8, 60
WAYS = ("positions only", "words and positions", "and after W_q, W_k")


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
    s, way = sp.symbols("s w", real=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)
    score = sp.IndexedBase("score")
    return Movable(
        name="travelling_words",
        alt="A curve of the score of deux with mille, one place before it, against the place of mille. It is level "
        "where only the places are multiplied, and goes up and down with the words, and with the matrices.",
        question="“Mille deux” travels through a text: mille at position s, deux right behind it. When is their score "
        "the same everywhere?",
        answer="Only for the bare positions. As soon as a word is added, its product with the position comes in; and "
        "the matrices also mix the hands, so that even the product of two positions is no longer one of distance.",
        controls=[Choice(way, "multiplied", WAYS), Slider(s, "position of “mille”, s =", 0, LAST, 0)],
        marks=[
            line(i, score[way, i], Each(i, 0, LAST)),
            draggable(dots(s, score[way, s], look="c"), s),
        ],
        say=[Say("Score:", score[way, s], 3), Say("at the start of the text:", score[way, 0], 3)],
        view=(0, LAST, -6, 8),
        axes=(
            Axis("position of “mille”", {at: str(at) for at in range(0, LAST + 1, 20)}),
            Axis("score", {at: str(at).replace("-", "−") for at in (-4, 0, 4)}),
        ),
        play=s,
        frames=[{"w": 0}, {"w": 1}, {"w": 2}],
        tables={score: [rounded(scores(w)) for w in range(3)]},
    )


def truth(w: int, s: int) -> Said:
    draw = torch.Generator().manual_seed(2)
    words = torch.randn(2, 8, dtype=torch.float64, generator=draw) / 2  # mille, deux
    w_q, w_k = torch.randn(2, 8, 8, dtype=torch.float64, generator=draw) / math.sqrt(8)
    between = w_q @ w_k.T if w == 2 else torch.eye(8, dtype=torch.float64)

    def score(at: int) -> float:
        x = sinusoidal(torch.tensor([at, at + 1]), 8, base=100.0, dtype=torch.float64) + (words if w else 0)
        return (x[1] @ between @ x[0]).item()

    return [score(s), score(0)]
