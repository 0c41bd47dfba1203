"""Rules for tensors: what they hold, how many axes they have at least, and which constants they may be."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from posenc_lib.border.declare import Rule
from posenc_lib.border.numbers import shown
from posenc_lib.border.values import require_all, require_finite_values

WIDE = (torch.float32, torch.float64)


def is_integer(dtype: torch.dtype) -> bool:
    return not (dtype.is_floating_point or dtype.is_complex or dtype == torch.bool)


def tensor(axes: int = 0) -> Rule:
    return partial(_tensor, axes=axes)


def _tensor(name: str, x: Any, *, axes: int) -> Tensor:
    if not isinstance(x, Tensor):
        raise TypeError(f"{name} must be a tensor; got {shown(x)}. torch.as_tensor makes one of numbers or an array")
    if x.ndim < axes:
        raise ValueError(f"{name} must have at least {axes} axes; got {list(x.shape)}")
    return x


def content(axes: int = 0) -> Rule:
    """Floating point, of any precision: vectors, scores and weights, in which NaN spreads, as everywhere in torch."""
    return partial(_content, axes=axes)


def _content(name: str, x: Any, *, axes: int) -> Tensor:
    if not _tensor(name, x, axes=axes).is_floating_point():
        raise TypeError(f"{name} must be floating point; got {x.dtype}")
    return x


def wide(axes: int = 0) -> Rule:
    """For what is multiplied by a position: there half precision is wrong after a few hundred."""
    return partial(_wide, axes=axes)


def _wide(name: str, x: Any, *, axes: int) -> Tensor:
    if _tensor(name, x, axes=axes).dtype not in WIDE:
        raise TypeError(
            f"{name} must be float32 or float64; got {x.dtype}: half precision is too coarse for what is "
            "multiplied by a position. Cast the result instead"
        )
    return x


def table(axes: int = 0) -> Rule:
    """As `wide`, and finite: what is looked up or multiplied, whether constant or learned."""
    return partial(_table, axes=axes)


def _table(name: str, x: Any, *, axes: int) -> Tensor:
    require_finite_values(**{name: _wide(name, x, axes=axes)})
    return x


def shaped(row: Rule, good: Callable[[torch.Size], bool], needed: str, hint: str = "") -> Rule:
    """As `row`, and of a shape that is `good`, as `needed` says."""
    return partial(_shaped, row=row, good=good, needed=needed, hint=hint)


def _shaped(name: str, x: Any, *, row: Rule, good: Callable[[torch.Size], bool], needed: str, hint: str) -> Tensor:
    if not good((x := row(name, x)).shape):
        raise ValueError(f"{name} must be {needed}; got {list(x.shape)}{hint and f'. {hint}'}")
    return x


def per_pair(size: str = "d/2", what: str = "one per pair of features") -> Rule:
    """One finite number per pair, [d/2], in float32 or float64. It waits for values on a GPU: such tables are short."""
    return partial(_per_pair, size=size, what=what)


def _per_pair(name: str, x: Any, *, size: str, what: str) -> Tensor:
    if _wide(name, x, axes=0).ndim != 1 or not len(x):
        raise ValueError(f"{name} must be [{size}], {what}; got {list(x.shape)}")
    require_finite_values(**{name: x}, wait=True)
    return x


freqs = per_pair()


def not_negative(why: str, row: Rule = freqs) -> Rule:
    """As `row`, and no number below 0."""
    return partial(_not_negative, why=why, row=row)


def _not_negative(name: str, x: Any, *, why: str, row: Rule) -> Tensor:
    require_all(x, row(name, x) >= 0, f"{name} must not be negative: {why}", wait=True)
    return x


def constant(learn: str, row: Rule = freqs) -> Rule:
    """As `row`, for a module that holds constants; `learn` says how else they can be learned."""
    return partial(_constant, learn=learn, row=row)


def _constant(name: str, x: Any, *, learn: str, row: Rule) -> Tensor:
    if row(name, x).requires_grad:
        raise ValueError(f"{name} requires a gradient, but is a constant here: {learn}")
    return x


def require_one_place(**tensors: Tensor) -> None:
    """Torch multiplies a tensor on the meta device by one on a processor, and the result has values from nowhere."""
    if len({x.is_meta for x in tensors.values()}) > 1:
        where = ", ".join(f"{name} on {x.device}" for name, x in tensors.items())
        raise ValueError(f"on the meta device there are no values to compute with: put all on one device; got {where}")


def require_alike(**tensors: Tensor) -> None:
    """One number of each tensor for every pair or feature."""
    first, *others = tensors.values()
    if any(x.shape != first.shape for x in others):
        raise ValueError(f"{' and '.join(tensors)} must be equally long; got {shapes(**tensors)}")


def require_made(who: str, x: Any, *wanted: tuple[int, ...], needed: str) -> Tensor:
    """What a function that the caller has passed returns."""
    if not any(_content(f"what {who} gives", x, axes=0).shape == each for each in wanted):
        raise ValueError(f"{who} must {needed}; it gave {list(x.shape)}")
    return x


def shapes(**tensors: Tensor) -> str:
    return ", ".join(f"{name} {list(x.shape)}" for name, x in tensors.items())


def broadcasts(given: tuple[int, ...], rows: tuple[int, ...], plain: int) -> bool:
    """Whether a shape has `plain` axes, or as many as `rows`, and each of them is 1 or as long as there."""
    aligned = len(given) in (plain, len(rows)) and len(given) <= len(rows)
    return aligned and fits(given, rows)


def fits(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Whether x.expand(to) works, for x of this shape.

    Each length is compared, never looked up among two: a symbolic one is found there by identity only.
    """
    last = len(to) - len(shape)
    return last >= 0 and all(n == 1 or n == to[last + i] for i, n in enumerate(shape))


def broadcast_together(*shapes: tuple[int, ...]) -> bool:
    try:
        torch.broadcast_shapes(*shapes)
    except RuntimeError:
        return False
    return True


def arithmetic_dtype(x: Tensor) -> torch.dtype:
    """The dtype to compute in: float32 at least."""
    return torch.promote_types(x.dtype, torch.float32)
