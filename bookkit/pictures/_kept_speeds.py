"""YaRN, a bar for each pair: which pairs of a rotary head may keep their speed in a longer text?"""

import math

import sympy as sp

from bookkit.movable import Axis, Choice, Each, Movable, Say, Slider, box, dots, draggable, line, only, text
from bookkit.movable.truth import Said
from posenc_lib.extension import by_parts, interpolate, llama3, ntk, yarn
from posenc_lib.pairs import geometric_freqs

PAIRS, BASE, TRAINED = 64, 10_000, 4096
MOST, HALVINGS = 10, 14  # the handles go from 2**10 turns to 1/16, from beyond the fastest pair to beyond the slowest
TICKS = ("512", "128", "32", "8", "2", "1", "1/8")
LINES = ("none", "interpolation", "NTK", "Llama 3", "YaRN in code")


def pair_of(halvings):
    """Which pair makes 2**(MOST - halvings) turns in training: mostly between two of them."""
    octave = PAIRS * sp.log(2) / sp.log(BASE)
    return PAIRS * sp.log(TRAINED / (2 * sp.pi * 2**MOST)) / sp.log(BASE) + octave * halvings


SHORT = math.ceil(pair_of(MOST))  # the first pair that made no full turn


def kept_speeds() -> Movable:
    a, b, w, other, t = sp.symbols("a b w other t", real=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)
    s, alpha, beta, blended = sp.symbols("s alpha beta blended", positive=True)
    right = sp.Symbol("right", real=True)  # beta's handle pushes alpha's along
    turns = TRAINED / (2 * sp.pi) * sp.Integer(BASE) ** (-i / sp.Integer(PAIRS))

    def blend(share):
        share = sp.Max(0, sp.Min(1, share))
        return (1 - share) / s + share

    height = blend((turns - alpha) / blended)
    # Most programs round the ends of their ramp, pairs 20.9 and 45.03, outwards.
    compared = (1 / s, s ** (-i / sp.Integer(PAIRS - 1)), blend((turns - 1) / 3), blend((46 - i) / sp.Integer(26)))

    def of_line(told):
        return sp.Piecewise(*((told(part), sp.Eq(other, k)) for k, part in enumerate(compared, 1)), (sp.nan, True))

    def new(part):
        return s * part > sp.Rational(1001, 1000)

    def count(part):
        return sp.Sum(sp.Piecewise((1, new(part)), (0, True)), (i, SHORT, PAIRS - 1))

    each, upright, wide = Each(i, 0, PAIRS - 1), Each(t, 0, 1, 2), sp.Rational(4, 5)
    shade = sp.Piecewise((0.65, turns >= beta), (0.25, turns <= alpha), (0.45, True))
    keeps, slows = pair_of(b), pair_of(right)
    top = sp.Rational(6, 5)
    return Movable(
        name="kept_speeds",
        alt="A bar for each of 64 pairs, from the fastest on the left to the slowest: its height is the part of its "
        "trained speed that it keeps. Two handles divide the bars into those that keep all, a ramp, and those that are "
        "slowed down in full. A bar with a new angle has another colour.",
        question="A text s times as long: which pairs of a rotary head may keep their speed? Drag β; rust is a new "
        "angle.",
        answer="Those that made a full turn in training: 46 of the 64. YaRN is more careful. It keeps the pairs that "
        "made at least 32 turns (β), divides by s where a pair made less than one (α), and blends between. "
        "Interpolation brings neighbours closer together, and NTK shows new angles in 17 pairs.",
        controls=[
            Slider(b, "keep from β =", 0, HALVINGS, 0, 0.25, shown=2 ** (MOST - b), digits=2),
            Slider(a, "slow below α =", 0, HALVINGS, 0, 0.25, shown=2 ** (MOST - right), digits=2),
            Slider(w, "times as long, s =", 1, 5, 3, shown=2**w),
            Choice(other, "a line to compare with", LINES),
        ],
        marks=[
            box(i, sp.Rational(1, 2), (wide, 1), sp.Rational(1, 12), each, "quiet"),
            box(i, height / 2, (wide, only((i < SHORT) | ~new(height), height)), shade, each, "a"),
            box(i, height / 2, (wide, only(new(height), height)), 1, Each(i, SHORT, PAIRS - 1), "b"),
            line(i, of_line(lambda part: part), each, "c"),
            line(keeps, t, upright, "quiet"),
            line(slows, t, upright, "quiet"),
            draggable(dots(slows, 1 / s, look="quiet"), a),
            draggable(dots(keeps, 1, look="quiet"), b),
            text(keeps, sp.Rational(109, 100), "β"),
            text(slows + 2, 1 / s + sp.Rational(9, 100), "α"),
            text(only(keeps > 10, (keeps - 1) / 2), top, "keep", look="a"),
            text(only(slows - keeps > 12, (keeps + slows) / 2), top, "blend", look="a"),
            text(only(slows < PAIRS - 12, (slows + PAIRS) / 2), top, "slow down", look="a"),
        ],
        say=[
            Say("Pairs that meet new angles:", count(height), 0, f"of {PAIRS}."),
            Say("Fastest pair turns by", height.subs(i, 0), 3, "radians a token."),
            Say("On the line, new angles:", of_line(count), 0, f"of {PAIRS}."),
            Say("On the line, fastest pair:", of_line(lambda part: part.subs(i, 0)), 3, "radians a token."),
        ],
        view=(-4, PAIRS + 2, 0, 1.3),
        axes=(
            Axis("turns in training", {float(pair_of(MOST - sp.log(sp.Rational(r), 2))): r for r in TICKS}),
            Axis("speed kept", {0: "0", 0.5: "50 %", 1: "100 %"}),
        ),
        play=b,
        frames=[{"b": 0}, {"b": MOST - 5, "a": MOST}],
        lets={
            s: 2**w,
            right: sp.Max(a, b),
            beta: 2 ** (MOST - b),
            alpha: 2 ** (MOST - right),
            blended: sp.Max(beta - alpha, sp.Rational(1, 10**9)),  # where the handles meet, nothing is
        },
    )


def truth(a: float, b: float, w: int, other: int) -> Said:
    freqs, s = geometric_freqs(128), 2.0**w
    beta = 2.0 ** (10 - b)
    bars = by_parts(freqs, s, 4096, alpha=min(2.0 ** (10 - a), beta), beta=beta)
    lines = (interpolate(freqs, s), ntk(freqs, s), llama3(freqs, s, 4096), yarn(freqs, s, 4096))
    short = 4096 * freqs < 2 * math.pi

    def told(scaled) -> Said:
        return [(short & (s * scaled > 1.001 * freqs)).sum().item(), scaled[0].item()]

    return told(bars) + (told(lines[other - 1]) if other else [math.nan, math.nan])
