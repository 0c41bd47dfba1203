"""Rules for positions and distances: which have an angle, which have a difference, and whose they are."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from posenc_lib.border.declare import Relation, Rule
from posenc_lib.border.numbers import whole
from posenc_lib.border.tensors import WIDE, broadcasts, is_integer, tensor
from posenc_lib.border.values import require_all, require_readable, require_values

MAX_POSITION = 2**40
"""The largest position with an angle: rounded in float64, angles are off by 1e-4 there, and by a radian at 2**53."""

MAX_TOKEN = 2**62
"""Positions that only meet in differences stay below: so no distance overflows int64."""

length = whole(1, MAX_TOKEN)
"""How long a text or a part of it is, in tokens."""


def places(name: str, positions: Any) -> Tensor:
    """Positions that have an angle: integers, or float32 or float64."""
    dtype = tensor()(name, positions).dtype
    if not (dtype in WIDE or is_integer(dtype)):
        raise TypeError(
            f"{name} must be integers, or float32 or float64; got {dtype}. Half precision merges neighbouring "
            "positions: make the positions with torch.arange(n), and cast the encoded result instead"
        )
    if dtype.is_floating_point or dtype.itemsize == 8:  # narrower integers have no room for more
        wide = positions.detach().double()
        require_values(
            wide.abs() <= MAX_POSITION,
            f"{name} must be finite, and at most 2**40 in size",
            lambda bad: (
                f"{name} must be finite, and at most 2**40 in size: the rounding of an angle grows with the "
                f"position, and is 1e-4 there; got {wide[bad][0].item():g}"
            ),
        )
    return positions


def require_resolved(positions: Tensor, freqs: Tensor) -> None:
    """Angles have the dtype of their frequencies, and float32 can tell neighbouring positions apart up to 2**24."""
    if freqs.dtype == torch.float32:
        rule = "positions must be at most 2**24 in size for frequencies in float32, which merges farther ones"
        require_all(positions, positions.double().abs() <= 2**24, rule, "Pass freqs in float64")


def counted(why: str) -> Rule:
    """Integers, as int64, in which differences cannot wrap; `why` says why they must be integers."""
    return partial(_counted, why=why)


def _counted(name: str, x: Any, *, why: str) -> Int[Tensor, "..."]:
    if not is_integer(tensor()(name, x).dtype):
        raise TypeError(f"{why}, so {name} must be integers; got {x.dtype}")
    if x.dtype.itemsize == 8:
        size = f"{name} must be below 2**62 in size, or differences overflow"
        require_all(x, x.double().abs() < MAX_TOKEN, size)
    return x.long()


distances = counted("a distance is a number of tokens")


def tokens(name: str, positions: Any) -> Int[Tensor, "..."]:
    """The positions of tokens, between which there are distances: integers, [n] or [b, 1, n]."""
    positions = counted("a distance between tokens is an integer")(name, positions)
    if positions.ndim != 1 and (positions.ndim != 3 or positions.shape[1] != 1):
        raise ValueError(f"{name} must be [n], or [b, 1, n] where each sample has its own; got {list(positions.shape)}")
    return positions


def shared(name: str, positions: Any) -> Int[Tensor, " n"]:
    """The same for a `score_mod`, which takes one row of positions for all samples."""
    positions = tokens(name, positions)
    if positions.ndim != 1 or not len(positions):
        raise ValueError(f"score_mod needs {name} [n] that all samples share; got {list(positions.shape)}")
    return positions


def within(n: int) -> Rule:
    """The token numbers of a table, each in 0 … n - 1."""
    return partial(_within, n=n)


def _within(name: str, x: Any, *, n: int) -> Int[Tensor, "..."]:
    numbers = counted("a token is an index")(name, x)
    require_all(numbers, (numbers >= 0) & (numbers < n), f"the table has {name} 0 … {n - 1}")
    return numbers


def require_one_batch(q_positions: Tensor, k_positions: Tensor) -> None:
    """[b, 1, n] beside [c, 1, n] has no meaning."""
    b, c = (p.shape[0] if p.ndim == 3 else 1 for p in (q_positions, k_positions))
    if b != c and 1 not in (b, c):
        raise ValueError(
            f"q_positions {[*q_positions.shape]} are for {b} samples and k_positions {[*k_positions.shape]} for {c}: "
            "both must be for equally many samples, or shared"
        )


def require_length(name: str, x: Tensor, positions: Tensor, axis: int = -2) -> None:
    """One position for each query or key: a single one would be broadcast silently."""
    batch = x.shape[: max(x.ndim - 3, 0)] or (1,)
    if positions.shape[-1] != x.shape[axis] or (positions.ndim == 3 and positions.shape[0] not in (1, batch[0])):
        raise ValueError(
            f"there must be one position for each of the {x.shape[axis]} tokens in {name} {list(x.shape)}; "
            f"got positions {list(positions.shape)}"
        )


def one_each(name: str, positions: str, axis: int = -2) -> Relation:
    """The same, declared for the arguments of these names."""
    return Relation((name, positions), partial(require_length, name, axis=axis))


def require_places(q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> None:
    """One position for each query and each key, of the same samples."""
    require_length("q", q, q_positions)
    require_length("k", k, k_positions)
    require_one_batch(q_positions, k_positions)


def require_fitting_positions(positions: Tensor, x: Tensor, name: str = "positions") -> None:
    """Positions, or what is made of them, are those of x's tokens, [n], or of each sample's, [b, 1, n]."""
    # No other ranks: [b, n] beside [b, h, n, d] would be taken for one row per head wherever b = h.
    if positions.shape[-1:] != x.shape[-2:-1] or not broadcasts(positions.shape, x.shape[:-1], 1):
        given = f"{name} {list(positions.shape)} do not fit x {list(x.shape)}"
        raise ValueError(f"{given}: they must be [n], or have as many axes as x without its last, such as [b, 1, n]")


def require_axes(**given: Tensor) -> None:
    """Places with a number for each axis, and a table with a row for each: `positions=…, freqs=…`."""
    (name, x), (rows, table) = given.items()
    if x.ndim < 2 or x.shape[-1] != len(table):
        raise ValueError(f"{name} must be [..., n, axes], and {rows} have {len(table)} axes; got {list(x.shape)}")


def from_zero(why: str, row: Rule) -> Rule:
    """As `row`, and none below 0."""
    return partial(_from_zero, why=why, row=row)


def _from_zero(name: str, positions: Any, *, why: str, row: Rule) -> Tensor:
    positions = row(name, positions)
    require_all(positions, positions.double() >= 0, f"{name} must count from 0, {why}", wait=True)
    return positions


def known(row: Rule) -> Rule:
    """As `row`, where values decide what is computed."""
    return partial(_known, row=row)


def _known(name: str, x: Any, *, row: Rule) -> Tensor:
    require_readable(x := row(name, x), name)
    return x
