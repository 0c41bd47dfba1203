"""What the cases of the second set share: what is told of them, and ways to call them for the proof."""

from __future__ import annotations

from collections.abc import Callable

import torch

from tests.checks.strangers.formulas import places

PORT = {"d": 16, "base": 10000.0, "sense": "counterclockwise", "first": 0}
"""What somebody tells who ports weights: all that the training fixed. The layout comes on top."""
HALF = {**PORT, "layout": "half"}
EVEN = {**PORT, "layout": "interleaved"}


def at(x: torch.Tensor, n: int) -> torch.Tensor:
    """Positions 0 … n - 1, a row for each sample."""
    return places(n, len(x))


def swap(x: torch.Tensor) -> torch.Tensor:
    """From [b, h, n, d] to [b, n, h, d], and back."""
    return torch.as_tensor(x).transpose(1, 2)


def pieces(f: Callable, *tensors: torch.Tensor, dim: int = -2) -> list[torch.Tensor]:
    """A prefix from position 0 on, and the rest from where that ends: f(*parts, first position, one past the last)."""
    n = tensors[0].shape[dim]
    half = n // 2
    bounds = ((0, half), (half, n))
    results = [f(*(t.narrow(dim, a, b - a) for t in tensors), a, b) for a, b in bounds]
    if isinstance(results[0], tuple):
        return [torch.cat([torch.as_tensor(part) for part in both], dim) for both in zip(*results, strict=True)]
    return [torch.cat([torch.as_tensor(part) for part in results], dim)]


def by_keys(bias) -> torch.Tensor:
    """A bias [h, 1, n] of keys alone, as one of distances: a constant for each query is taken off."""
    keys = torch.as_tensor(bias).reshape(-1, bias.shape[-1])
    return keys[:, None, :] - keys[:, :, None]


def run_rope(m, x, y, n):
    """A function `rope` of features and positions [n]."""
    return pieces(lambda t, a, b: m.rope(t, torch.arange(a, b)), x)


def run_ids(m, x, y, n):
    """A function `rope` of q, k and positions [b, n]."""
    return m.rope(x, y, at(x, n))


def tokens_first(f: Callable) -> Callable:
    """For functions of [n, b, h, d]."""
    return lambda m, x, y, n: [
        t.permute(1, 2, 0, 3) for t in pieces(lambda q, a, b: f(m)(q, torch.arange(a, b)), x.permute(2, 0, 1, 3), dim=0)
    ]
