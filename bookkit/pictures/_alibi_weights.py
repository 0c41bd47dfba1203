"""ALiBi's weights by distance, and one far key that wants to be heard."""

import sympy as sp
import torch

from bookkit.movable import Axis, Each, Movable, Say, Slider, box, draggable
from bookkit.movable.truth import Said, numbers
from posenc_lib import Slots, attention_weights
from posenc_lib.relative import Alibi

LONGEST, NEAR = 64, 8


def alibi_weights() -> Movable:
    e, n, far, c = sp.symbols("e n far c", real=True)
    x, y = sp.symbols("x y", integer=True, nonnegative=True)
    slope, total = sp.symbols("slope total", positive=True)

    def share(distance):  # before it is divided by the sum of all
        bonus = sp.Piecewise((c, sp.Eq(distance, far)), (0, True))
        return sp.Piecewise((sp.exp(bonus - slope * distance), distance < n), (0, True))

    weight = share(x) / total
    return Movable(
        name="alibi_weights",
        alt="Bars of the attention weights of 64 keys by their distance from the query. They fall by the same "
        "factor with each token; one far key has a bonus on its score.",
        question="All keys have the same score, but for a bonus on the one far key. How large must the bonus be for "
        "it to weigh as much as the nearest key, if it lies 40 tokens back and the slope is 1/8?",
        answer="40/8 = 5. Each token of distance costs the slope s, so a key d tokens back pays s·d, and a bonus of "
        "s·d makes up for it. A longer text changes little: beyond a few times 1/s tokens the weights are "
        "too small to count.",
        controls=[
            Slider(e, "slope s: 1 /", 1, 8, 3, shown=2**e),
            Slider(n, "number of keys:", 8, LONGEST, LONGEST),
            Slider(far, "distance of the far key:", 0, LONGEST - 1, 40),
            Slider(c, "its bonus on the score:", 0, 6, 3.5, 0.5, digits=1),
        ],
        marks=[
            box(
                x,
                share(x) / total / 2,
                (sp.Rational(4, 5), share(x) / total),
                sp.Piecewise((0, sp.Eq(x, far)), (1, True)),
                Each(x, 0, LONGEST - 1),
            ),
            draggable(box(far, share(far) / total / 2, (sp.Rational(4, 5), share(far) / total), look="b"), far, c),
        ],
        say=[
            Say("Weight of the nearest key:", weight.subs(x, 0) * 100, 2, "%"),
            Say("Weight of the far key:", weight.subs(x, far) * 100, 2, "%"),
            Say(
                f"Weight of the last {NEAR} tokens together:", sp.Sum(share(y), (y, 0, NEAR - 1)) / total * 100, 1, "%"
            ),
        ],
        view=(-0.7, LONGEST, 0, 0.42),
        frames=[{"e": 3, "c": 0}, {"e": 3, "c": 5}],
        axes=(
            Axis("distance m − n, in tokens back", {at: str(at) for at in (0, 16, 32, 48, 63)}),
            Axis("weight", {0: "0", 0.2: "20 %", 0.4: "40 %"}),
        ),
        lets={slope: 2**-e, total: sp.Sum(share(y), (y, 0, LONGEST - 1))},
    )


def truth(e: int, n: int, far: int, c: float) -> Said:
    k = torch.zeros(n, 1, dtype=torch.float64)
    if far < n:
        k[n - 1 - far] = c
    slots = Slots(bias=Alibi(numbers(2.0**-e)))
    ones = torch.ones(1, 1, 1, dtype=torch.float64)
    weights = 100 * attention_weights(ones, k[None], slots, q_positions=torch.tensor([n - 1])).flatten().flip(0)
    return [weights[0].item(), weights[far].item() if far < n else 0.0, weights[:8].sum().item()]
