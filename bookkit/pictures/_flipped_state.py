"""One number of state, and a text of bits: what is left of the first token after each bit, by what a 1 does to it."""

import sympy as sp
import torch

from bookkit.movable import Axis, Each, Movable, Say, Slider, box, dots, line
from bookkit.movable.truth import Said, numbers
from posenc_lib.content import recurrent, reflections

BITS = 10


def flipped_state() -> Movable:
    beta, w, t = sp.symbols("beta w t", real=True)
    i, j = sp.symbols("i j", integer=True, nonnegative=True)

    def bit(place: object) -> sp.Expr:  # written from left to right, the first one first
        right = BITS - place
        return sp.floor(w / 2**right) - 2 * sp.floor(w / 2 ** (right + 1))

    def state(after: object) -> sp.Expr:
        return (1 - beta) ** sp.Sum(bit(j), (j, 1, after))

    each, zero = Each(i, 0, BITS), sp.Integer(0)
    wide = (sp.Rational(9, 10), sp.Rational(9, 50))
    return Movable(
        name="flipped_state",
        alt="A line of eleven dots: the state after the first token and after each of ten bits. At each 1 it is "
        "multiplied by the same number, at each 0 it stays. Below it the bits, a filled cell for a 1.",
        question="Each bit 1 multiplies the state by 1 − β. With which β does the last state tell whether the ones "
        "are odd in number?",
        answer="β = 2: each 1 turns the sign round, and nothing fades. Up to β = 1 the factor is not negative, and the "
        "sign never changes: the state only fades. In between it flips, but is soon too small to read.",
        controls=[
            Slider(beta, "β:", 0, 2, 0.5, 0.1, digits=1),
            Slider(w, "the text, as a number:", 0, 2**BITS - 1, 731),
        ],
        marks=[
            line(BITS * t, zero, Each(t, 0, 1), "quiet"),
            line(i, state(i), each),
            dots(i, state(i), each),
            box(i, sp.Rational(-7, 5), wide, sp.Rational(1, 20) + sp.Rational(4, 5) * bit(i), Each(i, 1, BITS), "b"),
        ],
        say=[
            Say("Ones in the text:", sp.Sum(bit(j), (j, 1, BITS)), 0),
            Say("State after the last bit:", state(BITS), 3),
        ],
        view=(-0.6, BITS + 0.6, -1.6, 1.2),
        play=w,
        frames=[{"beta": 0.5}, {"beta": 2.0}],
        axes=(
            Axis("bit", {at: str(at) for at in (1, 5, 10)}),
            Axis("state", {-1: "−1", 0: "0", 1: "1"}),
        ),
    )


def truth(beta: float, w: int) -> Said:
    """One feature: the first token writes 1, and the bits write nothing."""
    bits = numbers(*(int(digit) for digit in f"0{w:010b}"))
    one, written = torch.ones(11, 1, dtype=torch.float64), numbers(1, *[0] * 10)[:, None]
    outputs, _ = recurrent(one, one, written, reflections(one, beta * bits))
    return [bits.sum().item(), outputs[-1].item()]
