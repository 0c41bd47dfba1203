"""The sum of cosines against the distance: how far out it first falls below 0, by the base and by the features."""

import math

import sympy as sp

from bookkit.movable import Axis, Each, Movable, Say, Slider, dots, line
from bookkit.movable.truth import Said
from posenc_lib.extension import first_negative
from posenc_lib.pairs import geometric_freqs

SMALLEST, DOUBLINGS = 1_000.0, 10  # bases
NARROWEST, WIDEST = 5, 7  # features, as powers of 2
REACH = 16  # the last distance, as a power of 2


def first_below_zero() -> list[list[int]]:
    """By the features, and by the base in half doublings; two steps more than the slider has."""
    return [
        [first_negative(geometric_freqs(2**w, SMALLEST * 2 ** (e / 2)), 2**REACH) for e in range(2 * DOUBLINGS + 3)]
        for w in range(NARROWEST, WIDEST + 1)
    ]


def cosine_sums() -> Movable:
    e, w, u, base, pairs, first = sp.symbols("e w u base pairs first", real=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)
    table = sp.IndexedBase("table")

    def share(distance):
        wave = sp.Piecewise((sp.cos(distance * base ** (-i / pairs)), i < pairs), (0, True))
        return sp.Sum(wave, (i, 0, 2 ** (WIDEST - 1) - 1)) / pairs

    return Movable(
        name="cosine_sums",
        alt="A curve of the sum of cosines against the distance, which grows from 1 to 65,536 in powers of 2. It "
        "starts near its largest value, comes down in ripples, and swings around 0 at large distances. A dot marks "
        "the first distance at which it is below 0.",
        question="A larger base slows all pairs but the first. From 8,000 to 16,000, does the first distance below 0 "
        "move out?",
        answer="No, it comes in, from 1,053 to 813. The curve as a whole moves to the right, but its ripples move "
        "too, each at its own speed, and one that stayed above 0 now reaches below it. With 128 features this pair "
        "of bases does move it out, from 1,537 to 2,724.",
        controls=[
            Slider(e, "base b =", 0, 2 * DOUBLINGS, 6, shown=SMALLEST * 2 ** (e / 2)),
            Slider(w, "features d =", NARROWEST, WIDEST, 6, shown=2**w),
        ],
        marks=[
            line(u, 0, Each(u, 0, REACH, 2), "quiet"),
            line(u, share(sp.floor(2**u)), Each(u, 0, REACH, 30 * REACH + 1), "a"),
            dots(sp.log(first) / sp.log(2), share(first), look="b"),
        ],
        say=[
            Say("First below 0 at distance", first, 0, "with this base,"),
            Say("and with twice the base at", table[w - NARROWEST, e + 2], 0),
        ],
        view=(0, REACH, -0.45, 1.05),
        play=e,
        frames=[{"e": 6, "w": 6}, {"e": 8, "w": 6}],
        axes=(
            Axis("distance, in tokens back", {0: "1", 4: "16", 8: "256", 12: "4,096", 16: "65,536"}),
            Axis("share of the sum at distance 0", {0: "0", 0.5: "0.5", 1: "1"}),
        ),
        tables={table: first_below_zero()},
        lets={base: SMALLEST * 2 ** (e / 2), pairs: 2 ** (w - 1), first: table[w - NARROWEST, e]},
    )


def truth(e: int, w: int) -> Said:
    bases = (1_000.0 * math.sqrt(2) ** e, 2_000.0 * math.sqrt(2) ** e)
    return [first_negative(geometric_freqs(2**w, base), 2**16) for base in bases]
