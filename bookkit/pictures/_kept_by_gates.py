"""What forget gates leave of a text: every token keeps a share of what came before it, and full stops keep little."""

import sympy as sp
import torch

from bookkit.movable import Axis, Each, Movable, Say, Slider, box, draggable
from bookkit.movable.truth import Said, numbers
from posenc_lib.content import gate_bias

LAST, STOPS = 23, (7, 15)


def kept_by_gates() -> Movable:
    f, g, m = sp.symbols("f g m", real=True)
    x, y = sp.symbols("x y", integer=True, nonnegative=True)
    total = sp.Symbol("total", positive=True)

    def kept(token):  # before it is divided by the sum of all
        stops = sum(sp.Piecewise((1, (token < stop) & (stop <= m)), (0, True)) for stop in STOPS)
        return sp.Piecewise((f ** (m - token - stops) * g**stops, token <= m), (0, True))

    shade = sp.Piecewise((1, sp.Or(*[sp.Eq(x, stop) for stop in STOPS])), (sp.Rational(1, 2), True))
    before = sp.Sum(kept(y), (y, 0, STOPS[-1] - 1)) / total
    return Movable(
        name="kept_by_gates",
        alt="Bars of the attention weights of 24 tokens, all with the same score, for a query near the end. They fall "
        "slowly from token to token, and by a step at each of the two full stops.",
        question="All scores are equal. How small must the gate of a full stop be, for what lies before the last one "
        "to get less than a tenth of the weight? And which token does the gate spare?",
        answer="With f = 0.95, about 0.15. All that came before is cut to 0.15 of its weight at once, and the first "
        "sentence twice; the full stop itself is spared. At g = f the bars are those of ALiBi.",
        controls=[
            Slider(f, "gate of a word, f =", 0.5, 1, 0.95, 0.05, digits=2),
            Slider(g, "gate of a full stop, g =", 0.05, 1, 0.5, 0.05, digits=2),
            Slider(m, "position of the query, m =", 0, LAST, LAST),
        ],
        marks=[
            box(x, kept(x) / total / 2, (sp.Rational(4, 5), kept(x) / total), shade, Each(x, 0, LAST)),
            draggable(box(m, kept(m) / total / 2, (sp.Rational(4, 5), kept(m) / total), look="b"), m),
        ],
        say=[
            Say("Weight of the tokens 0 to 14 together:", before * 100, 1, "%"),
            Say("Weight of the token at 0:", kept(sp.Integer(0)) / total * 100, 2, "%"),
        ],
        view=(-0.7, LAST + 0.7, 0, 0.3),
        axes=(
            Axis("token; full stops at 7 and 15", {at: str(at) for at in (0, 7, 15, LAST)}),
            Axis("weight", {0: "0", 0.1: "10 %", 0.2: "20 %"}),
        ),
        lets={total: sp.Sum(kept(y), (y, 0, LAST))},
        frames=[{"g": 0.95}, {"g": 0.1}],
    )


def truth(f: float, g: float, m: int) -> Said:
    gates = numbers(*[g if token in (7, 15) else f for token in range(m + 1)])
    weights = 100 * gate_bias(gates.log(), torch.tensor([m]), torch.arange(m + 1))[0].softmax(-1)
    return [weights[:15].sum().item(), weights[0].item()]
