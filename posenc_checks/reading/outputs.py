"""What comes out for random features: once, for zeros, once more, and where memory that nobody wrote holds NaN."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from posenc_checks.calling.names import FEATURES
from posenc_checks.calling.rotation import Rotation

N = 6


@dataclass(frozen=True)
class Outputs:
    """For features x at the first positions; y are others. `left` are the places that poisoned memory leaves NaN.

    Nothing else of it is kept, or else the next function that is checked might get memory with our NaN.
    """

    x: Tensor
    y: Tensor
    positions: Tensor
    once: list[Tensor]
    zero: list[Tensor]
    again: list[Tensor]
    left: list[Tensor]


def read_outputs(rotation: Rotation) -> Outputs:
    x, y = torch.randn(2, 2, 3, N, rotation.d, generator=torch.Generator().manual_seed(0))
    positions = torch.arange(N)
    once, zero, again = ([out.clone() for out in rotation(given, positions)] for given in (x, torch.zeros_like(x), x))
    with poisoned():
        left = [~out.isfinite() for out in rotation(x, positions)]
    return Outputs(x, y, positions, once, zero, again, left)


def crossed(rotation: Rotation) -> str:
    """Which tensor gets into the result of another, in words. Results come as arguments do, or as q, k, v."""
    x, roles = torch.randn(2, 3, N, rotation.d, generator=torch.Generator().manual_seed(0)), rotation.features
    alone = {role: replace(rotation, only=role)(x, torch.arange(N)) for role in roles}
    for order in (sorted(roles, key=FEATURES.index), roles):
        sizes = {
            (a, b): out.abs().max().item() for a in roles for b, out in zip(order, alone[a], strict=False) if a != b
        }
        words = [f"where {a} alone is not 0, {b} comes out up to {s:.3g}" for (a, b), s in sizes.items() if s > 1e-6]
        if not words:
            return ""
    return words[0]


@contextmanager
def poisoned() -> Iterator[None]:
    """What `torch.empty`, `np.empty` and their kind return is full of NaN."""
    before = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    filling = torch.utils.deterministic.fill_uninitialized_memory
    torch.utils.deterministic.fill_uninitialized_memory = True
    torch._C._set_deterministic_algorithms(True, warn_only=True)  # torch's own function would load its compiler first
    makers = {name: getattr(np, name) for name in ("empty", "empty_like")}
    for name, make in makers.items():
        setattr(np, name, _filling(make))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for name, make in makers.items():
            setattr(np, name, make)
        torch._C._set_deterministic_algorithms(before[0], warn_only=before[1])
        torch.utils.deterministic.fill_uninitialized_memory = filling


def _filling(make: Callable[..., Any]) -> Callable[..., Any]:
    def filled(*args: Any, **named: Any) -> Any:
        out = make(*args, **named)
        if out.dtype.kind in "fc":
            out.fill(np.nan)
        return out

    return filled
