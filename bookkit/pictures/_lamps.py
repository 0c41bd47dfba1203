"""ALiBi's eight heads as lamps: how far each shines, wherever the reader stands, and where float16 puts it out."""

import math

import sympy as sp
import torch

from bookkit.movable import Choice, Each, Movable, Say, Slider, box, dots, draggable, only, text
from bookkit.movable.truth import Said
from posenc_lib import Slots, attention_weights
from posenc_lib.relative import Alibi, alibi_slopes

HEADS, SHOWN, HIGH, NEAR = 8, 64, 3.6, 8  # rows and columns, the height of a row, what counts as near
NAMES, DTYPES = ("float32", "bfloat16", "float16"), (torch.float32, torch.bfloat16, torch.float16)
LEAST = [int(math.log2(torch.finfo(dtype).smallest_normal * torch.finfo(dtype).eps)) for dtype in DTYPES]


def lamps() -> Movable:
    m, longer, kept, keys, zero = sp.symbols("m b p keys zero", real=True)
    i, row = sp.symbols("i row", integer=True, nonnegative=True)
    rows, every = Each(row, 0, HEADS - 1), Each(i, 0, SHOWN - 1)
    slope, above, right = 2 ** -(row + 1), 3.2, SHOWN - 0.5
    text_long = SHOWN * 2**longer
    least = sp.Piecewise(
        *((2.0**power, sp.Eq(kept, k)) for k, power in enumerate(LEAST[:-1])), (2.0 ** LEAST[-1], True)
    )

    def total(slope):  # of exp(−s·d) over all keys up to the reader
        return (1 - sp.exp(-slope * keys)) / (1 - sp.exp(-slope))

    light, halved = sp.exp(-slope * (m - i)), m - sp.log(2) / slope
    cell = (0.9, HIGH - 0.4)
    lit = sp.And(i <= m, light > zero * total(slope))
    steepest = sp.Rational(1, 2)
    return Movable(
        name="lamps",
        alt="Eight rows of 64 tokens, one row for each head. From the reader to the left a light fades: within a few "
        "tokens in the first row, half as fast in each row below. A tick marks where it has halved.",
        question="ALiBi's eight heads, each a lamp. If the reader walks on, which lamps change?",
        answer="None. A key d tokens back has exp(−s·d) times the weight of the reader's own token, at every position "
        "and in a text of any length: that is the shade. Half the slope shines twice as far. What a lamp shows can "
        "vanish, though: in float16 a weight below 2⁻²⁵ becomes 0, and the first head loses all but 33 keys.",
        controls=[
            Slider(m, f"the reader, among the last {SHOWN} tokens:", 0, SHOWN - 1, 9),
            Slider(longer, "tokens in the text:", 0, 6, 0, shown=text_long),
            Choice(kept, "weights are kept in", NAMES),
        ],
        marks=[
            box(only(sp.Or(i > m, lit), i), -HIGH * row, cell, sp.Rational(1, 8), [rows, every], "quiet"),
            box(only(lit, i), -HIGH * row, cell, light, [rows, every]),
            box(only(halved > -0.5, halved), -HIGH * row, (0.5, HIGH), 1, rows, "b"),
            draggable(dots(m, above), m),
            text(only(m < SHOWN // 2, m + 3), above, "reader", look="a", anchor="start"),
            text(only(m >= SHOWN // 2, m - 3), above, "reader", look="a", anchor="end"),
            text(-2, above, "slope", anchor="end"),
            text(-2, -HIGH * row, [f"1/{2**power}" for power in range(1, HEADS + 1)], rows, anchor="end"),
            text(0, -HIGH * HEADS, "tick: weight halved", look="b", anchor="start"),
            text(right, -HIGH * HEADS, f"last {SHOWN} tokens", anchor="end"),
        ],
        say=[
            Say(
                f"Nearest {NEAR} keys, slope 1/16:",
                (1 - sp.exp(-sp.Min(NEAR, keys) / 16)) / (1 - sp.exp(-keys / 16)) * 100,
                1,
                "%",
            ),
            Say("The same without a bias:", 100 * sp.Min(NEAR, keys) / keys, 1, "%"),
            Say(
                "Keys that the first head can read:",
                sp.Min(keys, sp.ceiling(-sp.log(zero * total(steepest)) / steepest)),
                0,
            ),
        ],
        view=(-12, right, -HIGH * HEADS - 2, above + 2),
        lets={keys: text_long - SHOWN + m + 1, zero: least / 2},  # half the least number is rounded to 0
        play=m,
        frames=[{"m": 9}, {"m": 63, "p": 2}],
    )


def truth(m: int, b: int, p: int) -> Said:
    n = 64 * 2**b - 63 + m
    q, k = torch.zeros(8, 1, 1, dtype=torch.float64), torch.zeros(8, n, 1, dtype=torch.float64)
    alibi = Slots(bias=Alibi(alibi_slopes(8, dtype=torch.float64)))
    weights, alike = (attention_weights(q, k, slots, q_positions=torch.tensor([n - 1])) for slots in (alibi, Slots()))
    near = [100 * each[3, 0, -8:].sum().item() for each in (weights, alike)]
    return [*near, (weights[0].to(DTYPES[p]) > 0).sum().item()]
