"""Keys as a cache stores them: a few channels larger than the rest, rounded to a few bits, and moved."""

from __future__ import annotations

import torch
from torch import Tensor

LARGE = (0, 21, 40, 61)
"""The channels that have a mean of their own."""


def keys(n: int = 256, d: int = 64, mean: float = 10.0, seed: int = 0) -> Tensor:
    """Normal keys; in four channels the same number is added to all of them."""
    k = torch.randn(n, d, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    k[:, LARGE] += mean
    return k


def rounded(x: Tensor, axis: int, bits: int = 4) -> Tensor:
    """The nearest of 2**bits levels, evenly spaced from the least to the greatest value along the axis.

    Along the tokens (axis -2) each channel has a scale of its own, along the features (axis -1) each token.
    """
    least, most = x.amin(axis, keepdim=True), x.amax(axis, keepdim=True)
    step = (most - least) / (2**bits - 1)
    return least + ((x - least) / step).round() * step


def hadamard(d: int) -> Tensor:
    r"""Sylvester's matrix for d = 2, 4, 8, …: entries $\pm 1/\sqrt d$, symmetric, and its own inverse."""
    block = torch.tensor([[1.0, 1.0], [1.0, -1.0]], dtype=torch.float64) / 2**0.5
    whole = block.new_ones(1, 1)
    while len(whole) < d:
        whole = torch.kron(block, whole)
    return whole
