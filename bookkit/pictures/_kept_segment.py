"""A text in two segments, the first of them kept: which numbers tell its keys from those of the second?"""

import sympy as sp
import torch

from bookkit.movable import Choice, Each, Movable, Say, Slider, arrow, box, draggable, only, text
from bookkit.movable.truth import Said
from posenc_lib.relative.distance import pair_distances

LENGTH = 4  # of a segment
LAST = 2 * LENGTH - 1  # the query
SIDE = sp.Rational(9, 10)


def kept_segment() -> Movable:
    n, way = sp.symbols("n w", real=True)
    j, v = sp.symbols("j v", integer=True, nonnegative=True)

    def number(key):
        return sp.Piecewise((key - LENGTH * sp.floor(key / LENGTH), sp.Eq(way, 0)), (LAST - key, True))

    def place(key):  # with a gap between the segments
        return key + sp.floor(key / LENGTH) / 2

    keys, numbers = Each(j, 0, LAST), Each(v, 0, LAST)
    alike = sp.Eq(number(j), number(n))
    return Movable(
        name="kept_segment",
        alt="Eight boxes in two segments of four, with a number in each. The query is the last of them, and an arrow "
        "points at the key that is chosen; boxes with the same number as the key are strong.",
        question="Each segment is numbered from 0, and the first is kept. Which keys will the query take for the one "
        "just before it?",
        answer="Two have the number 2: the key just before the query, and the third of the segment that was kept. "
        "Every number comes twice. Count tokens back from the query instead, and each key has a number of its own, "
        "without a change in anything that was kept.",
        controls=[
            Slider(n, "tokens of the text before the key:", 0, LAST, 1),
            Choice(way, "the numbers count", ("from 0 in each segment", "tokens back from the query")),
        ],
        marks=[
            box(place(j), 0, (SIDE, SIDE), sp.Rational(3, 20), keys, "quiet"),
            box(only(alike, place(j)), 0, (SIDE, SIDE), sp.Rational(1, 2), keys),
            text(only(sp.Eq(number(j), v), place(j)), 0, [str(one) for one in range(LAST + 1)], [keys, numbers]),
            arrow(place(n), sp.Rational(11, 20), (place(n), sp.Rational(6, 5))),
            draggable(text(place(n), sp.Rational(3, 2), "key", look="a"), n),
            arrow(
                place(sp.Integer(LAST)), sp.Rational(-11, 20), (place(sp.Integer(LAST)), sp.Rational(-6, 5)), look="b"
            ),
            text(place(sp.Integer(LAST)), sp.Rational(-3, 2), "query", look="b"),
            text(sp.Rational(3, 2), sp.Rational(-9, 10), "kept"),
        ],
        say=[
            Say("The number of this key:", number(n), 0),
            Say("Keys with this number:", sp.Sum(sp.Piecewise((1, alike), (0, True)), (j, 0, LAST)), 0),
        ],
        view=(-0.6, LAST + 1.1, -1.9, 1.9),
        play=n,
        frames=[{"n": 6, "w": w} for w in (0, 1)],
    )


def truth(n: int, w: int) -> Said:
    at = torch.arange(8)
    of_keys = pair_distances(at[-1:], at)[0] if w else torch.arange(4).repeat(2)
    return [of_keys[n].item(), (of_keys == of_keys[n]).sum().item()]
