"""Two packed texts, cut for four processes: which tokens does one of them get, and how much work is that?"""

import sympy as sp
import torch

from bookkit.movable import Choice, Each, Movable, Say, Slider, box, only, text
from bookkit.movable.truth import Said
from bookkit.pages.sharding import shards
from posenc_lib import causal_mask, packed_positions, packed_texts

FIRST, ALL, PROCESSES, BELOW = 8, 24, 4, -2  # tokens, and the height of the second text's row


def cut_texts() -> Movable:
    which, r = sp.symbols("which r", real=True)
    i, v = sp.symbols("i v", integer=True, nonnegative=True)
    position = sp.Piecewise((i, i < FIRST), (i - FIRST, True))
    long = sp.Rational(1, 2) * sp.Piecewise((FIRST, i < FIRST), (ALL - FIRST, True)) / PROCESSES  # a chunk of its text

    def either(chunk):
        return sp.Or(sp.Eq(chunk, r - 1), sp.Eq(chunk, 2 * PROCESSES - r))

    own = sp.Or(
        sp.And(sp.Eq(which, 0), sp.Eq(sp.floor(i * PROCESSES / ALL), r - 1)),
        sp.And(sp.Eq(which, 1), either(sp.floor(2 * i * PROCESSES / ALL))),
        sp.And(sp.Eq(which, 2), either(sp.floor(position / long))),
    )
    row = sp.Piecewise((0, i < FIRST), (BELOW, True))
    each, numbers = Each(i, 0, ALL - 1), [str(number) for number in range(0, ALL - FIRST, 2)]

    def total(count):
        return sp.Sum(sp.Piecewise((count, own), (0, True)), (i, 0, ALL - 1))

    def boxes(shown, shade, look):
        return box(only(shown, position), row, (0.9, 0.9), shade, each, look)

    return Movable(
        name="cut_texts",
        alt="Two rows of boxes, 8 and 16 of them: two texts, with their positions. The boxes that one of four "
        "processes holds are strong.",
        question="Each of four processes is told that it holds 2 tokens of the first text and 4 of the second. For "
        "which cut is that true?",
        answer="For zigzag inside each text, which also gives all processes the same work. Over the whole row a "
        "process may have no token of the first text, and the borders that it is told (the lengths divided by four) "
        "are wrong. The work is uneven too, since a token sees the earlier ones of its own text only.",
        controls=[
            Choice(which, "the cut", ("contiguous", "zigzag over the row", "zigzag inside each text")),
            Slider(r, "process", 1, PROCESSES, 1),
        ],
        marks=[
            boxes(sp.Not(own), 0.12, "quiet"),
            boxes(own, 0.55, "b"),
            text(
                only(sp.Eq(position, v), v),
                row,
                numbers,
                [each, Each(v, 0, ALL - FIRST - 2, len(numbers))],
            ),
            text(-0.5, 0.9, "first text", anchor="start"),
            text(-0.5, BELOW + 0.9, "second text", anchor="start"),
        ],
        say=[
            Say("Tokens of the first text:", total(sp.Piecewise((1, i < FIRST), (0, True))), 0),
            Say("Scores that this process computes, of 172:", total(position + 1), 0),
        ],
        view=(-0.6, ALL - FIRST - 0.4, BELOW - 0.6, 1.4),
        frames=[{"which": 1, "r": 2}, {"which": 2, "r": 2}],
    )


def truth(which: int, r: int) -> Said:
    """By the cuts of the tests with several processes, and a causal mask."""
    lengths = torch.tensor([8, 16])
    whole = [shards.contiguous, shards.zigzag]
    cut = whole[which](24, 4) if which < 2 else shards.inside_each(shards.zigzag, lengths, 4)
    own, owners, places = cut[r - 1], packed_texts(lengths), packed_positions(lengths)
    see = causal_mask(places, places) & (owners[:, None] == owners)
    return [(own < 8).sum().item(), see[own].sum().item()]
