"""A word's score with each patch of an image: where generators put the word, by the model and by the image's size."""

import sympy as sp

from bookkit.movable import Choice, Each, Movable, Say, Slider, box, dots, draggable
from bookkit.movable.truth import Said, numbers
from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import axes_angles, rotate
from posenc_lib.shapes import flux_ids, joined_freqs, qwen_image_ids

MODELS = ("FLUX.1", "Qwen-Image")
SMALLEST, LARGEST = 8, 16  # patches along a side


def word_and_patches() -> Movable:
    model, size, word, row, column = sp.symbols("model size word row column", real=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)
    x, y = sp.symbols("x y", integer=True, nonnegative=True)
    first = sp.Symbol("first", real=True)  # the word on the first axis

    def pairs(places, count):
        return sp.Sum(sp.cos(places * 10_000 ** (-i / sp.Integer(count))), (i, 0, count - 1))

    def away(patch):
        """From the patch to the word, along rows or columns; the word of Qwen-Image lies beyond the last patch."""
        return sp.Piecewise((-patch, sp.Eq(model, 0)), (size + word - patch, True))

    def score(patch_y, patch_x):
        return (pairs(first, 8) + pairs(away(patch_y), 28) + pairs(away(patch_x), 28)) / 64

    def shown(patch_y, patch_x, value):
        return sp.Piecewise((value, (patch_y < size) & (patch_x < size)), (sp.nan, True))

    word_at = sp.Piecewise((0, sp.Eq(model, 0)), (size + word, True))  # rows and columns from the first patch
    seen = sp.Piecewise((word_at, word_at <= LARGEST), (sp.nan, True))
    grid = [Each(x, 0, LARGEST - 1), Each(y, 0, LARGEST - 1)]
    shade = (score(y, x) - sp.Rational(1, 2)) * 2
    return Movable(
        name="word_and_patches",
        alt="A square of patches, coloured by their score with one word whose vector is equal to theirs. The colour is "
        "strongest in the top left corner, along the first row and the first column. A dot marks the word.",
        question="Patches and words have equal vectors, so only their places tell them apart. Which patch does "
        "FLUX.1 put the word on? What changes with another word, and with a larger image? And for Qwen-Image?",
        answer="With FLUX.1 every word sits on the patch in the top left corner, and a larger image leaves the scores "
        "as they were. With Qwen-Image word 0 is one step beyond the bottom right corner, each next word one step "
        "further, and the corner keeps this distance when the image grows.",
        controls=[
            Choice(model, "model", MODELS),
            Slider(size, "patches along a side:", SMALLEST, LARGEST, 12),
            Slider(word, "word, counted from 0:", 0, 9, 0),
            Slider(row, "marked patch, row:", 0, SMALLEST - 1, 2),
            Slider(column, "marked patch, column:", 0, SMALLEST - 1, 5),
        ],
        marks=[
            box(x, shown(y, x, -y), (1, 1), shade, grid),
            dots(seen, -seen, look="c"),
            draggable(box(column, -row, (sp.Rational(1, 2), sp.Rational(1, 2)), 1, look="b"), row, column),
        ],
        say=[
            Say("From the marked patch to the word, rows down:", away(row), 0),
            Say("columns to the right:", away(column), 0),
            Say("Score of the two:", score(row, column), 3),
        ],
        view=(-1, LARGEST + 1, -LARGEST - 1, 1),
        frames=[{"model": 0}, {"model": 1}],
        lets={
            first: sp.Piecewise((0, sp.Eq(model, 0)), (sp.floor(size / 2) + word, True)),
        },
    )


def truth(model: int, size: int, word: int, row: int, column: int) -> Said:
    """From the ids of all tokens: each pair has length 1, and the same vector for the word and the patch."""
    places = (flux_ids, qwen_image_ids)[model](word + 1, [(size, size)])
    both = places[[word, word + 1 + row * size + column]]
    freqs = joined_freqs([geometric_freqs(features) for features in (16, 56, 56)])
    q, k = rotate(numbers(1, 0).repeat(64).expand(2, -1), axes_angles(both, freqs))
    return [*(both[0] - both[1])[1:].double().tolist(), (q @ k).item() / 64]
