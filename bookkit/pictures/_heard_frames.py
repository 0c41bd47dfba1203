"""A convolution over equal frames: which outputs differ, where zeros stand beyond the ends, and which frame is cut."""

import sympy as sp
import torch

from bookkit.movable import Axis, Choice, Each, Movable, Say, Slider, box, draggable, only
from bookkit.movable.truth import Said
from posenc_lib.shapes import frame_convolution

LAST, MOST = 15, 8  # the last frame; the widest window


def heard_frames() -> Movable:
    m, width, cut = sp.symbols("m K c", real=True)
    x = sp.Symbol("x", integer=True)
    before = sp.Symbol("before", real=True)

    def real(frame):  # frames of the recording in its window
        first, last = sp.Max(frame - before, 0), sp.Min(frame - before + width - 1, LAST)
        return last - first + 1

    frames = Each(x, -MOST // 2, LAST + MOST // 2)
    inside = sp.And(x >= 0, x <= LAST)
    heard = sp.And(x >= m - before, x <= m - before + width - 1)
    shade = sp.Piecewise((sp.Rational(7, 10), heard), (sp.Rational(3, 20), True))

    side, low = sp.Rational(4, 5), sp.Rational(-1, 4)
    bar = real(x) / width
    return Movable(
        name="heard_frames",
        alt="Bars over 16 equal frames, high in the middle and lower towards both ends. Below them the frames, of "
        "which those in the window of one output are strong; some of its places may lie beyond an end.",
        question="All 16 frames are the same, and all weights are 1/K. At which frames does the output show the place?",
        answer="At those near an end only, whose windows take in zeros from beyond it. With K = 8 these are the first "
        "four frames and the last three; all others are alike. The window has no middle, and reaches further back than "
        "ahead. Cut the first frame in place of the last, and it reaches further ahead.",
        controls=[
            Slider(m, "frame m =", 0, LAST, 2),
            Slider(width, "frames in the window, K =", 1, MOST, 8),
            Choice(cut, "an even K makes a frame too many; cut", ("the last", "the first")),
        ],
        marks=[
            box(x, bar / 2, (side, bar), sp.Rational(3, 10), Each(x, 0, LAST)),
            draggable(box(m, real(m) / width / 2, (side, real(m) / width), look="b"), m),
            box(only(inside, x), low, (side, sp.Rational(1, 5)), shade, frames),
            box(only(sp.And(heard, sp.Not(inside)), x), low, (side, sp.Rational(1, 20)), sp.Rational(7, 10), frames),
        ],
        say=[
            Say("Frames in the window before this one:", before, 0),
            Say("after it:", width - 1 - before, 0),
            Say("Zeros in the window:", width - real(m), 0),
            Say("What the convolution gives:", real(m) / width, 3),
        ],
        view=(-MOST / 2 - 0.6, LAST + MOST / 2 + 0.6, -0.4, 1.15),
        axes=(
            Axis("frame", {at: str(at) for at in (0, 5, 10, LAST)}),
            Axis("output", {0: "0", 0.5: "½", 1: "1"}),
        ),
        lets={before: sp.floor(width / 2) - cut * (1 - (width - 2 * sp.floor(width / 2)))},
        play=m,
        frames=[{"m": 2}, {"m": 8}],
    )


def truth(m: int, K: int, c: int) -> Said:
    """Equal frames under equal weights; where the first is cut, a frame more is read and the outputs move up."""
    weight = torch.full((1, 1, K), 1 / K, dtype=torch.float64)
    ahead = c * (1 - K % 2)
    frames = torch.cat((torch.ones(16, 1), torch.zeros(1, 1))).double()
    before = K // 2 - ahead
    z = frame_convolution(frames, weight).squeeze()[m + ahead].item()
    return [before, K - 1 - before, round(K - K * z), z]
