"""Who takes part. A further contestant joins by one line in `CONTESTANTS`, and its formula in `formulas`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import torch
from torch import Tensor, nn

from experiments.comparison.slots import Path
from experiments.comparison.tasks import FAR
from posenc_lib import Slots
from posenc_lib.absolute import Learned, Sinusoidal
from posenc_lib.content import CoPE, ForgetGates, stick_breaking
from posenc_lib.extension import SlidingWindow, random_positions, smallest_base
from posenc_lib.pairs import geometric_freqs
from posenc_lib.relative import Alibi, Fire, Kerple, ShawKeys, ShawValues, T5Bias, alibi_slopes, kerple_start
from posenc_lib.rotary import Rotary, XPos, proportional_freqs, xpos_rates
from posenc_lib.slots import PositionEmbedding
from posenc_lib.transformer import Encoder, EncoderLayer, TokenEmbedding

D_MODEL, HEADS, LAYERS = 64, 4, 4
D_HEAD = D_MODEL // HEADS
HEADLINE, VARIANT = 10, 5
"""So many seeds have the contestants of the headline, and those that differ from one of them in a constant."""


@dataclass(frozen=True)
class Contestant:
    """What differs between the models. `slots` gives one value a layer for a trained length, which is in tokens."""

    slots: Callable[[int], list[Slots]]
    embedding: Callable[[int], PositionEmbedding | None] = lambda trained: None
    positions: Callable[[int, int, torch.Generator], Tensor] = lambda n, trained, generator: torch.arange(n)
    seeds: int = HEADLINE


def alike(make: Callable[..., Slots], *numbers: float, seeds: int = HEADLINE) -> Contestant:
    """The same in each layer, with parameters of its own."""
    return Contestant(lambda trained: [make(*numbers) for _ in range(LAYERS)], seeds=seeds)


def rotary(base: float = 10_000.0) -> Slots:
    return Slots(transform=Rotary(geometric_freqs(D_HEAD, base)))


def shaw(reach: int) -> Slots:
    """No key comes after its query."""
    return Slots(content_bias=ShawKeys(D_HEAD, reach, 0), value_bias=ShawValues(D_HEAD, reach, 0))


def t5(reach: int, seeds: int = HEADLINE) -> Contestant:
    """One table for all layers, as in T5; the scores are divided by √d, as those of all contestants."""
    return Contestant(lambda _: [Slots(bias=T5Bias(HEADS, 32, reach, bidirectional=False))] * LAYERS, seeds=seeds)


def windowed(trained: int) -> Slots:
    return Slots(transform=rotary().transform, bias=SlidingWindow(trained // 4))


def anywhere(n: int, trained: int, generator: torch.Generator) -> Tensor:
    return random_positions(n, FAR * trained, generator=generator)


def small(*shape: int) -> Tensor:
    return 0.02 * torch.randn(shape)


smallest = cache(partial(smallest_base, D_HEAD))


def xpos() -> Slots:
    return Slots(transform=XPos(geometric_freqs(D_HEAD), xpos_rates(D_HEAD)))


CONTESTANTS = {
    "none": alike(Slots),
    "sinusoidal": Contestant(alike(Slots).slots, lambda trained: Sinusoidal(D_MODEL)),
    "learned": Contestant(alike(Slots).slots, lambda trained: Learned(small(FAR * trained, D_MODEL))),
    "shaw 16": alike(shaw, 16),
    "shaw 128": alike(shaw, 128, seeds=VARIANT),
    "t5 32": t5(32),
    "t5 64": t5(64, VARIANT),
    "t5 128": t5(128),
    "alibi": alike(lambda: Slots(bias=Alibi(alibi_slopes(HEADS)))),
    "kerple": alike(lambda: Slots(bias=Kerple(*kerple_start(HEADS)))),
    "fire 16": alike(lambda: Slots(bias=Fire(HEADS, threshold=16.0))),
    "fire 512": alike(lambda: Slots(bias=Fire(HEADS)), seeds=VARIANT),
    "rotary": alike(rotary),
    "rotary 14": alike(rotary, 14.0),
    "rotary, smallest base": Contestant(lambda trained: [rotary(smallest(trained))] * LAYERS, seeds=VARIANT),
    "p-rope": alike(lambda: Slots(transform=Rotary(proportional_freqs(D_HEAD, fraction=0.25))), seeds=VARIANT),
    "xpos": alike(xpos),
    "random positions": Contestant(alike(rotary).slots, positions=anywhere),
    "three of four": Contestant(lambda trained: [rotary(), rotary(), rotary(), Slots()]),
    "window": Contestant(lambda trained: [windowed(trained) for _ in range(LAYERS)], seeds=VARIANT),
    "window and plain": Contestant(lambda trained: [*(windowed(trained) for _ in range(LAYERS - 1)), Slots()]),
    "fox": alike(lambda: Slots(content_bias=ForgetGates(HEADS, D_HEAD))),
    "stick-breaking": alike(lambda: Slots(weights=stick_breaking)),
    "cope": Contestant(lambda trained: [Slots(content_bias=CoPE(D_HEAD, trained)) for _ in range(LAYERS)]),
    "cope 16": alike(lambda: Slots(content_bias=CoPE(D_HEAD, 16)), seeds=VARIANT),
    "path": alike(lambda: Path(HEADS, D_HEAD).slots()),
}


class Model(nn.Module):
    """A causal language model of the library's own layers.

    What all contestants share is drawn first, so that the same seed gives the same initial weights to each of them.
    """

    def __init__(self, n_tokens: int, contestant: Contestant, trained: int) -> None:
        super().__init__()
        self.embed = TokenEmbedding(n_tokens, D_MODEL, dropout=0.0)
        self.layers = Encoder(EncoderLayer(D_MODEL, HEADS, 2 * D_MODEL, 0.0) for _ in range(LAYERS))
        self.to_scores = nn.Linear(D_MODEL, n_tokens)
        self.embed.position = contestant.embedding(trained)
        self.use(contestant.slots(trained))

    @property
    def slots(self) -> list[Slots]:
        return [layer.self_attention.slots for layer in self.layers.layers]

    def use(self, slots: list[Slots]) -> None:
        for layer, its in zip(self.layers.layers, slots, strict=True):
            layer.self_attention.slots = its

    def forward(self, tokens: Tensor, positions: Tensor) -> Tensor:
        order = torch.arange(tokens.shape[1])
        hidden = self.layers(self.embed(tokens, positions), mask=order[:, None] >= order, positions=positions)
        return self.to_scores(hidden)
