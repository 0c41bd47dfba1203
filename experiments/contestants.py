"""Who takes part. A further method joins by one line in `TRAINED`, or in `RESCALED` if it needs no training."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import torch
from torch import Tensor, nn

from bookkit.comparison import FAR
from posenc_lib import Slots
from posenc_lib.absolute import Learned, Sinusoidal
from posenc_lib.extension import interpolate, llama3, ntk, random_positions, temperature, yarn
from posenc_lib.pairs import geometric_freqs
from posenc_lib.relative import Alibi, ShawKeys, ShawValues, T5Bias, alibi_slopes
from posenc_lib.rotary import Rotary, XPos, proportional_freqs, xpos_rates
from posenc_lib.slots import PositionEmbedding
from posenc_lib.transformer import Encoder, EncoderLayer, TokenEmbedding

D_MODEL, HEADS, LAYERS = 64, 4, 4
D_HEAD = D_MODEL // HEADS


@dataclass(frozen=True)
class Contestant:
    """What differs between the models: `slots` gives one value a layer; `positions` those of one text of n tokens."""

    slots: Callable[[], list[Slots]]
    embedding: Callable[[int], PositionEmbedding | None] = lambda trained: None
    positions: Callable[[int, int, torch.Generator], Tensor] = lambda n, trained, generator: torch.arange(n)


def each_layer(make: Callable[[], Slots]) -> Callable[[], list[Slots]]:
    return lambda: [make() for _ in range(LAYERS)]


def rotary(freqs: Tensor | None = None, scale: float | None = None) -> Slots:
    return Slots(transform=Rotary(geometric_freqs(D_HEAD) if freqs is None else freqs), scale=scale)


def small(*shape: int) -> Tensor:
    return 0.02 * torch.randn(shape)


def shaw() -> Slots:
    """The clip of 16 is the paper's; no key comes after its query."""
    return Slots(content_bias=ShawKeys(D_HEAD, 16, 0), value_bias=ShawValues(D_HEAD, 16, 0))


def anywhere(n: int, trained: int, generator: torch.Generator) -> Tensor:
    return random_positions(n, FAR * trained, generator=generator)


def yarn_rotary(freqs: Tensor, factor: float, trained: int) -> Slots:
    return rotary(yarn(freqs, factor, trained), scale=temperature(factor) ** 2 / sqrt(D_HEAD))


TRAINED = {
    "none": Contestant(each_layer(Slots)),
    "sinusoidal": Contestant(each_layer(Slots), embedding=lambda trained: Sinusoidal(D_MODEL)),
    "learned": Contestant(each_layer(Slots), embedding=lambda trained: Learned(small(FAR * trained, D_MODEL))),
    "shaw": Contestant(each_layer(shaw)),
    "t5": Contestant(lambda: [Slots(bias=T5Bias(HEADS, bidirectional=False))] * LAYERS),  # one table for all, as in T5
    "alibi": Contestant(each_layer(lambda: Slots(bias=Alibi(alibi_slopes(HEADS))))),
    "rotary": Contestant(each_layer(rotary)),
    "xpos": Contestant(each_layer(lambda: Slots(transform=XPos(geometric_freqs(D_HEAD), xpos_rates(D_HEAD))))),
    "p-rope": Contestant(each_layer(lambda: rotary(proportional_freqs(D_HEAD, fraction=0.75)))),
    "random positions": Contestant(each_layer(rotary), positions=anywhere),
    "three of four": Contestant(lambda: [rotary(), rotary(), rotary(), Slots()]),
}

# The trained rotary model, read with other frequencies: (frequencies, how many times as long, trained length) -> slots.
RESCALED: dict[str, Callable[[Tensor, float, int], Slots]] = {
    "interpolated": lambda freqs, factor, trained: rotary(interpolate(freqs, factor)),
    "ntk": lambda freqs, factor, trained: rotary(ntk(freqs, factor)),
    "yarn": yarn_rotary,
    "llama 3": lambda freqs, factor, trained: rotary(llama3(freqs, factor, trained)),
}


def readings(name: str, factor: int, trained: int) -> dict[str, list[Slots] | None]:
    """How a trained model is read at that length: as it is (None), and the rotary one with other frequencies too."""
    rescaled = RESCALED if name == "rotary" else {}
    freqs = geometric_freqs(D_HEAD)
    return {name: None} | {new: [make(freqs, float(factor), trained)] * LAYERS for new, make in rescaled.items()}


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
        self.use(contestant.slots())

    def use(self, slots: list[Slots]) -> None:
        for layer, its in zip(self.layers.layers, slots, strict=True):
            layer.self_attention.slots = its

    def forward(self, tokens: Tensor, positions: Tensor) -> Tensor:
        order = torch.arange(tokens.shape[1])
        hidden = self.layers(self.embed(tokens, positions), mask=order[:, None] >= order, positions=positions)
        return self.to_scores(hidden)
