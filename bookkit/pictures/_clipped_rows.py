"""One learned vector for each distance up to a reach: which keys share one, and which change theirs on the way?"""

import sympy as sp
import torch

from bookkit.movable import Each, Movable, Say, Slider, arrow, box, draggable, only, text
from bookkit.movable.truth import Said
from posenc_lib.relative import clipped

N, MOST = 13, 4  # tokens; the longest reach
SIDE = sp.Rational(9, 10)


def clipped_rows() -> Movable:
    m, reach = sp.symbols("m K", real=True)
    n = sp.Symbol("n", integer=True, nonnegative=True)
    v = sp.Symbol("v", integer=True)

    def clip(distance):
        return sp.Max(-reach, sp.Min(reach, distance))

    def shade(distance):
        return sp.Rational(1, 10) + (distance + reach) / (2 * reach + 1) * sp.Rational(7, 10)

    keys, rows = Each(n, 0, N - 1), Each(v, -MOST, MOST)
    names = [f"{back}".replace("-", "−") for back in range(-MOST, MOST + 1)]
    middle, up = (N - 1) // 2, 2
    in_table, has_it = sp.Abs(v) <= reach, sp.Eq(clip(m - n), v)
    return Movable(
        name="clipped_rows",
        alt="Above, a short table with a vector for each number of tokens back. Below, a text of 13 tokens in a row of "
        "boxes, each with the number of the vector that the query takes for it.",
        question="Each key's number says which vector of the table the query takes for it. Move the query one token: "
        "how many change?",
        answer="Four, all of them near the query. The keys beyond its reach share the first or the last vector, before "
        "the move and after it. So with a reach of 2 the table needs 2 · 2 + 1 = 5 vectors, however long the text is.",
        controls=[
            Slider(m, "place of the query:", 0, N - 1, 6),
            Slider(reach, "reach:", 1, MOST, 2),
        ],
        marks=[
            text(middle, up + 1, "the table, by tokens back"),
            box(only(in_table, middle - v), up, (SIDE, SIDE), shade(v), rows),
            text(only(in_table, middle - v), up, names, rows),
            box(n, 0, (SIDE, SIDE), shade(clip(m - n)), keys),
            text(only(has_it, n), 0, names, [keys, rows]),
            draggable(arrow(m, sp.Rational(-11, 20), (m, sp.Rational(-6, 5)), look="b"), m),
            text(sp.Max(sp.Rational(1, 2), sp.Min(N - sp.Rational(3, 2), m)), sp.Rational(-3, 2), "query", look="b"),
        ],
        say=[
            Say("Vectors in the table:", 2 * reach + 1, 0),
            Say("Keys that share the vector for the farthest back:", sp.Max(m - reach + 1, 0), 0),
        ],
        view=(-0.6, N - 0.4, -1.9, 3.4),
        play=m,
        frames=[{"m": 6}, {"m": 7}],
    )


def truth(m: int, K: int) -> Said:
    rows = clipped(m - torch.arange(13), K, K)
    return [2 * K + 1, (rows == 0).sum().item()]
