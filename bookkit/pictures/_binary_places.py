"""The first sixteen places in binary: which bits flip when one goes a step further?"""

import sympy as sp

from bookkit.movable import Each, Movable, Say, Slider, box, draggable, line, text
from bookkit.movable.truth import Said

BITS, PLACES = 4, 16


def bit(j: object, m: object) -> sp.Expr:
    return sp.floor(m / 2**j) - 2 * sp.floor(m / 2 ** (j + 1))


def binary_places() -> Movable:
    m = sp.Symbol("m", real=True)
    t, i, j = sp.symbols("t i j", integer=True, nonnegative=True)
    each, rows = Each(i, 0, PLACES - 1), Each(j, 0, BITS - 1)
    wide = sp.Rational(19, 20)
    return Movable(
        name="binary_places",
        alt="Sixteen columns for the places 0 to 15, and four rows for their bits. A filled cell is a 1. In the lowest "
        "row the cells alternate, in the next they come in twos, then in fours, then in eights.",
        question="Each column is a position in binary, a filled cell a 1. From one to the next, how often does each "
        "row flip, and how many bits flip in one step?",
        answer="The lowest row flips at every step, the next at every second, then at every fourth and eighth. But one "
        "step flips one bit from 8 to 9, and all four from 7 to 8: the same step is sometimes small, sometimes large.",
        controls=[Slider(m, "position =", 0, PLACES - 2, 7)],
        marks=[
            box(i, j, (wide, wide), sp.Rational(1, 20) + sp.Rational(3, 5) * bit(j, i), [each, rows]),
            line(m + t - sp.Rational(1, 2), sp.Rational(7, 2), Each(t, 0, 1), "c"),
            line(m + t - sp.Rational(1, 2), -sp.Rational(1, 2), Each(t, 0, 1), "c"),
            line(m - sp.Rational(1, 2), 4 * t - sp.Rational(1, 2), Each(t, 0, 1), "c"),
            draggable(line(m + sp.Rational(1, 2), 4 * t - sp.Rational(1, 2), Each(t, 0, 1), "c"), m),
            text(2 * i, -1, [str(place) for place in range(0, PLACES, 2)], Each(i, 0, PLACES // 2 - 1)),
            text(-0.8, j, [f"bit {2**power}" for power in range(BITS)], rows, anchor="end"),
        ],
        say=[
            Say(
                "Bits that flip on the step to the next position:",
                sp.Sum(sp.Abs(bit(j, m + 1) - bit(j, m)), (j, 0, 3)),
                0,
            )
        ],
        view=(-3.7, 15.8, -1.4, 3.7),
        play=m,
        frames=[{"m": 7}, {"m": 8}],
    )


def truth(m: int) -> Said:
    return [(m ^ (m + 1)).bit_count()]
