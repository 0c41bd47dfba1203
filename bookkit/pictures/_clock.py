"""The sinusoidal encoding as a clock: the hands at position m, and those k positions later."""

import sympy as sp
import torch

from bookkit.movable import Each, Movable, Say, Slider, arrow, draggable, line, text
from bookkit.movable.truth import Said
from posenc_lib.absolute import sinusoidal
from posenc_lib.pairs import geometric_freqs, position_angles

PAIRS, BASE = 4, 100


def clock() -> Movable:
    m, k, t = sp.symbols("m k t", real=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)
    angle = sp.Integer(BASE) ** (-i / sp.Integer(PAIRS))  # of one step, for hand i
    hand = Each(i, 0, PAIRS - 1)
    middle = sp.Rational(23, 10) * i

    def tip(length, turn):
        return middle + length * sp.cos(turn), length * sp.sin(turn)

    return Movable(
        name="clock",
        alt="Four clock faces, from a fast hand to a slow one. Each has a solid hand for position m and a dashed "
        "hand for position m + k, with an arc between the two.",
        question="When m moves, both hands turn on all four faces, whatever k you choose. What stays as it was?",
        answer="The angle between the two hands of a face: k times the face's own step, at every m. So one "
        "rotation, which depends on k alone, carries pₘ to pₘ₊ₖ wherever m is, and the score pₘ · pₘ₊ₖ stays too.",
        controls=[Slider(m, "position m =", 0, 60, 2), Slider(k, "steps on, k =", 0, 12, 3)],
        marks=[
            line(*tip(1, t), [hand, Each(t, 0, 6.2832, 61)], "quiet"),
            line(*tip(sp.Rational(2, 5), (m + k * t) * angle), [hand, Each(t, 0, 1, 61)], "c"),
            draggable(arrow(*tip(1, (m + k) * angle), (middle, 0), hand, "b"), k),
            draggable(arrow(*tip(1, m * angle), (middle, 0), hand, "a"), m),
            text(middle, -sp.Rational(13, 10), [f"pair {pair}" for pair in range(PAIRS)], hand),
        ],
        say=[
            Say("From m to m + k, pair 0 turns by", k * angle.subs(i, 0) * 180 / sp.pi, 1, "degrees,"),
            Say("and pair 3 by", k * angle.subs(i, 3) * 180 / sp.pi, 1, "degrees."),
            Say(
                "pₘ · pₘ₊ₖ =",
                sp.Sum(
                    sp.cos(m * angle) * sp.cos((m + k) * angle) + sp.sin(m * angle) * sp.sin((m + k) * angle),
                    (i, 0, PAIRS - 1),
                ),
                4,
            ),
        ],
        view=(-1.1, 8, -1.5, 1.1),
        play=m,
        frames=[{"m": 2, "k": 3}, {"m": 17, "k": 3}],
    )


def truth(m: int, k: int) -> Said:
    p = sinusoidal(torch.tensor([m, m + k]), 8, base=100.0, dtype=torch.float64)
    turns = position_angles(torch.tensor([k]), geometric_freqs(8, 100.0))[0].rad2deg()
    return [turns[0].item(), turns[3].item(), (p[0] @ p[1]).item()]
