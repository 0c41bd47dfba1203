"""Scores of a pair of words against the distance: with RoPE the words place the peak, with PoPE the head does."""

import sympy as sp
import torch
import torch.nn.functional as F
from torch.nn.functional import softplus

from bookkit.movable import Axis, Choice, Each, Movable, Say, Slider, dots, draggable, line, rounded
from bookkit.movable.truth import Said
from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import PoPE, Rotary

FEATURES, WORDS, LONGEST = 32, 4, 64


def words() -> tuple[torch.Tensor, torch.Tensor]:
    """A random query and a random key for each choice."""
    torch.manual_seed(0)
    return torch.randn(2, WORDS, FEATURES, dtype=torch.float64)


def rotary_parts() -> list[torch.Tensor]:
    """Of the product of query and conjugate key: real and imaginary part, pair by pair, as shares of all lengths."""
    q, k = (torch.view_as_complex(x.unflatten(-1, (-1, 2))) for x in words())
    product = q * k.conj()
    product = product / product.abs().sum(-1, keepdim=True)
    return [product.real, product.imag]


def polar_lengths() -> torch.Tensor:
    """What each feature can give to the score at most, as a share of all."""
    q, k = map(softplus, words())
    return q * k / (q * k).sum(-1, keepdim=True)


def words_or_head() -> Movable:
    r, x, c = sp.symbols("r x c", real=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)
    slow, fine, real, imaginary, length = (
        sp.IndexedBase(name) for name in ("slow", "fine", "real", "imaginary", "length")
    )

    def rope(t):
        wave = real[c, i] * sp.cos(t * slow[i]) - imaginary[c, i] * sp.sin(t * slow[i])
        return sp.Sum(wave, (i, 0, FEATURES // 2 - 1))

    def pope(t):
        return sp.Sum(length[c, i] * sp.cos((t - r) * fine[i]), (i, 0, FEATURES - 1))

    return Movable(
        name="words_or_head",
        alt="Two curves of a score against the distance from 0 to 64 tokens. The dashed one, PoPE, has its highest "
        "point where a vertical line stands, at the height 1. The solid one, RoPE, has several peaks elsewhere.",
        question="Which of the two highest points moves if you take other words, and which if you take another r?",
        answer="RoPE's (solid) moves with the words and not with r. PoPE's (dashed) stays at r, with all words, which "
        "only change the shape beside it.",
        controls=[
            Choice(c, "the words", ("words 1", "words 2", "words 3", "words 4")),
            Slider(r, "the head looks back by r =", 0, 60, 20),
        ],
        marks=[
            line(r, x, Each(x, -0.8, 1.05, 2), "quiet"),
            line(x, rope(x), Each(x, 0, LONGEST, 4 * LONGEST + 1), "a"),
            line(x, pope(x), Each(x, 0, LONGEST, 4 * LONGEST + 1), "b"),
            draggable(dots(r, pope(r), look="b"), r),
        ],
        say=[Say("At distance r: RoPE", rope(r), 4), Say("and PoPE", pope(r), 4)],
        view=(0, LONGEST, -0.8, 1.1),
        play=r,
        frames=[{"c": 0, "r": 20}, {"c": 1, "r": 20}],
        axes=(
            Axis("distance m − n, in tokens back", {at: str(at) for at in (0, 16, 32, 48, 64)}),
            Axis("share of the highest score possible", {-0.5: "−0.5", 0: "0", 0.5: "0.5", 1: "1"}),
        ),
        tables={
            slow: rounded(geometric_freqs(FEATURES)),
            fine: rounded(geometric_freqs(2 * FEATURES)),
            real: rounded(rotary_parts()[0]),
            imaginary: rounded(rotary_parts()[1]),
            length: rounded(polar_lengths()),
        },
    )


def truth(c: int, r: int) -> Said:
    torch.manual_seed(0)
    q, k = torch.randn(2, 4, 32, dtype=torch.float64)[:, c, None]
    at = torch.tensor([r]), torch.tensor([0])
    pope = PoPE(geometric_freqs(64), 1).double()
    pope.phases.data[:] = r * geometric_freqs(64)
    highest = (q.view(16, 2).norm(dim=-1) * k.view(16, 2).norm(dim=-1)).sum(), (F.softplus(q) * F.softplus(k)).sum()
    both = Rotary(geometric_freqs(32))(q, k, *at), pope(q[None], k[None], *at)
    return [((a * b).sum() / top).item() for (a, b), top in zip(both, highest, strict=True)]
