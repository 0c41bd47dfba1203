"""The score of an earlier copy of a word, with rotation and without, and how high it must be to get half the weight."""

import math
from itertools import pairwise

import sympy as sp
import torch

from bookkit.movable import Axis, Each, Movable, Say, Slider, box, dots, draggable, line, rounded, text
from bookkit.movable.truth import Said
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import rotate

FEATURES, FURTHEST, PARTS = 128, 16, 4  # distances as a power of 2, each doubling in so many parts


def stretches() -> torch.Tensor:
    """For each part of a doubling the least, the mean and the largest score, as shares of the score at distance 0."""
    torch.manual_seed(0)
    freqs = geometric_freqs(FEATURES)
    lengths = torch.randn(FEATURES // 2, 2, dtype=torch.float64).square().sum(-1)
    ends = [round(2 ** (k / PARTS)) for k in range(4, PARTS * FURTHEST + 1)]  # from distance 2
    found = []
    for first, last in pairwise(ends):
        t = torch.arange(first, max(last, first + 1))
        scores = (position_angles(t, freqs).cos() * lengths).sum(-1) / lengths.sum()
        found.append([scores.min(), scores.mean(), scores.max()])
    return torch.tensor(found, dtype=torch.float64).T


def far_copy() -> Movable:
    e, score, v = sp.symbols("e score v", real=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)
    least, mean, most = (sp.IndexedBase(name) for name in ("least", "mean", "most"))
    here = PARTS * (e - 1)  # number of the stretch that begins at 2**e

    def middle(k):
        return 1 + (k + sp.Rational(1, 2)) / PARTS

    count = PARTS * (FURTHEST - 1)
    bar = (sp.Rational(1, PARTS), score * (most[i] - least[i]))
    return Movable(
        name="far_copy",
        alt="Scores over the distance, from 2 to 65,536 tokens in powers of 2. A level dashed line, not rotated. A "
        "band with a line in its middle, rotated, which falls from it and ends around 0. A dotted line that rises "
        "slowly from 0 to 11, the score that is needed.",
        question="A head looks for an earlier copy of its word. Does rotation help or hinder, and from which distance "
        "on?",
        answer="It hinders. The rotated score falls with the distance, and with the score 30 it can lie below the "
        "dotted line from some hundred tokens on. Not rotated it stays 30, and the line comes so high only in a text "
        "of e³⁰ tokens. But a head that does not rotate cannot tell where the copy is.",
        controls=[
            Slider(e, "tokens back:", 1, FURTHEST - 1, 8, shown=2**e),
            Slider(score, "score of the copy, right beside:", 10, 40, 30),
        ],
        marks=[
            box(middle(i), score * (least[i] + most[i]) / 2, bar, 0.35, Each(i, 0, count - 1), "a"),
            line(middle(i), score * mean[i], Each(i, 0, count - 1), "a"),
            line(v, score, Each(v, 1, FURTHEST, 2), "b"),
            line(v, v * sp.log(2), Each(v, 1, FURTHEST, 2), "quiet"),
            line(e, v, Each(v, -20, 42, 2), "quiet"),
            draggable(dots(e, score, look="b"), e, score),
            text(FURTHEST, score + sp.Rational(14, 5), "not rotated", look="b", anchor="end"),
            text(FURTHEST, 7, "needed", anchor="end"),
            text(sp.Rational(6, 5), -sp.Rational(14, 5), "rotated: least to most", look="a", anchor="start"),
        ],
        say=[
            Say("Rotated, from there to a fifth further back: at least", score * least[here], 1),
            Say("and on average", score * mean[here], 1),
            Say("Needed for half of the weight:", e * sp.log(2), 1),
        ],
        view=(1, FURTHEST, -20, 44),
        frames=[{"e": 4}, {"e": 12}],
        axes=(
            Axis("tokens back", {1: "2", 4: "16", 8: "256", 12: "4,096", 16: "65,536"}),
            Axis("score", {-20: "−20", 0: "0", 20: "20", 40: "40"}),
        ),
        tables={name: rounded(row, 7) for name, row in zip((least, mean, most), stretches(), strict=True)},
    )


def truth(e: int, score: int) -> Said:
    """Here the word itself is rotated, at each distance of the stretch."""
    torch.manual_seed(0)
    word = torch.randn(64, 2, dtype=torch.float64).flatten()
    word *= (score / word.square().sum()).sqrt()
    back = torch.arange(2**e, round(2 ** (e + 0.25)) if e > 1 else 3)
    scores = rotate(word.expand(len(back), -1), position_angles(back, geometric_freqs(128))) @ word
    return [scores.min().item(), scores.mean().item(), math.log(2**e)]
