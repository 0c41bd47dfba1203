"""A reader's table of sines and cosines: a tensor, what a function makes, or what a module adds to its input."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import torch
from torch import Tensor

from posenc_checks.calling.modules import as_used
from posenc_checks.calling.names import CallError, first_line_of, in_their_places
from posenc_checks.calling.results import numbers, numbers_of
from posenc_checks.calling.usual import ROLES, TIMES

N, LONG, WIDE = 40, 2_100, 1_024
"""So many rows are enough to know the settings, and so many show positions in half precision, of narrow tables."""
ONE_ROW = (
    "the module adds one row to all tokens, so it counts along the first axis: right for [tokens, samples, "
    "features], wrong for [samples, tokens, features]. Check the table that it holds"
)


def read_table(function: Any, d: int) -> Tensor:
    """The table [n, d] in float64."""
    given = isinstance(function, (Tensor, np.ndarray))
    out = (numbers(function) if given else _called(as_used(function), d)).double().squeeze()
    if out.ndim != 2:
        raise CallError(f"a table [n, d] is needed; got {list(out.shape)}")
    return out


def _called(function: Callable[..., Any], d: int) -> Tensor:
    """For many rows, or else for few; by what the names usually mean, or else the other way."""
    failed: list[Exception] = []
    for n, usual in product((LONG, N) if d <= WIDE else (N,), (True, False)):
        try:
            return _made(function, n, d, usual)
        except Exception as error:  # whatever the reader's code raises, the other way may fit
            failed.append(error)
    for error in failed:
        if isinstance(error, CallError):
            raise error
    raise CallError(f"the function gives no table: {first_line_of(failed[-2])}")


def _made(function: Callable[..., Any], n: int, d: int, usual: bool) -> Tensor:
    names = [p.name.lower() for p in in_their_places(function) if p.default is p.empty]
    roles = ["positions" if name in TIMES else ROLES.get(name, "?") for name in names]
    if not usual and roles == ["x"]:
        return numbers_of(lambda: function(torch.arange(n)))  # times, under the name of features
    given = _arguments(roles, n, d, usual)
    if "x" not in roles:
        return numbers_of(lambda: function(*given))
    for i in (i for i, role in enumerate(roles) if role == "x"):
        given[i] = torch.zeros(2, n, d)
    return _added(function, given, roles.index("x"))


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


def _arguments(roles: list[str], n: int, d: int, usual: bool) -> list[Any]:
    """By their names; where these say nothing, n comes before d. A count may be a tensor, and positions a count."""
    named = {"d"} if "d" in roles else set()
    named |= {"n"} if {"positions", "length"} & {*roles} else set()
    left = iter([size for name, size in (("n", n), ("d", d)) if name not in named] or [n])
    known = {"positions": torch.arange(n) if usual else n, "length": n, "d": d}
    given = [known[role] if role in known else next(left, d) for role in roles]
    if usual:
        return given
    return [torch.arange(n) if role == "?" and x == n else x for role, x in zip(roles, given, strict=True)]
