"""All products of two position vectors as a map, and what a matrix between them does to its stripes."""

import sympy as sp
import torch

from bookkit.movable import Axis, Each, Movable, Say, Slider, box, dots, draggable, rounded
from bookkit.movable.truth import Said
from posenc_lib.absolute import sinusoidal

N, D, LATER = 24, 16, 8


def maps() -> tuple[torch.Tensor, torch.Tensor]:
    """p_m · p_n, and p_m W p_n for a random W whose entries have variance 1/d; both divided by d/2."""
    p = sinusoidal(torch.arange(N), D, base=100.0, dtype=torch.float64)
    random = torch.randn(D, D, dtype=torch.float64, generator=torch.Generator().manual_seed(1)) / D**0.5
    return p @ p.T / (D / 2), p @ random @ p.T / (D / 2)


def dot_product_map() -> Movable:
    w, m, n = sp.symbols("w m n", real=True)
    i, j = sp.symbols("i j", integer=True, nonnegative=True)
    same, mixed = sp.IndexedBase("same"), sp.IndexedBase("mixed")

    def score(row, column):
        return (1 - w) * same[row, column] + w * mixed[row, column]

    ticks = (0, 8, 16, 23)
    return Movable(
        name="dot_product_map",
        alt="A map of the products of the position vectors of 24 queries, downwards, and 24 keys, across. It is "
        "striped along the diagonals; a random matrix between the vectors breaks the stripes.",
        question="Equal distance, equal score: the map has stripes. What happens to them when W goes from the "
        "identity to a random matrix?",
        answer="They break up. Along a diagonal the scores of an equal distance now differ, so distance alone no "
        "longer decides the score. The sinusoid offers the distance, and W has to keep it; the rotary "
        "encoding leaves no choice.",
        controls=[
            Slider(w, "how random W is:", 0, 1, 0, 0.05, digits=2),
            Slider(m, "query m =", 0, 15, 4),
            Slider(n, "key n =", 0, 15, 9),
        ],
        marks=[
            box(
                j,
                N - 1 - i,
                (1, 1),
                (score(i, j) + sp.Rational(2, 5)) * sp.Rational(5, 7),
                [Each(i, 0, N - 1), Each(j, 0, N - 1)],
            ),
            draggable(dots(n, N - 1 - m, look="b"), m, n),
            dots(n + LATER, N - 1 - m - LATER, look="b"),
        ],
        say=[
            Say("Score of m and n:", score(m, n), 4),
            Say("Score eight tokens later, of m + 8 and n + 8:", score(m + LATER, n + LATER), 4),
        ],
        view=(-0.5, N - 0.5, -0.5, N - 0.5),
        play=w,
        frames=[{"w": 0}, {"w": 0.4}, {"w": 1}],
        axes=(
            Axis("position of the key", {at: str(at) for at in ticks}),
            Axis("position of the query", {N - 1 - at: str(at) for at in ticks}),
        ),
        tables={table: rounded(values, 5) for table, values in zip((same, mixed), maps(), strict=True)},
    )


def truth(w: float, m: int, n: int) -> Said:
    p = sinusoidal(torch.arange(24), 16, base=100.0, dtype=torch.float64)
    noise = torch.randn(16, 16, dtype=torch.float64, generator=torch.Generator().manual_seed(1)) / 4
    between = (1 - w) * torch.eye(16, dtype=torch.float64) + w * noise
    scores = p @ between @ p.T / 8
    return [scores[m, n].item(), scores[m + 8, n + 8].item()]
