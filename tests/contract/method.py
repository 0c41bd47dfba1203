"""A method ready to be put into attention and into the Transformer, and what several `method.py` make theirs of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from posenc_lib import Rotary, Slots, geometric_freqs
from posenc_lib.slots import PositionEmbedding
from tests.support import weights
from tests.support.weights import normal

H, D = 2, 8
D_MODEL = H * D


@dataclass(frozen=True)
class Method:
    """What it does before attention and within it; `relative` says that only distances count."""

    uses: tuple[object, ...]
    relative: bool
    embedding: PositionEmbedding | None = None
    slots: Slots = field(default_factory=Slots)
    positions: Callable[[int], Tensor] = torch.arange
    embed: Callable[[Tensor, Tensor], Tensor] | None = None  # content and positions in one, where they are not added
    loops: bool = False  # how often depends on the positions' values, which must be there to be read
    per_pair: bool = False  # a query is turned anew for each key: d numbers for each score
    ordinal: bool = False  # only the order of the positions counts, not how far apart they are
    key_heads: bool = False  # something is learned for each head of the keys, so that they cannot be fewer

    @property
    def parts(self) -> list[nn.Module]:
        return [part for part in (self.embedding, self.slots, self.embed) if isinstance(part, nn.Module)]

    @property
    def parameters(self) -> list[nn.Parameter]:
        return [parameter for part in self.parts for parameter in part.parameters()]

    def embedded(self, x: Tensor, positions: Tensor) -> Tensor:
        """X is [..., n, D_MODEL]; positions are [n], or [b, 1, n] where each sample has its own."""
        positions = positions if positions.ndim == 1 else positions.squeeze(-2)
        if self.embed is not None:
            return self.embed(x, positions)
        return x if self.embedding is None else x + self.embedding(positions)


class Given(nn.Module):
    """A function with its first tensors filled in, which move with the method and are not learned."""

    def __init__(self, function: Callable, *tensors: Tensor, **options: object) -> None:
        super().__init__()
        self.function, self.options = function, options
        for i, x in enumerate(tensors):
            self.register_buffer(str(i), x)

    def forward(self, *args: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        return self.function(*self.buffers(), *args, **self.options)


def filled(method: Method) -> Method:
    """The same with numbers large enough to be seen, in float64."""
    for part in method.parts:
        weights.filled(part, seed=10)
    return method


def rows() -> Tensor:
    return normal(24, D_MODEL, seed=2)


def freqs() -> Tensor:
    return geometric_freqs(D)


def rotary_with(freqs: Tensor, *uses: object) -> Method:
    return Method((Rotary, *uses), relative=True, slots=Slots(transform=Rotary(freqs)))
