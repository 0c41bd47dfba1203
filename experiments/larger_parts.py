"""What `larger` is made of: its size, its texts, who takes part, how else rotary is read, and the model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from experiments.comparison import contestants
from experiments.comparison.streams import stream
from experiments.comparison.tasks import FAR, source
from posenc_lib import Slots
from posenc_lib.content import ForgetGates
from posenc_lib.extension import SlidingWindow, interpolate, ntk, temperature, yarn
from posenc_lib.pairs import geometric_freqs
from posenc_lib.relative import Alibi, Kerple, ShawKeys, ShawValues, T5Bias, alibi_slopes, kerple_start
from posenc_lib.rotary import Rotary
from posenc_lib.transformer import Encoder, EncoderLayer, TokenEmbedding

BYTES = 256


@dataclass(frozen=True)
class Size:
    """`judged` are the last bytes of each of the `windows` that a seed reads."""

    width: int = 256
    heads: int = 8
    layers: int = 6
    inner: int = 512
    trained: int = 512
    batch: int = 16
    steps: int = 1000
    windows: int = 64
    judged: int = 128

    @property
    def of_head(self) -> int:
        return self.width // self.heads


LARGE = Size()


def windows(use: str, ends: Tensor, n: int) -> Tensor:
    """The n bytes before each end, which are predicted, and one more before them."""
    return source(use)[ends[:, None] + torch.arange(-n, 1)].long()


def batch_of(size: Size, seed: int, step: int) -> Tensor:
    generator = stream("training", "text", seed, step)
    ends = torch.randint(size.trained, len(source("training")), (size.batch,), generator=generator)
    return windows("training", ends, size.trained)


def report_of(size: Size, seed: int, times: int) -> Tensor:
    """Windows that end at the same bytes whatever their length. No byte is judged for two seeds."""
    places = torch.arange(FAR * size.trained, len(source("report")), size.judged)
    order = torch.randperm(len(places), generator=stream("report", "text", 0))
    ends = places[order[seed * size.windows : (seed + 1) * size.windows]]
    return windows("report", ends, times * size.trained)


Layers = Callable[[Size], list[Slots]]


def alike(make: Callable[[Size], Slots]) -> Layers:
    return lambda size: [make(size) for _ in range(size.layers)]


def plain_last(make: Callable[[Size], Slots]) -> Layers:
    return lambda size: [*(make(size) for _ in range(size.layers - 1)), Slots()]


def rotary(size: Size) -> Slots:
    return Slots(transform=Rotary(geometric_freqs(size.of_head)))


def windowed(size: Size) -> Slots:
    return Slots(transform=rotary(size).transform, bias=SlidingWindow(size.trained // 4))


def shaw(size: Size) -> Slots:
    return Slots(content_bias=ShawKeys(size.of_head, 16, 0), value_bias=ShawValues(size.of_head, 16, 0))


def t5(size: Size) -> list[Slots]:
    """One table for all layers; the scores are divided by √d, as those of all contestants."""
    return [Slots(bias=T5Bias(size.heads, 32, 128, bidirectional=False))] * size.layers


CONTESTANTS: dict[str, Layers] = {
    "none": alike(lambda size: Slots()),
    "rotary": alike(rotary),
    "alibi": alike(lambda size: Slots(bias=Alibi(alibi_slopes(size.heads)))),
    "kerple": alike(lambda size: Slots(bias=Kerple(*kerple_start(size.heads)))),
    "shaw 16": alike(shaw),
    "t5 128": t5,
    "window and plain": plain_last(windowed),
    "all but the last": plain_last(rotary),
    "fox": alike(lambda size: Slots(content_bias=ForgetGates(size.heads, size.of_head))),
}


def scaled(size: Size, times: int) -> dict[str, list[Slots]]:
    """The trained rotary model with other frequencies, beyond the trained length; nothing is trained further."""
    if times == 1:
        return {}
    freqs, factor = geometric_freqs(size.of_head), float(times)
    made = {"interpolated": interpolate(freqs, factor), "ntk": ntk(freqs, factor)}
    slots = {name: Slots(transform=Rotary(of)) for name, of in made.items()}
    scale = temperature(factor) ** 2 / sqrt(size.of_head)
    slots["yarn"] = Slots(transform=Rotary(yarn(freqs, factor, size.trained)), scale=scale)
    return {name: [each] * size.layers for name, each in slots.items()}


class Model(nn.Module):
    """What all contestants share is drawn first: the same seed gives the same first weights to each of them."""

    slots, use = contestants.Model.slots, contestants.Model.use  # layers lie alike in the tiny model

    def __init__(self, layers: Layers, size: Size) -> None:
        super().__init__()
        self.embed = TokenEmbedding(BYTES, size.width, dropout=0.0)
        self.layers = Encoder(EncoderLayer(size.width, size.heads, size.inner, 0.0) for _ in range(size.layers))
        self.to_scores = nn.Linear(size.width, BYTES)
        self.use(layers(size))

    def forward(self, tokens: Tensor) -> Tensor:
        order = torch.arange(tokens.shape[1], device=tokens.device)
        return self.to_scores(self.layers(self.embed(tokens), mask=order[:, None] >= order, positions=order))

    def losses(self, tokens: Tensor) -> Tensor:
        """Of each byte but the first, predicted from those before it [b, n]."""
        return cross_entropy(self(tokens[:, :-1]).transpose(1, 2), tokens[:, 1:], reduction="none")
