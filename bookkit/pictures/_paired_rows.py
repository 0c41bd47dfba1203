"""Weights trained with pairs of neighbours, in a program that pairs the halves: which features it turns together."""

import sympy as sp
import torch

from bookkit.movable import Choice, Each, Movable, Say, Slider, box, line, only, rounded, text
from bookkit.movable.truth import Said
from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import Rotary, convert_layout

D, BASE = 8, 100.0
PAIRS = D // 2
NAMES = ("a₁", "a₂", "b₁", "b₂", "c₁", "c₂", "d₁", "d₂")  # the two features of pair a, and so on


def vectors() -> torch.Tensor:
    """A query and a key, in the order of the training."""
    draw = torch.Generator().manual_seed(1)
    return torch.randn(2, D, dtype=torch.float64, generator=draw)


def paired_rows() -> Movable:
    p, r, t, u = sp.symbols("p r t u", real=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)
    q, k, theta = (sp.IndexedBase(name) for name in ("q", "k", "theta"))

    def place(feature, sorted_):
        """Where a feature of the training lies: as it was, or all first ones and then all second ones."""
        return (1 - sorted_) * feature + sorted_ * (PAIRS * sp.Mod(feature, 2) + sp.floor(feature / 2))

    def at(pair, halves):
        """The two places that the program turns together, as pair number so and so."""
        return (1 - halves) * 2 * pair + halves * pair, (1 - halves) * (2 * pair + 1) + halves * (pair + PAIRS)

    def origin(where):
        """The feature of the training that lies at a place."""
        return (1 - r) * where + r * (2 * sp.Mod(where, PAIRS) + sp.floor(where / PAIRS))

    def score(first, second):
        cos, sin = sp.cos(t * theta[i]), sp.sin(t * theta[i])
        same = q[first] * k[first] + q[second] * k[second]
        crossed = q[first] * k[second] - q[second] * k[first]
        return sp.Sum(same * cos + crossed * sin, (i, 0, PAIRS - 1))

    left, right = at(i, p)
    fits = sp.Eq(sp.floor(origin(left) / 2), sp.floor(origin(right) / 2))
    middle, reach = (left + right) / 2, (right - left) / 2
    each, arc = Each(i, 0, PAIRS - 1), Each(u, 0, 3.1416, 25)

    def arcs(shown, look):
        x = only(shown, middle - reach * sp.cos(u))
        return line(x, sp.Rational(1, 2) + sp.Rational(3, 5) * sp.sqrt(reach) * sp.sin(u), [each, arc], look)

    return Movable(
        name="paired_rows",
        alt="Eight features in a row, named a₁, a₂ to d₁, d₂ after the pairs of the training. Arcs join the two places "
        "that a program rotates together: solid where both features are of one pair, dashed where they are not.",
        question="Trained with neighbours as pairs, run with halves: in which order must the features stand, so that "
        "each arc joins a pair?",
        answer="All first features, then all second ones: a₁, b₁, c₁, d₁, a₂, b₂, c₂, d₂. Then the places that the "
        "program joins hold the two features of one pair again, and the score is as trained at every distance. "
        "Unsorted it is right where nothing has been rotated, at distance 0, and raises no error elsewhere.",
        controls=[
            Choice(p, "the program pairs", ("neighbours", "halves"), 1),
            Choice(r, "features", ("as trained", "sorted")),
            Slider(t, "tokens from key to query:", 0, 20, 3),
        ],
        marks=[
            arcs(fits, "a"),
            arcs(sp.Not(fits), "b"),
            box(i, 0, (0.8, 0.8), 0.15, Each(i, 0, D - 1), "quiet"),
            text(place(i, r), 0, NAMES, Each(i, 0, D - 1)),
        ],
        say=[
            Say("Score as trained:", score(2 * i, 2 * i + 1), 2),
            Say("and in this program:", score(origin(left), origin(right)), 2),
        ],
        view=(-0.6, D - 0.4, -0.5, 2),
        play=t,
        frames=[{"p": 1, "r": 0}, {"p": 1, "r": 1}],
        tables={
            q: rounded(vectors()[0]),
            k: rounded(vectors()[1]),
            theta: rounded(geometric_freqs(D, BASE)),
        },
    )


def truth(p: int, r: int, t: int) -> Said:
    """A program rotates what lies before it; the checkpoint is made to fit with the library's own converter."""
    q, k = torch.randn(2, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    at, freqs = (torch.tensor([t]), torch.tensor([0])), geometric_freqs(8, 100.0)
    loaded = [convert_layout(x, 1, source="interleaved", target="half") if r else x for x in (q, k)]
    runs = (
        Rotary(freqs)(q[None], k[None], *at),
        Rotary(freqs, "half" if p else "interleaved")(loaded[0][None], loaded[1][None], *at),
    )
    return [(a @ b.T).item() for a, b in runs]
