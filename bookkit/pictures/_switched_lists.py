"""A text that grows past 4,096 tokens: the factors of Phi-3-vision for the new token, and for the cached keys."""

import sympy as sp
import torch

from bookkit.movable import Axis, Choice, Each, Movable, Say, Slider, line, rounded, text
from bookkit.movable.truth import Said
from bookkit.pages.configurations import PHI_3_VISION
from posenc_lib import released_rope
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import rotate

PAIRS, TRAINED, BACK = 48, 4_096, 50
LAST = 8  # tokens before and after the trained length that the slider has


def factors() -> list[torch.Tensor]:
    """What each frequency is divided by: with the short list, and with the long one."""
    plain = geometric_freqs(2 * PAIRS)
    return [plain / released_rope(PHI_3_VISION, n=n).freqs for n in (TRAINED, TRAINED + 1)]


def products() -> torch.Tensor:
    """Of a query and the conjugate of a key, pair by pair: real and imaginary part."""
    draw = torch.Generator().manual_seed(0)
    q, k = torch.randn(2, PAIRS, 2, dtype=torch.float64, generator=draw)
    return torch.view_as_real(torch.view_as_complex(q) * torch.view_as_complex(k).conj()).T


def switched_lists() -> Movable:
    n, c = sp.symbols("n c", real=True)
    fresh, old = sp.symbols("fresh old", real=True)  # the list of the new token, and of the keys: 0 short, 1 long
    i = sp.Symbol("i", integer=True, nonnegative=True)
    factor, theta, real, imaginary = (sp.IndexedBase(name) for name in ("factor", "theta", "real", "imaginary"))

    def score(keys):
        at = n - 1  # of the last token; the key is so many tokens back
        angle = theta[i] * (at / factor[fresh, i] - (at - BACK) / factor[keys, i])
        return sp.Sum(real[i] * sp.cos(angle) - imaginary[i] * sp.sin(angle), (i, 0, PAIRS - 1))

    def height(value):
        return sp.log(value) / sp.log(2)

    each = Each(i, 0, PAIRS - 1)
    return Movable(
        name="switched_lists",
        alt="Two lines over the 48 pairs, from the fastest to the slowest: what the frequencies are divided by, from 1 "
        "to 64. The solid line is for the new token, the dashed one for the keys of the cache. At 4,096 tokens they "
        "lie on each other, just above 1. At 4,097 the solid one is higher, and rises to 64.",
        question="Phi-3-vision has cached 4,096 tokens. When one more comes, what happens to its factors, and do the "
        "cached keys still fit?",
        answer="All 48 factors change at once, those of slow pairs from 3 to 64: up to 4,096 tokens the model has "
        "one list, and beyond another. The cached keys were rotated by the first one, so the score with a key 50 back "
        "is wrong. It is right again once all keys are rotated by the new list.",
        controls=[
            Slider(n, "tokens in the text:", TRAINED - LAST, TRAINED + LAST, TRAINED),
            Choice(c, "cached keys", ("kept as they are", "rotated again")),
        ],
        marks=[
            line(i, height(factor[fresh, i]), each, "a"),
            line(i, height(factor[old, i]), each, "b"),
            text(1, 6.6, "solid: the new token", look="a", anchor="start"),
            text(1, 5.9, "dashed: the cached keys", look="b", anchor="start"),
        ],
        say=[
            Say("Slowest pair, new token: divided by", factor[fresh, PAIRS - 1], 1),
            Say("cached keys: by", factor[old, PAIRS - 1], 1),
            Say(f"Score with the key {BACK} back:", score(old), 2),
            Say("with one list for both:", score(fresh), 2),
        ],
        view=(0, PAIRS - 1, 0, 7),
        play=n,
        frames=[{"n": TRAINED}, {"n": TRAINED + 1}],
        axes=(
            Axis("pair, from fast to slow", {0: "0", 12: "12", 24: "24", 36: "36", 47: "47"}),
            Axis("frequency divided by", {0: "1", 2: "4", 4: "16", 6: "64"}),
        ),
        tables={
            factor: rounded(torch.stack(factors())),
            theta: rounded(geometric_freqs(2 * PAIRS)),
            real: rounded(products()[0], 8),
            imaginary: rounded(products()[1], 8),
        },
        lets={
            fresh: sp.Min(1, sp.Max(0, n - TRAINED)),
            old: c * sp.Min(1, sp.Max(0, n - TRAINED)),
        },
    )


def truth(n: int, c: int) -> Said:
    q, k = torch.randn(2, 48, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).flatten(1)
    new = released_rope(PHI_3_VISION, n=n).freqs
    kept = released_rope(PHI_3_VISION, n=n if c else 4_096).freqs
    query = rotate(q[None], position_angles(torch.tensor([n - 1]), new))
    keys = [rotate(k[None], position_angles(torch.tensor([n - 51]), freqs)) for freqs in (kept, new)]
    slowest = [1e4 ** (-47 / 48) / freqs[-1].item() for freqs in (new, kept)]
    return slowest + [(query @ key.T).item() for key in keys]
