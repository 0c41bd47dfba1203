"""Whether the nearest keys keep their share of the weight as the text grows: four biases by distance."""

import sympy as sp
import torch

from bookkit.movable import Axis, Each, Movable, Say, Slider, dots, draggable, line, only, text
from bookkit.movable.truth import Said
from posenc_lib.relative import Alibi, log_kernel, power_kernel

NEAR, SHORTEST, LONGEST = 8, 3, 10
CURVES = {  # of the bias, by the distance t
    "line": (lambda t: t / 16, "a"),
    "square root": (sp.sqrt, "b"),
    "logarithm": (lambda t: sp.log(1 + t), "c"),
    "flat from 64 on": (lambda t: sp.log(1 + sp.Min(t, 64)), "quiet"),
}


def kernel_share() -> Movable:
    e, r = sp.symbols("e r", real=True)
    x, y = sp.symbols("x y", integer=True, nonnegative=True)

    def share(fall, keys):
        weight = sp.exp(-r * fall(y))
        return 100 * sp.Sum(weight, (y, 0, NEAR - 1)) / sp.Sum(weight, (y, 0, keys - 1))

    def trace(fall, look):
        """As far as the text goes: what comes next is for the reader to guess."""
        so_far = only(x <= e, share(fall, 2**x))
        yield line(x, so_far, Each(x, SHORTEST, LONGEST), look)
        yield draggable(dots(e, share(fall, 2**e), look=look), e)

    def name(k, words, look):
        across, down = divmod(k, 2)
        return text(SHORTEST + 4 * across, 130 - 13 * down, words, look=look, anchor="start")

    return Movable(
        name="kernel_share",
        alt="Four curves of the share of the nearest 8 keys against the number of keys, on an axis that doubles from 8 "
        "to 1,024. They have been drawn up to the chosen number of keys, where dots mark their ends.",
        question="The text grows. Under which curves do the nearest 8 keys keep a share, at strength 1? At 2?",
        answer="Under the line and the square root, at any strength. Under the logarithm not with 1, for each doubling "
        "adds about the same to the sum of all weights, without end. With 2 that sum stays below 1.65, and their share "
        "settles at 93 %. Under what is flat from some distance on, never.",
        controls=[
            Slider(e, "keys:", SHORTEST, LONGEST, SHORTEST + 1, shown=2**e),
            Slider(r, "strength r:", 0.25, 3, 1, 0.25, digits=2),
        ],
        marks=[
            *(mark for fall, look in CURVES.values() for mark in trace(fall, look)),
            *(name(k, words, look) for k, (words, (_, look)) in enumerate(CURVES.items())),
        ],
        say=[Say(f"{words.capitalize()}:", share(fall, 2**e), 1, "%") for words, (fall, _) in CURVES.items()],
        view=(SHORTEST - 0.2, LONGEST + 0.2, 0, 138),
        play=e,
        frames=[{"r": strength, "e": LONGEST} for strength in (1, 2)],
        axes=(
            Axis("keys", {at: f"{2**at:,}" for at in range(SHORTEST, LONGEST + 1)}),
            Axis("share of the nearest 8", {0: "0", 50: "50 %", 100: "100 %"}),
        ),
    )


def truth(r: float, e: int) -> Said:
    back, ones = torch.arange(2**e), torch.ones(1, dtype=torch.float64)
    biases = (
        Alibi(r * ones / 16).bias_at(back),
        power_kernel(r * ones, ones / 2, back),
        log_kernel(r * ones, ones, back),
        log_kernel(r * ones, ones, back.clamp(max=64)),
    )
    return [100 * bias[0].softmax(-1)[:8].sum().item() for bias in biases]
