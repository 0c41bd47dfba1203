"""A query that shrinks with its position and a key that grows with its own: what is left in the score."""

import sympy as sp
import torch

from bookkit.movable import Each, Movable, Say, Slider, arrow, dots, draggable, line, named_arrow, text
from bookkit.movable.truth import Said, numbers
from posenc_lib.rotary import XPos

STEP, RATE, CENTRE = sp.Rational(3, 10), sp.Rational(3, 100), 20  # the turn and the decay of one token, in radians
FURTHEST, WIDE = 40, sp.Rational(1, 8)  # tokens back; how wide one of them is drawn


def two_factors() -> Movable:
    n, t, u, x = sp.symbols("n t u x", real=True)

    def spiral(at, sense):
        length = sp.exp(sense * RATE * (at - CENTRE))
        return length * sp.cos(at * STEP), length * sp.sin(at * STEP)

    def ceiling(back):
        return sp.exp(-RATE * back)

    def curve(back):
        return ceiling(back) * sp.cos(back * STEP)

    def arrow_of(at, sense, look, moved):
        px, py = spiral(at, sense)
        yield line(*spiral(at - n + u, sense), Each(u, 0, 20, 81), "quiet")  # as both move, and the distance stays
        yield draggable(arrow(px, py, look=look), moved)

    start, up = 4, 2  # where the curve begins; the height of a score of 1
    along = Each(x, 0, FURTHEST, 161)
    return Movable(
        name="two_factors",
        alt="On the left two arrows, a key k on a path that winds outwards and a query q on one that winds inwards. "
        "On the right the score by the distance: a wave between two lines that close in on 0.",
        question="When both move on, the key's arrow grows, and the query's shrinks. What becomes of their score? "
        "And what becomes of it when the query alone moves on, further from the key?",
        answer="Moved together, they keep their score: what one loses the other gains, and the angle between them "
        "stays. As the query moves away, the score is the wave of the rotation under a ceiling that falls by 3 % with "
        "every token.",
        controls=[
            Slider(n, "move both, the key to position", 0, 20, 5),
            Slider(t, "tokens from the key to the query:", 0, FURTHEST, 3),
        ],
        marks=[
            *arrow_of(n, 1, "b", n),
            *arrow_of(n + t, -1, "a", t),
            *(line(start + WIDE * x, sign * up * ceiling(x), along, "quiet") for sign in (1, -1)),
            line(start + WIDE * x, up * curve(x), along, "a"),
            draggable(dots(start + WIDE * t, up * curve(t), look="b"), t),
            *named_arrow(-1, -2.4, "k", "b", 0.8),
            *named_arrow(0.9, -2.4, "q", "a", 0.8),
            text(start + WIDE * FURTHEST / 2, -2.4, "score by distance"),
        ],
        say=[
            Say("Length of the key:", sp.exp(RATE * (n - CENTRE)), 2),
            Say("Length of the query:", sp.exp(-RATE * (n + t - CENTRE)), 2),
            Say("Score:", curve(t), 3),
        ],
        view=(-2.4, 9.4, -2.7, 2.3),
        play=n,
        frames=[{"n": 0}, {"n": 15}],
    )


def truth(n: int, t: int) -> Said:
    q = numbers(1, 0)[None]
    xpos = XPos(numbers(0.3), numbers(0.03), centre=20.0)
    query, key = xpos(q, q, torch.tensor([n + t]), torch.tensor([n]))
    return [key.norm().item(), query.norm().item(), (query @ key.T).item()]
