"""A score with positions added, in four parts: which of them stay when both words move through the text together?"""

import math

import sympy as sp
import torch

from bookkit.movable import Each, Movable, Say, Slider, box, line, rounded, text
from bookkit.movable.truth import Said
from posenc_lib.absolute import sinusoidal

D, LAST, FAR = 8, 40, 8  # features; the last place of the query; most tokens back
NAMES = ("word with word", "word with place", "place with word", "place with place", "the score")


def tables() -> list[torch.Tensor]:
    """Word with word; word with place n; place m with word; place m with place m − back."""
    draw = torch.Generator().manual_seed(55)
    x, y = torch.randn(2, D, dtype=torch.float64, generator=draw)
    w_q, w_k = torch.randn(2, D, D, dtype=torch.float64, generator=draw) / D**0.5
    w_k = w_k / D**0.5  # the scores are divided by this
    p = sinusoidal(torch.arange(LAST + 1), D, base=100.0, dtype=torch.float64)
    m, back = torch.arange(FAR, LAST + 1), torch.arange(FAR + 1)
    places = (p @ w_q) @ (p @ w_k).T
    return [
        ((x @ w_q) @ (y @ w_k))[None],
        p @ w_k @ (x @ w_q),
        p @ w_q @ (y @ w_k),
        places[m[:, None], m[:, None] - back],
    ]


def four_terms() -> Movable:
    m, back, t = sp.symbols("m d t", real=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)
    words, to_place, from_place, places = named = [sp.IndexedBase(name, real=True) for name in ("ww", "wp", "pw", "pp")]
    parts = [words[0], to_place[m - back], from_place[m], places[m - FAR, back]]
    bars = [*parts, sum(parts)]
    marks = []
    for row, bar in enumerate(bars):
        size, look = (sp.Abs(bar), sp.Rational(3, 5)), "b" if row == len(parts) else "a"
        marks.append(box(bar / 2, -row, size, sp.Rational(4, 5), look=look))
    return Movable(
        name="four_terms",
        alt="Five bars to the left and right of a line at zero: word with word, word with place, place with word, "
        "place with place, and their sum, the score.",
        question="A word looks at the word 2 tokens back. If both move through the text, the words and their "
        "distance stay the same. Which of the five bars stay as well?",
        answer="Only the first, word with word. Where a place meets a word, the place is all that counts, and even "
        "place with place does not keep to the distance. So the score of the same two words at the same distance "
        "changes throughout the text.",
        controls=[
            Slider(m, "place of the word that looks:", FAR, LAST, 12),
            Slider(back, "the other lies so many tokens back:", 0, FAR, 2),
        ],
        marks=[
            *marks,
            line(0, t, Each(t, -4.5, 0.5, 2), "quiet"),
            text(sp.Rational(-39, 20), -i, NAMES, Each(i, 0, 4), anchor="end"),
        ],
        say=[
            Say("Place with place:", parts[3], 2),
            Say("The score, the sum of all four:", bars[4], 2),
        ],
        view=(-5, 2.2, -4.6, 0.6),
        play=m,
        frames=[{"m": 12}, {"m": 20}],
        tables=dict(zip(named, (rounded(table, 6) for table in tables()), strict=True)),
    )


def truth(m: int, d: int) -> Said:
    """Each term as what is left of the score when words or places are taken away."""
    draw = torch.Generator().manual_seed(55)
    x, y = torch.randn(2, 8, dtype=torch.float64, generator=draw)
    w_q, w_k = torch.randn(2, 8, 8, dtype=torch.float64, generator=draw)
    p, r = sinusoidal(torch.tensor([m, m - d]), 8, base=100.0, dtype=torch.float64)
    return [((a @ w_q) @ (b @ w_k) / 8 / math.sqrt(8)).item() for a, b in ((p, r), (x + p, y + r))]
