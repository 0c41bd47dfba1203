"""One query and one key, with the rotary encoding and with an added sinusoid: what happens when both move on?"""

import math

import sympy as sp
import torch

from bookkit.movable import Each, Movable, Say, Slider, arrow, draggable, line, text
from bookkit.movable.truth import Said, numbers
from posenc_lib.absolute import sinusoidal
from posenc_lib.rotary import Rotary

STEP = sp.Rational(3, 10)  # the turn of one position, in radians
QUERY, KEY = (sp.Rational(11, 10), sp.Rational(3, 2)), (sp.Rational(9, 10), sp.Rational(1, 2))  # length, direction
LEFT, RIGHT, HALF = -2, 2, sp.Rational(1, 2)


def polar(length, turn):
    return length * sp.cos(turn), length * sp.sin(turn)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1]


def move_both() -> Movable:
    m, n, s, t = sp.symbols("m n s t", real=True)
    rotated = [polar(length, turn + (at + s) * STEP) for (length, turn), at in zip((QUERY, KEY), (m, n), strict=True)]
    placed = [polar(1, (at + s) * STEP) for at in (m, n)]
    added = [
        tuple(x + p for x, p in zip(polar(*vector), place, strict=True))
        for vector, place in zip((QUERY, KEY), placed, strict=True)
    ]

    def pair_of_arrows(middle, q, k):
        for name, (x, y), look, position in (("k", k, "b", n), ("q", q, "a", m)):
            yield draggable(arrow(middle + x, y, (middle, 0), look=look), position)
            yield text(middle + sp.Rational(6, 5) * x, sp.Rational(6, 5) * y, name, look=look)

    around = Each(t, 0, 6.2832, 61)
    return Movable(
        name="move_both",
        alt="Two arrows, a query q and a key k, drawn twice. On the left each is rotated by its position, on the "
        "right a sinusoid of its position is added to it.",
        question="If you move both, the two tokens travel through the text together. Which of the two scores stays "
        "as it was?",
        answer="The rotary one. Both arrows turn by the same angle, so the angle between them, and with it the "
        "score, depends on m − n alone. Adding a vector to each gives a score that changes wherever the two "
        "tokens go.",
        controls=[
            Slider(s, "move both by", 0, 30, 0),
            Slider(m, "position of q: m =", 0, 20, 8),
            Slider(n, "position of k: n =", 0, 20, 5),
        ],
        marks=[
            line(LEFT + sp.cos(t), sp.sin(t), around, "quiet"),
            line(RIGHT + sp.cos(t), sp.sin(t), around, "quiet"),
            *pair_of_arrows(LEFT, *rotated),
            *pair_of_arrows(RIGHT, *added),
            text(LEFT, -sp.Rational(11, 5), "rotated"),
            text(RIGHT, -sp.Rational(11, 5), "sinusoid added"),
        ],
        say=[
            Say("Distance m − n:", m - n, 0, "tokens back."),
            Say("Score, rotated:", dot(*rotated), 4),
            Say("Score, sinusoid added:", dot(*added), 4),
        ],
        view=(-4.2, 4.2, -2.4, 2.3),
        play=s,
        frames=[{"s": 0}, {"s": 6}],
    )


def truth(s: int, m: int, n: int) -> Said:
    q, k = (length * numbers(math.cos(turn), math.sin(turn)) for length, turn in ((1.1, 1.5), (0.9, 0.5)))
    step, at = numbers(0.3), numbers(m + s, n + s)
    turned_q, turned_k = Rotary(step)(q[None], k[None], at[:1], at[1:])
    sine_first = sinusoidal(at * step, 2, dtype=torch.float64)
    p_q, p_k = sine_first.flip(-1)  # the picture draws the cosine across
    return [m - n, (turned_q @ turned_k.T).item(), ((q + p_q) @ (k + p_k)).item()]
