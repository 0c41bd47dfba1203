"""RoPE as a field of hands: what turns when two words move on together, and what stays."""

import math

import sympy as sp
import torch

from bookkit.movable import Each, Movable, Say, Slider, box, dots, draggable, line, only, text
from bookkit.movable.truth import Said
from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import Rotary

WORDS = ("the", "cat", "sat", "on", "the", "mat", "and", "saw", "a", "bird", "fly", "up")
COLUMNS, PAIRS, BASE = len(WORDS), 4, 16  # so each row is half as fast as the one above
FURTHEST, NEAREST, APART = 6, 2, 5  # how far both can move, and how few and how many tokens lie between them
ROW, LENGTH, WIDE = sp.Rational(11, 10), sp.Rational(11, 25), sp.Rational(13, 25)  # a hand in the field, and beside it
BESIDE, SCORE = COLUMNS + sp.Rational(17, 20), COLUMNS + sp.Rational(37, 10)
BAND, NAMED, BRACKET = -sp.Rational(3, 2) * ROW, -sp.Rational(87, 20), -sp.Rational(21, 4)


def field_of_hands() -> Movable:
    n, d, t = sp.symbols("n d t", real=True)
    m = sp.Symbol("m", real=True)  # of the query
    i, j, e = sp.symbols("i j e", integer=True, nonnegative=True)
    step = sp.Integer(BASE) ** (-j / sp.Integer(PAIRS))  # how far one token turns pair j
    places, pairs, along = Each(i, 0, COLUMNS - 1), Each(j, 0, PAIRS - 1), Each(t, 0, 1)
    around = Each(t, 0, 1, 33)
    turned, agree = sp.Mod(d * step, 2 * sp.pi), sp.cos(d * step)

    def tip(x, turn, length):
        return x + length * sp.cos(turn), -ROW * j + length * sp.sin(turn)

    def hand(x, turn, over, look, length=LENGTH):
        return line(*tip(x, turn, length * t), [*over, along], look)

    def circle(x, over, length=LENGTH):
        return line(*tip(x, 2 * sp.pi * t, length), [*over, around], "faint")

    def band(x, look):
        return box(x, BAND, (sp.Rational(19, 20), PAIRS * ROW), sp.Rational(3, 20), look=look)

    def named(is_here, look):
        return text(only(is_here, i), NAMED, WORDS, places, look)

    def here(at):
        return sp.Abs(i - at) < sp.Rational(1, 2)

    in_wedge = sp.Piecewise((0, sp.Or(t <= 0, t >= 1)), (WIDE, True))
    wedge = line(*tip(BESIDE, n * step + turned * t, in_wedge), [pairs, around], "stays")
    apart = [f"{k} tokens apart" for k in range(NEAREST, APART + 1)]
    tick = sp.Piecewise((sp.Rational(3, 10), sp.Or(t < 1, t > 2)), (0, True))
    counted = only(sp.Eq(d, e), n + d / 2)
    return Movable(
        name="field_of_hands",
        alt="Twelve columns, one for each word of a text, and four rows, one for each pair of features. In each place "
        "a small hand has turned by its row's speed times its column's position. Two columns stand out, a key and a "
        "query. Beside them are the wedge between their two hands in each row, and a bar for what it gives the score.",
        question="Each word has a clock hand in every row; lower rows turn more slowly. Drag the bracket: both "
        "coloured words move along. What turns, and what stays?",
        answer="All hands turn, and no wedge opens or closes: in each row, both hands turn by the same angle. So the "
        "score stays, wherever the two words stand. Now pull the query away from the key: wedges and score change. "
        "Positions went in, only the distance comes out.",
        controls=[
            Slider(n, "key at position", 0, FURTHEST, 1),
            Slider(d, "query further on by", NEAREST, APART, 4),
        ],
        marks=[
            band(n, "b"),
            band(m, "a"),
            circle(i, [places, pairs]),
            hand(i, i * step, [places, pairs], "plain"),
            hand(n, n * step, [pairs], "b"),
            hand(m, m * step, [pairs], "a"),
            circle(BESIDE, [pairs], WIDE),
            wedge,
            hand(BESIDE, n * step, [pairs], "b", WIDE),
            hand(BESIDE, m * step, [pairs], "a", WIDE),
            box(SCORE + agree / 2, -ROW * j, (sp.Abs(agree), LENGTH), sp.Rational(3, 4), pairs, "stays"),
            line(SCORE, sp.Rational(11, 20) - PAIRS * ROW * t, along, "plain"),
            text(-sp.Rational(3, 5), 0, "fast", anchor="end"),
            text(-sp.Rational(3, 5), ROW * (1 - PAIRS), "slow", anchor="end"),
            text(BESIDE, NAMED, "angle", look="stays"),
            text(SCORE, NAMED, "score", look="stays"),
            named(sp.And(sp.Not(here(n)), sp.Not(here(m))), "plain"),
            named(here(n), "b"),
            named(here(m), "a"),
            line(n + d * sp.Min(sp.Max(t - 1, 0), 1), BRACKET + tick, Each(t, 0, 3), "stays"),
            draggable(dots(n + d / 2, BRACKET, look="stays"), n),
            draggable(dots(m, sp.Rational(19, 20), look="a"), d),
            text(counted, BRACKET - sp.Rational(17, 20), apart, Each(e, NEAREST, APART), "stays"),
        ],
        say=[
            Say("The query's top hand is at", sp.Mod(m * 180 / sp.pi, 360), 0, "degrees"),
            Say("Score, the sum of the bars:", sp.Sum(agree, (j, 0, PAIRS - 1)), 2),
        ],
        view=(-2.6, COLUMNS + 4.9, -6.55, 1.45),
        play=n,
        smooth=20,
        frames=[{"n": 1}, {"n": 6}],
        lets={m: n + d},
    )


def truth(n: int, d: int) -> Said:
    one = torch.tensor([[1.0, 0.0]], dtype=torch.float64).repeat(1, PAIRS)
    q, k = Rotary(geometric_freqs(2 * PAIRS, float(BASE)))(one, one, torch.tensor([n + d]), torch.tensor([n]))
    return [math.degrees(math.atan2(q[0, 1], q[0, 0])) % 360, (q @ k.T).item()]
