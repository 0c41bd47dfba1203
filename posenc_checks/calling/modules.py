"""A module that holds a table: as a model uses it, how wide it is, and whether it adds the table to its features."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import Any

import torch
from torch import Tensor, nn

from posenc_checks.calling.names import in_their_places

D, WIDEST = 32, 1_024
"""The width of a table where nothing says it, and the largest of a head."""


def as_used(made: Any) -> Any:
    """A copy without dropout; functions stay as they are."""
    return copy.deepcopy(made).eval() if isinstance(made, nn.Module) else made


def _kept(made: Any) -> list[Tensor]:
    every = [*vars(made).values(), *made.buffers(), *made.parameters()] if isinstance(made, nn.Module) else []
    return [each for each in every if isinstance(each, Tensor) and each.ndim]


def width_of(made: Any) -> int:
    """The number of features of the table that a module keeps."""
    return next((each.shape[-1] for each in _kept(made) if each.ndim > 1), D)


def widths_of(made: Any) -> list[int]:
    """The numbers of features that a module may be made for: as many as it keeps numbers in a row, or twice as many."""
    return [times * each.shape[-1] for each in _kept(made) for times in (1, 2) if each.shape[-1] <= WIDEST // times]


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
