"""What is compared, each from the library's own functions: frequencies, maps of distances, windows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from bookkit.pages.faulty_positions import FREQS, D
from experiments.real_model.text import TRAINED
from posenc_lib import Rotary, Slots, rotate
from posenc_lib.extension import (
    dynamic_ntk,
    interpolate,
    llama3,
    ntk,
    rerope_ids,
    self_extend_ids,
    sink_ids,
    temperature,
    yarn,
)
from posenc_lib.slots import QueryKeyTransform

FACTOR, CHUNK = 2.0, 1_024


@dataclass(frozen=True)
class Method:
    """`transform(n)` rotates queries and keys when the text has n tokens.

    Keys that are `near` tokens away or more are at the id that the map `ids` gives them; without a map, they are out of
    the window. Of the first `same` tokens it makes what the released model does.
    """

    transform: Callable[[int], QueryKeyTransform]
    near: int | None = None
    ids: Callable[[Tensor, Tensor], Tensor] | None = None
    kept: int | None = None  # of the far keys, the first few
    heat: float = 1.0
    same: int = 0

    def slots(self, n: int) -> Slots:
        return Slots(transform=self.transform(n), scale=self.heat / D**0.5)


def always(freqs: Tensor) -> Callable[[int], QueryKeyTransform]:
    return lambda n: Rotary(freqs)


def growing(n: int) -> Tensor:
    """Dynamic NTK with the factor n/L, chosen anew at each chunk."""
    return dynamic_ntk(FREQS, 1.0, max(-(-n // CHUNK) * CHUNK, TRAINED), TRAINED)


def as_first_cached(n: int) -> QueryKeyTransform:
    """Queries by the frequencies of now, each key by those of the chunk in which it came."""

    def transform(q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        chunks = k_positions // CHUNK
        then = torch.stack([growing((c + 1) * CHUNK) for c in range(int(chunks.max()) + 1)])[chunks]
        return rotate(q, q_positions[:, None] * growing(n)), rotate(k, k_positions[:, None] * then)

    return transform


plain, yarned = always(FREQS), always(yarn(FREQS, FACTOR, TRAINED))
METHODS = {
    "released": Method(plain),
    "yarn": Method(yarned, heat=temperature(FACTOR) ** 2),
    "ntk": Method(always(ntk(FREQS, FACTOR))),
    "interpolated": Method(always(interpolate(FREQS, FACTOR))),
    "sinks": Method(plain, 4_096, partial(sink_ids, sinks=4, recent=4_096), kept=4, same=4_096),
    "dynamic ntk": Method(lambda n: Rotary(growing(n)), same=TRAINED),
    "dynamic ntk, stale keys": Method(as_first_cached, same=TRAINED),
    "window": Method(plain, 4_096, same=4_096),
    "self-extend": Method(plain, 2_048, partial(self_extend_ids, window=2_048, group=4), same=2_048),
    "rerope": Method(plain, 4_096, partial(rerope_ids, window=4_096), same=4_096),
    "yarn, no temperature": Method(yarned),
    "llama 3": Method(always(llama3(FREQS, FACTOR, TRAINED))),
}
