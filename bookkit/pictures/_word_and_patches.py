"""A word's score with each patch of an image: where generators put the word, by the model and by the image's size."""

import sympy as sp

from bookkit.movable import Choice, Each, Movable, Say, Slider, box, dots, only
from bookkit.movable.truth import Said, numbers
from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import axes_angles, rotate
from posenc_lib.shapes import flux_ids, joined_freqs, qwen_image_ids

MODELS = ("FLUX.1", "Qwen-Image")
SMALLEST, LARGEST = 8, 16  # patches along a side


def word_and_patches() -> Movable:
    model, size, word = sp.symbols("model size word", real=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)
    x, y = sp.symbols("x y", integer=True, nonnegative=True)
    first, place = sp.symbols("first place", real=True)  # the word on the first axis, and its row and column

    def pairs(places, count):
        return sp.Sum(sp.cos(places * 10_000 ** (-i / sp.Integer(count))), (i, 0, count - 1))

    def score(patch_y, patch_x):
        return (pairs(first, 8) + pairs(place - patch_y, 28) + pairs(place - patch_x, 28)) / 64

    there = (y < size) & (x < size)
    seen = only(place <= LARGEST, place)
    grid = [Each(x, 0, LARGEST - 1), Each(y, 0, LARGEST - 1)]
    shade = (score(y, x) - sp.Rational(1, 2)) * 2
    return Movable(
        name="word_and_patches",
        alt="A square of patches, coloured by their score with one word whose vector is equal to theirs. The colour is "
        "strongest in the top left corner, along the first row and the first column. A dot marks the word.",
        question="The dot is the first word of FLUX.1, and stands on a corner of the image. Where do the next words "
        "stand? And where those of Qwen-Image, when the image grows?",
        answer="All words of FLUX.1 stand on the patch in the top left corner, and a larger image leaves its scores as "
        "they were. With Qwen-Image word 0 is one step beyond the bottom right corner, each next word one step "
        "further, and the corner keeps this distance when the image grows.",
        controls=[
            Choice(model, "model", MODELS),
            Slider(word, "word, counted from 0:", 0, 9, 0),
            Slider(size, "patches along a side:", SMALLEST, LARGEST, 12),
        ],
        marks=[
            box(x, only(there, -y), (1, 1), shade, grid),
            dots(seen, -seen, look="b"),
        ],
        say=[
            Say("The word’s row and column:", place, 0),
            Say("Its score with the top left patch:", score(0, 0), 3),
            Say("and with the bottom right one:", score(size - 1, size - 1), 3),
        ],
        view=(-1, LARGEST + 1, -LARGEST - 1, 1),
        frames=[{"model": 0}, {"model": 1}],
        lets={
            place: sp.Piecewise((0, sp.Eq(model, 0)), (size + word, True)),  # from the first patch
            first: sp.Piecewise((0, sp.Eq(model, 0)), (sp.floor(size / 2) + word, True)),
        },
    )


def truth(model: int, size: int, word: int) -> Said:
    """From the ids of all tokens: each pair has length 1, and the same vector for the word and the patch."""
    ids = (flux_ids, qwen_image_ids)[model](word + 1, [(size, size)])[word:]  # the word, then all patches
    freqs = joined_freqs([geometric_freqs(features) for features in (16, 56, 56)])
    tokens = rotate(numbers(1, 0).repeat(64).expand(len(ids), -1), axes_angles(ids, freqs))
    scores = tokens[1:] @ tokens[0] / 64
    return [(ids[0] - ids[1])[1].item(), scores[0].item(), scores[-1].item()]
