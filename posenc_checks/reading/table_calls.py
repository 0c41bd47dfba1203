"""A reader's table of sines and cosines: a tensor, what a function makes, or what a module adds to its input."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import torch
from torch import Tensor

from posenc_checks.calling.names import ROLES, CallError, first_line_of, in_their_places
from posenc_checks.calling.results import numbers, numbers_of

N, LONG, WIDE = 40, 2_100, 1_024
"""So many rows are enough to know the settings, and so many show positions in half precision, of narrow tables."""
POSITIONS = ("positions", "position_ids", "position", "pos")
WIDTHS = ("d", "dim", "d_model", "hidden_size", "embedding_dim", "n_embd")
ONE_ROW = (
    "the module adds one row to all tokens, so it counts along the first axis: right for [tokens, samples, "
    "features], wrong for [samples, tokens, features]. Check the table that it holds"
)


def read_table(function: Any, d: int) -> Tensor:
    """The table [n, d] in float64."""
    given = isinstance(function, (Tensor, np.ndarray))
    out = (numbers(function) if given else _called(function, d)).double().squeeze()
    if out.ndim != 2:
        raise CallError(f"a table [n, d] is needed; got {list(out.shape)}")
    return out


def _called(function: Callable[..., Any], d: int) -> Tensor:
    """For many rows, or else for few; with a number of positions, or else with the positions themselves."""
    failed: list[str] = []
    for n, as_tensor in product((LONG, N) if d <= WIDE else (N,), (False, True)):
        try:
            return _made(function, n, d, as_tensor)
        except CallError:
            raise
        except Exception as error:
            failed.append(first_line_of(error))
    raise CallError(f"the function gives no table: {failed[-2]}")


def _made(function: Callable[..., Any], n: int, d: int, as_tensor: bool) -> Tensor:
    names = [p.name.lower() for p in in_their_places(function) if p.default is p.empty]
    adds = [i for i, name in enumerate(names) if ROLES.get(name) == "x" and name != "t"]  # t is a time, too
    sizes = iter((torch.arange(n) if as_tensor else n, d))
    given = [None if i in adds else _argument(name, n, d, sizes) for i, name in enumerate(names)]
    if not adds:
        return numbers_of(lambda: function(*given))
    for i in adds:
        given[i] = torch.zeros(2, n, d)
    return _added(function, given, adds[0])


def _added(function: Callable[..., Any], given: list[Any], at: int) -> Tensor:
    """What a module adds, read at zeros."""
    out = numbers_of(lambda: function(*given))
    given[at] = torch.ones_like(given[at])
    times = (numbers_of(lambda: function(*given)) - out).unique()
    if times.max() - times.min() > 1e-3:
        raise CallError("the module does more than add a table: check the table alone")
    if out.ndim == 3 and (out - out[:, :1]).abs().max() < 1e-6:
        raise CallError(ONE_ROW)
    return out[0] if out.ndim == 3 else out


def _argument(name: str, n: int, d: int, sizes: Iterator[Any]) -> Any:
    """An argument by its name; where that says nothing, n comes before d."""
    if name in POSITIONS:
        return torch.arange(n)
    return d if name in WIDTHS else next(sizes)
