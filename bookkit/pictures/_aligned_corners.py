"""Which keys new tokens see after a cache, with a causal mask that is laid into one corner or the other."""

import sympy as sp
import torch

from bookkit.movable import Axis, Choice, Each, Mark, Movable, Say, Slider, box, only
from bookkit.movable.truth import Said
from posenc_lib import causal_mask

MOST = 8  # cached tokens, and new ones


def aligned_corners() -> Movable:
    i, j = sp.symbols("i j", integer=True, nonnegative=True)
    corner, c, r = sp.symbols("corner c r", real=True)
    offset = sp.Piecewise((0, sp.Eq(corner, 0)), (c, True))  # where the mask puts the first query
    there, should, seen = sp.And(i < r, j < c + r), j <= i + c, j <= i + offset

    def boxes(condition: sp.Basic, shade: float, look: str) -> Mark:
        x = only(sp.And(there, condition), j)
        return box(x, -i, (0.9, 0.9), shade, [Each(i, 0, MOST - 1), Each(j, 0, 2 * MOST - 1)], look)

    return Movable(
        name="aligned_corners",
        alt="A row of boxes for each new token, and a column for each key, cached or new. Boxes of pairs that the mask "
        "lets through are strong, those that it wrongly masks have another colour, and keys of the future are pale.",
        question="Three new tokens follow seven cached ones. With the mask in the top left corner, which keys does "
        "the first new token see?",
        answer="The first key of the text alone: not its neighbours, and not even itself. The mask is right only if "
        "nothing is cached. Laid into the bottom right corner, it is right for any number.",
        controls=[
            Choice(corner, "the mask is laid into the", ("top left corner", "bottom right corner")),
            Slider(c, "cached tokens:", 0, MOST, 7),
            Slider(r, "new tokens:", 1, MOST, 3),
        ],
        marks=[
            boxes(j > i + c, 0.08, "quiet"),
            boxes(sp.And(should, seen), 0.75, "a"),
            boxes(sp.And(should, sp.Not(seen)), 0.55, "b"),
        ],
        say=[
            Say("Keys that the first new token sees:", 1 + offset, 0),
            Say("Pairs masked that should be seen:", r * (c - offset), 0),
        ],
        view=(-0.6, 2 * MOST - 0.4, 0.4 - MOST, 0.6),
        frames=[{"corner": 0}, {"corner": 1}],
        axes=(
            Axis("key", {at: str(at) for at in (0, 4, 8, 12, 15)}),
            Axis("new token", {-at: str(at) for at in (0, 3, 7)}),
        ),
    )


def truth(corner: int, c: int, r: int) -> Said:
    """By the masks of the library and of torch, of which the latter begins in the top left corner."""
    right = causal_mask(torch.arange(c, c + r), torch.arange(c + r))
    mask = right if corner else torch.ones(r, c + r, dtype=torch.bool).tril()
    return [mask[0].sum().item(), (right & ~mask).sum().item()]
