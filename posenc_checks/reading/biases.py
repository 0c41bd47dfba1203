"""A reader's bias as a matrix over the last tokens of a text, by distance, for each head."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from posenc_checks.calling.names import CallError, first_line_of, parameters_of
from posenc_checks.calling.results import numbers, numbers_of
from posenc_checks.calling.usual import SCORE_ROLES

N, LONG, FEW = 24, 600, 5
"""So many tokens are looked at, the last ones of a longer text if there is one: half precision shows there."""


@dataclass(frozen=True)
class Bias:
    """What came out, as a bias [h, n, n], and what the reader expects: a number of heads, or slopes."""

    out: Tensor  # as it came back
    heads: int | None
    slopes: Tensor | None
    few: Tensor | None = None  # the same for the last few queries of a text, where it takes both numbers

    @cached_property
    def matrix(self) -> Tensor:
        return as_matrix(self.out)

    @cached_property
    def whole(self) -> Tensor:
        """Of all tokens, [h, n, n]."""
        return whole(self.out)

    @cached_property
    def queries(self) -> list[int]:
        """Those that are looked at: the first but one, which may be a token of its own, and the last."""
        n = self.whole.shape[1]
        early = self.whole[:, 1 : N + 1, 1 : N + 1]
        return [*(range(1, N + 1) if n > N and early.tril().isfinite().all() else ()), *range(n - N, n)]

    @cached_property
    def by_distance(self) -> Tensor:
        """What each distance costs each query, [h, queries, distances], less what it adds to all of its keys."""
        reach = [min(m - max(m - N + 1, 0), i % N) for i, m in enumerate(self.queries)]
        rows = [
            self.whole[:, m, [m - min(r, far) for r in range(N)]] for m, far in zip(self.queries, reach, strict=True)
        ]
        return torch.stack([row - row[:, :1] for row in rows], 1)

    @property
    def last(self) -> Tensor:
        """What each distance costs the last query, [h, distances]."""
        return self.by_distance[:, -1]

    @property
    def size(self) -> float:
        return self.last.abs().max().item()

    @cached_property
    def off(self) -> Tensor:
        """How far each query is from the last one, at the distances that it has."""
        seen = (torch.arange(N)[:, None] >= torch.arange(N)).repeat(len(self.queries) // N, 1)  # [queries, distances]
        return (self.by_distance - self.last[:, None]).abs() * seen

    @property
    def relative(self) -> bool:
        """Whether it is a function of the distance."""
        return self.off.amax().item() <= 1e-4 * max(self.size, 1e-6)

    @property
    def straight(self) -> bool:
        """Whether it falls by the same for each token of distance."""
        line = self.last[:, 1:2] * torch.arange(N)
        return self.size > 0 and bool((self.last - line).abs().max() <= 1e-3 * self.size)

    @property
    def own_slopes(self) -> Tensor:
        return -self.last[:, -1] / (N - 1)


def read_bias(function: Any, heads: int | None, call: str | None) -> tuple[Tensor, Tensor | None]:
    """What comes back, if it has the shape of a bias; and for a few queries at the end of a text."""
    if isinstance(function, (Tensor, np.ndarray)):
        if call is not None:
            raise CallError("call says how a function is called; got a tensor")
        out, few = numbers(function), None
    else:
        out, few = _call(function, heads, call)
    as_matrix(out)
    return out, few


def as_matrix(out: Tensor) -> Tensor:
    """The bias over the last N queries and keys, [h, N, N]."""
    return whole(out)[:, -N:, -N:]


def whole(out: Tensor) -> Tensor:
    """The bias over all queries and keys, [h, n, n]."""
    out = out.double()
    if out.ndim == 1:  # slopes alone
        out = -out[:, None, None] * (torch.arange(N)[:, None] - torch.arange(N)).abs()
    while out.ndim > 3 and out.shape[0] == 1:
        out = out[0]
    out = out[None] if out.ndim == 2 else out
    if out.ndim != 3 or out.shape[2] < N or out.shape[1] not in (1, out.shape[2]):
        raise CallError(f"a bias [h, n, n] or [h, 1, n] over {N} tokens at least is needed; got {list(out.shape)}")
    return out.expand(-1, out.shape[2], -1)


def _of_few(function: Callable[..., Any], roles: list[str], given: dict[str, Any]) -> Tensor | None:
    """For the last queries of a text, as with a cache, [h, few, n]."""
    if {"n_q", "n_k"} <= {*roles}:
        with suppress(Exception):  # a function that takes equal numbers only
            out = numbers(function(*((given | {"n_q": FEW})[role] for role in roles))).double()
            return out.flatten(0, -3) if out.shape[-2:] == (FEW, given["n_k"]) else None
    return None


def takes_heads(function: Any, call: str | None) -> bool:
    """Whether a function is told how many heads there are."""
    return not isinstance(function, (Tensor, np.ndarray)) and "heads" in _roles(function, call)


def _roles(function: Callable[..., Any], call: str | None) -> list[str]:
    if call:
        return call.replace(",", " ").split()
    parameters = parameters_of(function, "heads n")
    return [SCORE_ROLES.get(p.name.lower(), p.name) for p in parameters if p.default is p.empty]


def _call(function: Callable[..., Any], heads: int | None, call: str | None) -> tuple[Tensor, Tensor | None]:
    roles = _roles(function, call)
    known = _arguments(heads, N)
    if unknown := [role for role in roles if role not in known]:
        raise CallError(
            f"unknown arguments {unknown}: say how it is called with {', '.join(known)}, as in call='heads n'"
        )
    for n in (LONG, N):  # a table may be shorter
        given = _arguments(heads, n)
        try:
            out = numbers_of(lambda given=given: function(*(given[role] for role in roles)))
            return out, _of_few(function, roles, given)
        except CallError:
            raise
        except Exception as error:
            failed = error
    raise CallError(f"called with ({', '.join(roles)}) it ends in {first_line_of(failed)}")


def _arguments(heads: int | None, n: int) -> dict[str, Any]:
    places = torch.arange(n)
    given = {"heads": heads or 8, "n": n, "n_q": n, "n_k": n, "q_positions": places, "k_positions": places}
    return given | {"mask": torch.ones(1, n, dtype=torch.long), "dtype": torch.float32}
