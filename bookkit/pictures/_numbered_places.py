"""Where tokens lie in a tensor and which positions they have: padded on the left, packed, or after a cache."""

import sympy as sp
import torch

from bookkit.movable import Choice, Each, Movable, Say, Slider, box, only, text
from bookkit.movable.truth import Said
from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import Rotary

PLACES = 8


def numbered_places() -> Movable:
    which, k = sp.symbols("which k", real=True)
    i, v = sp.symbols("i v", integer=True, nonnegative=True)
    padded, packed, cached = (sp.Eq(which, option) for option in range(3))
    later = i >= k

    def of(*cases):
        return sp.Piecewise(*cases, (sp.nan, True))

    place = of((i, padded), (i, packed), (i - k, sp.And(cached, later)))
    position = of((i - k, sp.And(padded, later)), (i, sp.And(packed, i < k)), (i - k, packed), (i, cached))
    moved = sp.And(later, k > 0)  # the tokens that have another number than their place
    each, numbers = Each(i, 0, PLACES - 1), [str(number) for number in range(PLACES)]

    def boxes(shown, height, shade, look):
        return box(only(shown, i), height, (0.9, 0.9), shade, each, look)

    def numbers_at(number, height):
        """A number is a word: each is drawn where it is the one."""
        x = only(sp.Eq(number, v), i)
        return text(x, height, numbers, [each, Each(v, 0, PLACES - 1)])

    shifted = sp.Piecewise((PLACES - k, k > 0), (0, True))
    in_tensor, in_text = sp.Not(sp.And(cached, i < k)), sp.Not(sp.And(padded, i < k))
    return Movable(
        name="numbered_places",
        alt="Two rows of eight boxes. The upper ones have the places in a tensor, the lower ones the positions that "
        "the tokens there have in their text. A lower box is strong where the two numbers differ.",
        question="Code numbers tokens by their place in the tensor. In which of the three cases does it get distances "
        "wrong too?",
        answer="After a cache. The new tokens are numbered from 0 again, and their distances to the cached ones are "
        "wrong. Padded or packed, all tokens of a text are off by one and the same number. Their distances stay, so "
        "where only distances count, no score changes; a table with a row for each position is read in the wrong rows.",
        controls=[
            Choice(which, "the tensor", ("padded on the left", "two texts, packed", "after a cache")),
            Slider(k, "padding, tokens of the first text, or cached tokens:", 0, PLACES - 1, 3),
        ],
        marks=[
            boxes(in_tensor, 0, 0.12, "quiet"),
            boxes(sp.And(in_text, sp.Not(moved)), -1.8, 0.12, "quiet"),
            boxes(moved, -1.8, 0.55, "b"),
            numbers_at(place, 0),
            numbers_at(position, -1.8),
            text(-0.5, 0.75, "place in the tensor", anchor="start"),
            text(-0.5, -1.05, "position in its text", anchor="start"),
        ],
        say=[
            Say("Tokens whose place is not their position:", shifted, 0),
            Say(
                "Tokens with a wrong distance to another one of their text:",
                sp.Piecewise((shifted, cached), (0, True)),
                0,
            ),
        ],
        view=(-0.6, PLACES - 0.4, -2.35, 1.1),
        frames=[{"which": 0}, {"which": 2}],
    )


def truth(which: int, k: int) -> Said:
    """By the places and by the positions, all scores of a text with itself: which tokens have others?"""
    texts = {0: [(k, 8)], 1: [(0, k), (k, 8)], 2: [(0, 8)]}[which]  # from column to column
    moved = far = 0
    for first, end in texts:
        position = torch.arange(end - first)
        place = position + first if which < 2 else torch.cat((position[:k], torch.arange(8 - k)))
        moved += (place != position).sum().item()
        x = torch.randn(len(position), 16, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
        scores = [
            torch.matmul(*(y.T if part else y for part, y in enumerate(Rotary(geometric_freqs(16))(x, x, at, at))))
            for at in (place, position)
        ]
        new = slice(k if which == 2 else 0, None)
        far += ((scores[0] - scores[1]).abs() > 1e-9).any(-1)[new].sum().item()
    return [moved, far]
