"""From how many tokens each token of a text is predicted, by window and stride; and the perplexity that comes of it."""

import math

import sympy as sp

from bookkit.movable import Axis, Choice, Each, Movable, Say, Slider, dots, draggable, line, text
from bookkit.movable.truth import Said
from bookkit.pages.measuring import contexts, measured

TOKENS, TRAINED = 192, 64
WINDOWS = (64, 128)


def by_context() -> list[float]:
    """The loss of the first rotary model of the record, at contexts 0 … 127; nothing is predicted from no token."""
    found = measured("loss by context", "rotary")
    return [0.0, *(found[c][0] for c in range(1, max(WINDOWS)))]


def window_strides() -> Movable:
    e, t, which, u = sp.symbols("e t which u", real=True)
    x, i = sp.symbols("x i", integer=True, nonnegative=True)
    w, s, first = sp.symbols("w s first", integer=True, nonnegative=True)
    loss = sp.IndexedBase("loss")

    def context(at):
        return sp.Piecewise((at, at < w), (w - s + sp.Mod(at - w, s), True))

    begin = t - context(t)
    scored = sp.Piecewise((0, t < w), (begin + w - s, True))
    nothing = sp.Piecewise((1, sp.Eq(w, s)), (0, True))  # what begins a window is not scored
    total = sp.Sum(loss[w - s + first + i], (i, 0, s - first - 1))
    return Movable(
        name="window_strides",
        alt="Dots show, for 192 tokens, from how many tokens before it each is predicted: a saw that climbs to the "
        "window less one, and falls back by the stride. Below it a thin line shows the window of one token, and a "
        "thick one the part of it that is scored.",
        question="Same model, same text. If the stride shrinks from 64 to 1, what becomes of the perplexity, with "
        "each of the windows?",
        answer="With the window of 64 it falls from 5.74 to 5.49 at a stride of 32, and then stays: this model "
        "gains little from more than 16 tokens. With the window of 128 it climbs from 7.36 to 22.99, for "
        "what is left of each tooth lies beyond what the model can use.",
        controls=[
            Choice(which, "window", tuple(str(width) for width in WINDOWS)),
            Slider(e, "stride:", 0, 6, 6, shown=2**e),
            Slider(t, "token:", 0, TOKENS - 1, 150),
        ],
        marks=[
            line(x, TRAINED, Each(x, 0, TOKENS - 1, 2), "quiet"),
            text(0, TRAINED + 5, "trained to here", anchor="start"),
            dots(x, context(x), Each(x, 0, TOKENS - 1), "a"),
            line(begin + u * w, -14, Each(u, 0, 1, 2), "quiet"),
            line(scored + u * (begin + w - scored), -10, Each(u, 0, 1, 2), "b"),
            draggable(dots(t, context(t), look="c"), t),
        ],
        say=[
            Say("Tokens before this one in its window:", context(t), 0),
            Say("Fewest earlier tokens, after the first window:", w - s, 0),
            Say("Perplexity of a tiny rotary model:", sp.exp(total / (s - first)), 2),
        ],
        view=(-4, TOKENS + 3, -22, 134),
        play=e,
        frames=[{"e": 6}, {"e": 4}],
        axes=(
            Axis("token", {at: str(at) for at in range(0, TOKENS + 1, 64)}),
            Axis("context", {at: str(at) for at in (0, 64, 128)}),
        ),
        lets={w: 64 + 64 * which, s: 2**e, first: nothing},
        tables={loss: by_context()},
    )


def truth(which: int, e: int, t: int) -> Said:
    """Windows laid out one by one, and the record's losses at the contexts that a stride gives."""
    w, s = 64 * (which + 1), 2**e
    given = contexts(192 + 4 * w, w, s)
    found = measured("loss by context", "rotary")
    period = given[w : w + s].tolist()
    scored = [found[c][0] for c in period if c]
    return [given[t].item(), min(period), math.exp(sum(scored) / len(scored))]
