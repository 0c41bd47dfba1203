"""The rotary score against the distance: a query that looks for the token r back, and one that looks for nothing."""

import sympy as sp
import torch

from bookkit.movable import Axis, Choice, Each, Movable, Say, Slider, dots, draggable, line, rounded
from bookkit.movable.truth import Said
from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import Rotary

PAIRS, LONGEST = 32, 128


def strengths() -> list[torch.Tensor]:
    """The squared length of each pair of a key: all equal, or those of a random key. They add up to 1."""
    torch.manual_seed(0)
    random = torch.randn(PAIRS, 2, dtype=torch.float64).square().sum(-1)
    return [torch.full((PAIRS,), 1 / PAIRS, dtype=torch.float64), random / random.sum()]


def score_by_distance() -> Movable:
    r, x, c = sp.symbols("r x c", real=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)
    theta, strength = sp.IndexedBase("theta"), sp.IndexedBase("strength")

    def score(distance):  # of q = R_(−r) k, so that R_distance q meets k again where the distance is r
        return sp.Sum(strength[c, i] * sp.cos((distance - r) * theta[i]), (i, 0, PAIRS - 1))

    return Movable(
        name="score_by_distance",
        alt="A curve of the score against the distance from 0 to 128 tokens, with one highest peak and ripples on "
        "both sides. The peak lies at the distance that the query asks for.",
        question="The query is set to fit a key r tokens back. With r = 60, is the peak at 0 or at 60?",
        answer="At 60, and as high as ever. The rotary encoding does not decay by itself: it moves the peak to "
        "wherever the query asks for. Falling away on both sides of it is what many frequencies do when they "
        "get out of step.",
        controls=[
            Slider(r, "ask for the token r back, r =", 0, 120, 0),
            Choice(c, "the key's pairs", ("equally strong", "random")),
        ],
        marks=[
            line(r, x, Each(x, -0.3, 1.05, 2), "quiet"),
            line(x, score(x), Each(x, 0, LONGEST, 2 * LONGEST + 1), "a"),
            draggable(dots(r, score(r), look="b"), r),
            dots(0, score(0), look="b"),
        ],
        say=[Say("Score at distance r:", score(r), 4), Say("Score at distance 0:", score(0), 4)],
        view=(0, LONGEST, -0.3, 1.1),
        play=r,
        frames=[{"r": 0}, {"r": 60}],
        axes=(
            Axis("distance m − n, in tokens back", {at: str(at) for at in (0, 32, 64, 96, 128)}),
            Axis("score", {0: "0", 0.5: "0.5", 1: "1"}),
        ),
        tables={theta: rounded(geometric_freqs(2 * PAIRS)), strength: rounded(torch.stack(strengths()))},
    )


def truth(r: int, c: int) -> Said:
    torch.manual_seed(0)
    strength = torch.randn(32, 2, dtype=torch.float64).square().sum(-1) if c else torch.ones(32, dtype=torch.float64)
    k = torch.stack(((strength / strength.sum()).sqrt(), torch.zeros(32, dtype=torch.float64)), dim=-1).flatten()[None]
    rotary, zero = Rotary(geometric_freqs(64)), torch.tensor([0])
    q, _ = rotary(k, k, torch.tensor([-r]), zero)  # it meets the key again r tokens later
    scores = [rotary(q, k, torch.tensor([distance]), zero) for distance in (r, 0)]
    return [(a @ b.T).item() for a, b in scores]
