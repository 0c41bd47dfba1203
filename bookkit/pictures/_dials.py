"""64 dials, one for each pair of a rotary head: the angles seen in training, and those that a longer text needs."""

import math

import sympy as sp

from bookkit.movable import Choice, Each, Movable, Say, Slider, line, only, text
from bookkit.movable.truth import Said
from posenc_lib.extension import interpolate, ntk
from posenc_lib.pairs import geometric_freqs

PAIRS, ROW, TRAINED = 64, 16, 4096
METHODS = ("none", "interpolation", "NTK")
QUESTIONS = {
    "none": "The text grows from 4,096 tokens to twice that. Which dials get into angles that training has never "
    "shown: the fast ones on top, or the slow ones below?",
    "interpolation": "Interpolation divides all frequencies by s. What does it cure, and what happens to the angle "
    "between neighbours?",
    "NTK": "NTK divides the slowest frequency by s and leaves the fastest as it is. How many dials still show new "
    "angles?",
}
ANSWERS = {
    "none": "The slow ones. A fast hand has made many turns, so it has shown angles all around. A hand that has not "
    "completed a turn in training is carried to angles that the model has never seen: 18 of the 64.",
    "interpolation": "If s is at least the text's length over the trained one, no dial shows a new angle. The price: "
    "all hands turn s times more slowly, so neighbours, which the fastest hand tells apart best, differ by 1/s of the "
    "angle.",
    "NTK": "17 of the 18 that did before, because only the very last one gets the full factor. But the fast hands, "
    "which tell neighbours apart, hardly change.",
}


def dials(method: str = "NTK") -> Movable:
    """With the methods up to this one, which a reader has met by then."""
    u, w, g, b, t = sp.symbols("u w g b t", real=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)
    n, s, base, all_pairs, slow_pairs = sp.symbols("n s base all_pairs slow_pairs", positive=True)
    known = METHODS.index(method)
    trained = base ** (-i / sp.Integer(PAIRS))
    full = 2 * sp.pi
    scaled = trained * s ** -(all_pairs + slow_pairs * i / (PAIRS - 1))
    seen, needed = sp.Min(full, TRAINED * trained), sp.Min(full, n * scaled)
    # The last pair of NTK needs exactly what was seen, but for rounding.
    new = needed > seen * (1 + sp.Rational(1, 10**9))
    slowest = (TRAINED * trained / (n * scaled)).subs(i, PAIRS - 1)
    fresh = sp.Sum(sp.Piecewise((1, new), (0, True)), (i, 0, PAIRS - 1))
    x, y = 2 * sp.Mod(i, ROW), -2 * sp.floor(i / ROW)
    each = Each(i, 0, PAIRS - 1)

    def at(angle):
        return x + sp.cos(angle) * sp.Rational(4, 5), y + sp.sin(angle) * sp.Rational(4, 5)

    def where(shown, place):
        return [only(shown, coordinate) for coordinate in place]

    return Movable(
        name=f"dials_{method}",
        alt="Four rows of sixteen dials, from the fastest pair at the top left to the slowest at the bottom right. "
        "On each, one arc shows the angles seen in training, a dashed arc the new ones that a longer text "
        "needs, and a dotted circle the rest.",
        question=QUESTIONS[method],
        answer=ANSWERS[method],
        controls=[
            Slider(u, "tokens in the text:", 0, 5, int(method != "none"), shown=TRAINED * 2**u),
            *([Slider(w, "factor s =", 0, 5, 0, shown=2**w)] if known else []),
            *([Choice(g, "method", METHODS[: known + 1], known)] if known else []),
            Choice(b, "base", ("10,000", "500,000")),
        ],
        marks=[
            line(*at(full * t), [each, Each(t, 0, 1, 25)], "quiet"),
            line(*at(seen * t), [each, Each(t, 0, 1, 25)], "a"),
            line(*where(new, at(seen + (needed - seen) * t)), [each, Each(t, 0, 1, 25)], "b"),
            text(ROW - 1, sp.Rational(1, 5) - 2 * PAIRS // ROW, "solid: seen, dashed: new"),
        ],
        say=[
            Say("Dials with new angles:", fresh, 0, "of 64."),
            Say("Slowest dial:", sp.Min(100, 100 * slowest), 1, "% of its way seen."),
            Say("Fastest dial:", scaled.subs(i, 0), 3, "radians a token."),
        ],
        view=(-1, 2 * ROW - 1, -2 * PAIRS // ROW - 1, 1),
        play=u,
        frames=[{"u": 0}, {"u": 2} | ({"w": 2, "g": known} if known else {})],
        lets=({} if known else {w: 0, g: 0})
        | {
            n: TRAINED * 2**u,
            s: 2**w,
            base: sp.Piecewise((10_000, sp.Eq(b, 0)), (500_000, True)),
            all_pairs: sp.Piecewise((1, sp.Eq(g, 1)), (0, True)),
            slow_pairs: sp.Piecewise((1, sp.Eq(g, 2)), (0, True)),
        },
    )


def truth(u: int, w: int, g: int, b: int) -> Said:
    n, s, freqs = 4096 * 2**u, 2.0**w, geometric_freqs(128, (10_000.0, 500_000.0)[b])
    scaled = (freqs, interpolate(freqs, s), ntk(freqs, s))[g]
    seen, needed = (4096 * freqs).clamp(max=2 * math.pi), (n * scaled).clamp(max=2 * math.pi)
    slowest = (100 * 4096 * freqs[-1] / (n * scaled[-1])).clamp(max=100)
    return [(needed > seen * (1 + 1e-9)).sum().item(), slowest.item(), scaled[0].item()]
