"""A module that holds a table: as a model uses it, how wide it is, and whether it adds the table to its features."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import Any

import torch
from torch import Tensor, nn

from posenc_checks.calling.names import in_their_places

D = 32
"""The width of a table where nothing says it."""


def as_used(made: Any) -> Any:
    """A copy without dropout; functions stay as they are."""
    return copy.deepcopy(made).eval() if isinstance(made, nn.Module) else made


def width_of(made: Any) -> int:
    """The number of features of the table that a module keeps."""
    kept = [*vars(made).values(), *made.buffers(), *made.parameters()] if isinstance(made, nn.Module) else []
    return next((each.shape[-1] for each in kept if isinstance(each, Tensor) and each.ndim > 1), D)


def makes_a_table(made: Any) -> bool:
    """Whether it adds something of its own to its one argument, or has a row for each number in it."""
    needed = [p for p in in_their_places(made) if p.default is p.empty]
    if len(needed) != 1:
        return False
    x = torch.zeros(2, 8, width_of(made))
    with suppress(Exception):  # features or numbers: one of them is no argument for it
        return bool(as_used(made)(x).any())
    with suppress(Exception):
        return as_used(made)(torch.arange(9)).shape[:-1] == (9,)
    return False
