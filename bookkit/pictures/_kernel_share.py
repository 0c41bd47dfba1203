"""Whether the nearest keys keep their share of the weight as the text grows: four biases by distance."""

import sympy as sp
import torch

from bookkit.movable import Axis, Choice, Each, Movable, Say, Slider, dots, line
from bookkit.movable.truth import Said
from posenc_lib.relative import Alibi, log_kernel, power_kernel

NEAR, SHORTEST, LONGEST = 8, 3, 10
KINDS = ("line", "square root", "logarithm", "flat from 64 on")


def kernel_share() -> Movable:
    e, r, which = sp.symbols("e r which", real=True)
    x, y = sp.symbols("x y", integer=True, nonnegative=True)
    pick = sp.IndexedBase("pick")
    near, total, at = sp.symbols("near total at", positive=True)

    def weight(t):
        falls = (t / 16, sp.sqrt(t), sp.log(1 + t), sp.log(1 + sp.Min(t, 64)))
        return sp.exp(-r * sum(pick[which, k] * fall for k, fall in enumerate(falls)))

    def share(keys):
        return near / sp.Sum(weight(y), (y, 0, keys - 1))

    return Movable(
        name="kernel_share",
        alt="A curve of the share of the nearest 8 keys against the number of keys, on an axis that doubles from 8 to "
        "1,024. The curve has been drawn up to the chosen number of keys, where a dot marks its end.",
        question="All keys have equal content, and the text grows. With the logarithm and strength 1, does the share "
        "of the nearest 8 keys settle? And with strength 2?",
        answer="With 1 it goes on falling: each doubling adds about the same to the sum of all weights, without end. "
        "With 2 it settles at 93 %, for that sum stays below 1.65. The line and the square root settle at any "
        "strength, what is flat at none.",
        controls=[
            Choice(which, "bias", KINDS),
            Slider(r, "strength r:", 0.25, 3, 1, 0.25, digits=2),
            Slider(e, "keys:", SHORTEST, LONGEST, SHORTEST + 1, shown=2**e),
        ],
        marks=[
            line(x, sp.Piecewise((100 * share(2**x), x <= e), (sp.nan, True)), Each(x, SHORTEST, LONGEST), "a"),
            dots(e, 100 * near / total, look="b"),
        ],
        say=[
            Say(f"Share of the nearest {NEAR} keys:", 100 * near / total, 1, "%"),
            Say("Weight of the farthest key, of the nearest one’s:", 100 * weight(at), 3, "%"),
        ],
        view=(SHORTEST - 0.2, LONGEST + 0.2, 0, 105),
        play=e,
        frames=[{"which": 2, "r": strength, "e": LONGEST} for strength in (1, 2)],
        axes=(
            Axis("keys", {at_: str(2**at_) for at_ in range(SHORTEST, LONGEST + 1)}),
            Axis("share of the nearest 8", {0: "0", 50: "50 %", 100: "100 %"}),
        ),
        lets={
            near: sp.Sum(weight(y), (y, 0, NEAR - 1)),
            total: sp.Sum(weight(y), (y, 0, 2**e - 1)),
            at: 2**e - 1,
        },
        tables={pick: [[float(k == option) for k in range(len(KINDS))] for option in range(len(KINDS))]},
    )


def truth(which: int, r: float, e: int) -> Said:
    back, ones = torch.arange(2**e), torch.ones(1, dtype=torch.float64)
    bias = (
        lambda t: Alibi(r * ones / 16).bias_at(t),
        lambda t: power_kernel(r * ones, ones / 2, t),
        lambda t: log_kernel(r * ones, ones, t),
        lambda t: log_kernel(r * ones, ones, t.clamp(max=64)),
    )[which](back)[0]
    weights = 100 * bias.softmax(-1)
    return [weights[:8].sum().item(), (100 * weights[-1] / weights[0]).item()]
