"""What the table of all encodings says of a method that is found by running it.

python -m tests.contract.columns        keeps it for `make lists`, which writes the table
"""

from __future__ import annotations

import functools

import torch
from torch import Tensor, nn

from posenc_lib import attention, attention_weights
from tests.contract.method import D_MODEL, D, H, Method, filled
from tests.contract.methods import METHODS
from tests.support.weights import normal
from tools.book import registers

N = 6


@functools.cache
def columns(name: str) -> dict[str, str]:
    made = METHODS[name]()
    return {"Slot": slot(made)} | ran(filled(made))


def ran(method: Method) -> dict[str, str]:
    """Whether a shift of all positions leaves the weights alone, and whether a key's position is seen in its value."""
    at = method.positions(N)
    shifted = same(weights(method, at), weights(method, at + 5))
    moved = same(output(method, 4), output(method, 6))
    return {"Relative": "yes" if shifted else "no", "Values see it": "no" if moved else "yes"}


def same(a: Tensor, b: Tensor) -> bool:
    return torch.allclose(a, b, rtol=1e-6, atol=1e-9)


def slot(method: Method) -> str:
    """Where the method acts; of several places the one that it is about."""
    slots = method.slots
    acts = {
        "any": method.positions is not torch.arange,
        "softmax": slots.weights is not None,
        "1, by a product": method.embed is not None,
        "1": method.embedding is not None,
        "3, with content": slots.content_bias is not None,
        "3": slots.bias is not None,
        "2": slots.transform is not None,
    }
    return next((place for place, here in acts.items() if here), "–")


def weights(method: Method, positions: Tensor) -> Tensor:
    x = method.embedded(normal(N, D_MODEL, seed=20), positions)
    q, k = (x @ normal(D_MODEL, D_MODEL, seed=seed) for seed in (21, 22))
    return attention_weights(*map(heads, (q, k)), method.slots, q_positions=positions, k_positions=positions)


def output(method: Method, key: int) -> Tensor:
    """Of a query at 7 with a single key at the given position: its weight is 1, so only the value can change."""
    q, k = normal(1, D_MODEL, seed=23), method.embedded(normal(1, D_MODEL, seed=24), torch.tensor([key]))
    at = {"q_positions": torch.tensor([7]), "k_positions": torch.tensor([key])}
    return attention(heads(q), heads(k), heads(k), method.slots, **at)


def heads(x: Tensor) -> Tensor:
    return x.unflatten(-1, (H, D)).transpose(-3, -2)


def learned(method: Method) -> int:
    parts = [part for part in (method.embedding, method.slots, method.embed) if isinstance(part, nn.Module)]
    return sum(parameter.numel() for part in parts for parameter in part.parameters())


if __name__ == "__main__":
    registers.keep({name: columns(name) for name in METHODS})
