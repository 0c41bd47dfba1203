"""One key that stands out among n: how its weight thins as the text grows, and what a factor of ln n does."""

import sympy as sp
import torch

from bookkit.movable import Axis, Each, Movable, Say, Slider, dots, draggable, line, text
from bookkit.movable.truth import Said
from posenc_lib import Slots, attention_weights
from posenc_lib.extension import ScaledQueries, log_n

TRAINED = 512


def scaled_scores() -> Movable:
    e, c, x = sp.symbols("e c x", real=True)

    def factor(n):
        return sp.Max(1, sp.log(n) / sp.log(TRAINED))

    def weight(n, score):
        return sp.exp(score) / (sp.exp(score) + n - 1)

    def entropy(n, score):  # of one key with this score, and n − 1 keys with the score 0
        w = weight(n, score)
        return -w * sp.log(w) - (1 - w) * sp.log((1 - w) / (n - 1))

    n, length = 2**e, 2**x
    # Below its curve, or above its end where there is no room below.
    below, above = entropy(2**12, c) - sp.Rational(13, 10), entropy(2**16, c) + sp.Rational(4, 5)
    beside = sp.Piecewise((below, c <= 9), (above, True))
    grid = Each(x, 4, 16, 121)
    return Movable(
        name="scaled_scores",
        alt="Three curves of the entropy of the attention weights against the length of the text, on a logarithmic "
        "axis. The straight line is that of equal weights. With fixed scores the entropy approaches it; with "
        "scores that grow like the logarithm of the length it stays lower.",
        question="One key scores 8, all others 0, and at 512 tokens it has most of the weight. What is left at 65,536?",
        answer="About 4 %. Each doubling of the text doubles the competitors, so the score must grow by ln 2 = 0.69 "
        "each time: like ln n. With the factor ln n / ln L a score above ln L, 6.2 here, gains; one below it "
        "still loses.",
        controls=[
            Slider(e, "length of the text, n =", 4, 16, 9, shown=n),
            Slider(c, "the key stands out by a score of", 0, 12, 8, 0.5, digits=1),
        ],
        marks=[
            line(x, sp.log(length), grid, "quiet"),
            line(x, entropy(length, c), grid, "a"),
            line(x, entropy(length, c * factor(length)), grid, "b"),
            text(11, sp.log(2**11) + sp.Rational(6, 5), "equal weights", anchor="end"),
            text(sp.Rational(79, 5), beside, "as they are", look="a", anchor="end"),
            text(
                sp.Rational(79, 5),
                entropy(2**15, c * factor(2**15)) + sp.Rational(4, 5),
                "scaled",
                look="b",
                anchor="end",
            ),
            draggable(dots(e, entropy(n, c), look="a"), e),
            dots(e, entropy(n, c * factor(n)), look="b"),
        ],
        say=[
            Say("Weight of the key, scores as they are:", 100 * weight(n, c), 1, "%"),
            Say(
                "Weight of the key, scores times ln n / ln 512 beyond 512 tokens:",
                100 * weight(n, c * factor(n)),
                1,
                "%",
            ),
            Say("Entropy, as they are:", entropy(n, c), 3),
            Say("Entropy, scaled:", entropy(n, c * factor(n)), 3),
        ],
        view=(4, 16, 0, 12),
        play=e,
        frames=[{"e": 9}, {"e": 16}],
        axes=(
            Axis("tokens n", {4: "16", 7: "128", 9: "512", 12: "4,096", 16: "65,536"}),
            Axis("entropy", {at: str(at) for at in (0, 4, 8, 12)}),
        ),
    )


def truth(e: int, c: float) -> Said:
    n = 2**e
    k = torch.zeros(n, 1, dtype=torch.float64)
    k[0] = c
    one, last = torch.ones(1, 1, dtype=torch.float64), torch.tensor([n - 1])
    scaled = ScaledQueries(lambda positions: log_n(positions, 512))
    rows = [attention_weights(one, k, slots, q_positions=last)[0] for slots in (Slots(), Slots(transform=scaled))]
    return [100 * row[0].item() for row in rows] + [-(row * row.log()).sum().item() for row in rows]
