"""A pair of channels, one of them large: the box that its keys need, as they are and rotated, and steps of 4 bits."""

import sympy as sp
import torch

from bookkit.movable import Choice, Each, Movable, Say, Slider, box, dots, line, only, rounded, text
from bookkit.movable.truth import Said, numbers
from bookkit.pages import stored_keys
from bookkit.pages.stored_keys import keys
from posenc_lib.pairs import position_angles
from posenc_lib.rotary import Rotary, rotate

LENGTH = 24  # keys at most
RATE = 0.3  # radians a token
MEAN, EDGE = 5.0, 9.0  # of the large channel; where the axes end


def cached() -> torch.Tensor:
    """[way, key, channel]: as they are, and rotated."""
    k = keys(LENGTH, 64, MEAN)[:, :2]
    return torch.stack((k, rotate(k, position_angles(torch.arange(LENGTH), torch.tensor([RATE]).double()))))


def bounds() -> torch.Tensor:
    """[way, keys so far, channel, least or most]"""
    so_far = [cached()[:, : n + 1] for n in range(LENGTH)]
    return torch.stack([torch.stack((k.amin(1), k.amax(1)), -1) for k in so_far], 1)


def round_box() -> Movable:
    way, n = sp.symbols("w n", real=True)
    i, u = sp.symbols("i u", integer=True, nonnegative=True)
    key, edge = sp.IndexedBase("key"), sp.IndexedBase("edge")
    every = Each(i, 0, LENGTH - 1)
    x, y = (only(i < n, key[way, i, channel]) for channel in range(2))
    ends = [[edge[way, n - 1, channel, side] for side in range(2)] for channel in range(2)]
    middle = [(least + most) / 2 for least, most in ends]
    size = [most - least for least, most in ends]
    value = [least + u * (most - least) / 15 for least, most in ends]
    tick, t = sp.symbols("tick t", real=True)
    sixteen, ticks = Each(u, 0, 15), Each(tick, -5, 5, 3)
    return Movable(
        name="round_box",
        alt="Keys as dots in the plane of two channels. As they are, they lie close together on the right, in a small "
        "box. Rotated by their positions, they lie on a circle, and the box is as large as the circle. Short lines "
        "on the axes mark 16 values for each side of it.",
        question="Each dot is a key, stored as one of 16 values in each channel, spread over the box. If keys are "
        "rotated before they are stored, which sides of the box grow?",
        answer="Both. As they are, the keys lie close together: the large channel is large for all of them, so its "
        "side is hardly longer than the other. Rotated, they lie on a circle, both sides are as long as it is wide, "
        "and the 16 values lie further apart.",
        controls=[
            Slider(n, "keys in the cache:", 2, LENGTH, LENGTH),
            Choice(way, "the keys are stored", ("as they are", "rotated")),
        ],
        marks=[
            box(*middle, tuple(size), sp.Rational(1, 6), (), "quiet"),
            *(line(*([0, t][::way]), Each(t, -EDGE, EDGE, 2), "quiet") for way in (1, -1)),
            dots(x, y, every, "b"),
            box(value[0], -EDGE, (0.12, 0.7), 1, sixteen),
            box(-EDGE, value[1], (0.7, 0.12), 1, sixteen),
            text(tick, -EDGE - 1.1, ["−5", "0", "5"], ticks),
            text(-EDGE - 0.6, tick, ["−5", "0", "5"], ticks, anchor="end"),
            text(EDGE - 0.4, -EDGE + 0.9, "large channel", anchor="end"),
            text(-EDGE + 0.4, EDGE - 0.7, "other channel", anchor="start"),
        ],
        say=[
            Say("From one of 16 values to the next, in the large channel:", size[0] / 15, 2),
            Say("and in the other:", size[1] / 15, 2),
        ],
        view=(-EDGE - 2, EDGE, -EDGE - 1.8, EDGE),
        frames=[{"w": 0}, {"w": 1}],
        tables={key: rounded(cached()), edge: rounded(bounds())},
        play=n,
    )


def truth(n: int, w: int) -> Said:
    k = stored_keys.keys(24, 64, 5.0)[:n, :2]
    if w:
        k = Rotary(numbers(0.3))(k, k, torch.arange(n), torch.arange(n))[1]
    return [(k[:, channel].max() - k[:, channel].min()).item() / 15 for channel in range(2)]
