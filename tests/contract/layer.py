"""One layer of attention with the slots of a method, and what its tests have in common."""

from __future__ import annotations

import torch
from torch import Tensor

from posenc_lib import attention
from tests.contract.method import D_MODEL, D, H, Method
from tests.support.weights import normal

N = 12
X = normal(N, D_MODEL)
PROJECTIONS = normal(3, D_MODEL, D_MODEL, seed=1) / D_MODEL**0.5


def heads(x: Tensor) -> Tensor:
    return x.unflatten(-1, (H, D)).transpose(-2, -3)


def projected(method: Method, x: Tensor, positions: Tensor) -> list[Tensor]:
    """q, k and v of self-attention; [b, 1, n] are the positions of each sample."""
    embedded = method.embedded(x, positions)
    return [heads(embedded @ projection.to(x)) for projection in PROJECTIONS]


def layer(
    method: Method, x: Tensor, positions: Tensor, queries: slice = slice(None), mask: Tensor | None = None
) -> Tensor:
    """Self-attention, for the queries that are asked for."""
    q, k, v = projected(method, x, positions)
    where = {"q_positions": positions[..., queries], "k_positions": positions}
    return attention(q[..., queries, :], k, v, method.slots, mask=mask, **where).transpose(-2, -3).flatten(-2)


def assert_close(a: Tensor, b: Tensor, atol: float = 1e-11) -> None:
    torch.testing.assert_close(a, b, rtol=0, atol=atol)


def difference(a: Tensor, b: Tensor) -> float:
    return (a - b).abs().max().item()
