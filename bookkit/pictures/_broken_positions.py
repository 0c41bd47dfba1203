"""The loss of a released model by position, as released and with a fault, and what it then writes: both recorded."""

import math
import textwrap

import sympy as sp

from bookkit.movable import Axis, Choice, Each, Movable, Say, Slider, line, only, text
from bookkit.movable.truth import Said
from bookkit.pages.faulty_positions import FAULTS, LENGTH, WINDOW, losses, written

WINDOWS, LINES, WIDE = LENGTH // WINDOW, 3, 30
NAMES = [name for name, fault in FAULTS.items() if fault.trap]


def said(fault: str) -> list[str]:
    """What it writes, in lines that fit beside the curve."""
    return textwrap.wrap(written(fault).replace("\n", "⏎").replace("⏎", "⏎ "), WIDE)[:LINES]


def broken_positions() -> Movable:
    which, n = sp.symbols("which n", real=True)
    i, j, row = sp.symbols("i j row", integer=True, nonnegative=True)
    loss, right, lines = (sp.IndexedBase(name) for name in ("loss", "right", "lines"))
    along = Each(i, 0, WINDOWS - 1)
    read = only(i < n, loss[which, i])
    height = only(sp.And(sp.Eq(j, which), row < lines[j]), 15 - row * sp.Rational(5, 4))
    told = [said(name) for name in NAMES]
    words = [piece for one in told for piece in [*one, *[""] * LINES][:LINES]]
    return Movable(
        name="broken_positions",
        alt="Loss by position over a text of 512 tokens. A dotted line, the model as released, falls from 5 nats to "
        "about 3. A solid line, with the chosen fault, lies on it or above it. Above both stands the text that the "
        "model writes with this fault.",
        question="Each fault is one wrong line, and none raises an error. Which still answer Rome, and which begins "
        "only after 256 tokens?",
        answer="Eight still say Rome: both mistakes of bfloat16, the base, rotating twice, interpolation, exponent, "
        "and even both mistakes of the layout, which ruin the rest. Positions in bfloat16 are exact up to 256, so a "
        "shorter test sees nothing; beyond, the loss is 0.29 nats higher.",
        controls=[
            Choice(which, "fault", NAMES),
            Slider(n, "tokens read:", 1, WINDOWS, WINDOWS, shown=WINDOW * n),
        ],
        marks=[
            line(i, right[i], along, "quiet"),
            line(i, read, along, "a"),
            text(sp.Rational(1, 2), height, words, [Each(j, 0, len(NAMES) - 1), Each(row, 0, LINES - 1)], "a", "start"),
            text(WINDOWS - 1, 2, "as released", anchor="end"),
        ],
        say=[
            Say(f"Loss of the last {WINDOW} tokens:", loss[which, n - 1], 2, "nats a token,"),
            Say("as released:", right[n - 1], 2),
            Say("Mean so far, more than as released:", sp.Sum(loss[which, i] - right[i], (i, 0, n - 1)) / n, 2, "nats"),
        ],
        view=(0, WINDOWS - 1, 1, 16),
        frames=[{"which": NAMES.index("positions in bfloat16")}, {"which": NAMES.index("neighbours read as halves")}],
        axes=(
            Axis("position", {0: "0", 4: "128", 8: "256", 12: "384"}),
            Axis("loss, in nats", {2: "2", 4: "4", 6: "6", 8: "8", 10: "10"}),
        ),
        tables={
            loss: [losses(name) for name in NAMES],
            right: losses("as released"),
            lines: [len(one) for one in told],
        },
        play=n,
    )


def truth(which: int, n: int) -> Said:
    """Straight from the record."""
    wrong, right = (losses(name)[:n] for name in (NAMES[which], "as released"))
    return [wrong[-1], right[-1], (math.fsum(wrong) - math.fsum(right)) / n]
