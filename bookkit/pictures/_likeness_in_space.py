"""How alike the Fourier features of two points are, by their distance along an axis: with octaves from π, or from 1."""

import math

import sympy as sp
import torch

from bookkit.movable import Axis, Choice, Each, Movable, Say, Slider, dots, draggable, line
from bookkit.movable.truth import Said, numbers
from posenc_lib.shapes import fourier_features, octave_freqs

MOST = 6  # octaves
FAR = 2  # from one face of NeRF's cube to the other


def likeness_in_space() -> Movable:
    c, t, u, start = sp.symbols("c t u start", real=True)
    L = sp.Symbol("L", integer=True, positive=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)

    def likeness(distance):
        wave = sp.Piecewise((sp.cos(2**i * start * distance), i < L), (0, True))
        return sp.Sum(wave, (i, 0, MOST - 1)) / L

    return Movable(
        name="likeness_in_space",
        alt="A curve of the inner product of two points' features against their distance, from 0 to 2. It starts at "
        "1, falls quickly and swings. With octaves from π it comes back to 1 at distance 2; with octaves from 1 it "
        "does not. A dot marks the chosen distance.",
        question="With π as printed, can the features tell apart two points at distance 2? And at distance 1, with "
        "more octaves?",
        answer="At distance 2 not at all: each cosine has made whole turns. At distance 1 hardly, and with every "
        "octave less, since only the first cosine is not back at 1. In the authors' code the octaves start at 1, and "
        "no distance in the cube brings all of them back.",
        controls=[
            Choice(c, "the first frequency is", ["π, as printed", "1, as in the authors' code"]),
            Slider(L, "octaves, L =", 1, MOST, 4),
            Slider(t, "distance along an axis, t =", 0, FAR, 0.5, 0.01, digits=2),
        ],
        marks=[
            line(u, 0, Each(u, 0, FAR, 2), "quiet"),
            line(u, likeness(u), Each(u, 0, FAR, 801), "a"),
            draggable(dots(t, likeness(t), look="b"), t),
        ],
        say=[
            Say("Likeness at this distance:", likeness(t), 2),
            Say("and on opposite faces:", likeness(sp.Integer(FAR)), 2),
        ],
        view=(0, FAR, -1.05, 1.05),
        axes=(
            Axis("distance along an axis", {0: "0", 0.5: "0.5", 1: "1", 1.5: "1.5", 2: "2"}),
            Axis("likeness, the inner product", {-1: "-1", 0: "0", 1: "1"}),
        ),
        lets={start: sp.Piecewise((sp.pi, sp.Eq(c, 0)), (1, True))},
        frames=[{"c": 0}, {"c": 1}],
    )


def truth(c: int, L: int, t: float) -> Said:
    freqs = octave_freqs(L, 1, start=(math.pi, 1.0)[c], dtype=torch.float64)
    origin, here, far = fourier_features(numbers(0, t, 2)[:, None], freqs)
    return [(origin @ here).item(), (origin @ far).item()]
