"""What FIRE's network reads of a distance: one curve up to the threshold, and another for each query beyond it."""

import sympy as sp
import torch

from bookkit.movable import Axis, Each, Movable, Say, Slider, dots, line
from bookkit.movable.truth import Said
from posenc_lib.relative import fire_ratio

NEAR, FARTHEST = 6, 14


def rescaled_distances() -> Movable:
    e, l, c = sp.symbols("e l c", real=True)
    x = sp.Symbol("x", real=True)

    def psi(distance):
        return sp.log(1 + c * distance)

    def read(at, query):  # both are powers of 2; a curve ends at the first key
        return psi(2**at) / psi(2 ** sp.Max(l, query))

    along = Each(x, 0, FARTHEST, 57)
    return Movable(
        name="rescaled_distances",
        alt="Two curves over the tokens back, on an axis that doubles: what the network reads for a query at the "
        "threshold, and for the chosen query. Both rise to 1 at most. A dot marks the key 64 tokens back.",
        question="A key lies 64 tokens back. If the query's position doubles again and again, how long does the key "
        "keep its number?",
        answer="Up to L all queries lie on one curve, which grows longer: 64 tokens back reads 0.506 for each. "
        "Beyond L the whole curve is pressed down so that it ends at 1, and the same 64 tokens look nearer and "
        "nearer.",
        controls=[
            Slider(e, "query at m =", NEAR, FARTHEST, 7, shown=2**e),
            Slider(l, "threshold L =", 4, 12, 9, shown=2**l),
            Slider(c, "c =", 0.05, 1, 0.1, 0.05, digits=2),
        ],
        marks=[
            line(sp.Min(x, l), read(sp.Min(x, l), l), along, "quiet"),
            line(sp.Min(x, e), read(sp.Min(x, e), e), along, "a"),
            dots(NEAR, read(NEAR, e), look="b"),
        ],
        say=[
            Say("Read for the key 64 tokens back:", read(NEAR, e), 3),
            Say("Read for the farthest key:", read(e, e), 3),
        ],
        view=(-0.3, FARTHEST + 0.3, 0, 1.05),
        play=e,
        frames=[{"e": 9}, {"e": 13}],
        axes=(
            Axis("tokens back", {at: f"{2**at:,}" for at in range(0, FARTHEST, 3)}),
            Axis("what the network reads", {0: "0", 0.5: "0.5", 1: "1"}),
        ),
    )


def truth(e: int, l: int, c: float) -> Said:
    m = 2**e
    return fire_ratio(torch.tensor([m]), torch.tensor([m - 64, 0]), c, 2.0**l)[0].tolist()
