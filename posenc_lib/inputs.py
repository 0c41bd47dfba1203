"""The border of the library: what every function asks of its arguments, and says when they are something else.

Shapes and dtypes are known at once. Checks of values go through `require_values`, which knows where values can be
read.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor

MAX_POSITION = 2**40
"""The largest position with an angle: rounded in float64, angles are off by 1e-4 there, and by a radian at 2**53."""

MAX_TOKEN = 2**62
"""Positions that only meet in differences stay below: so no distance overflows int64."""

MAX_NUMBERS = 2**28
"""The most numbers that a table over all distances may take where few positions have a wide gap: 2 GB in float64."""

WIDE = (torch.float32, torch.float64)


def is_integer(dtype: torch.dtype) -> bool:
    return not (dtype.is_floating_point or dtype.is_complex or dtype == torch.bool)


# --- numbers


def require_whole(*, least: int | None = None, most: int | None = None, **given: Any) -> None:
    """Refuses what is no integer: 2.5 would be cut off, True would count as 1."""
    for name, n in given.items():
        if not isinstance(n, (int, np.integer, torch.SymInt)) or isinstance(n, bool):
            raise TypeError(f"{name} must be an integer; got {_said(n)}")
        if least is not None and n < least:
            raise ValueError(f"{name} must be at least {least}; got {n}")
        if most is not None and n > most:
            raise ValueError(f"{name} must be at most {most}: beyond, its exact integers take minutes; got {n}")


def require_number(**given: Any) -> None:
    for name, x in given.items():
        if (
            not isinstance(x, (int, float, np.integer, np.floating, torch.SymInt, torch.SymFloat))
            or x is True
            or x is False
        ):
            raise TypeError(f"{name} must be a number; got {_said(x)}")


def require_finite(**given: Any) -> None:
    require_number(**given)
    for name, x in given.items():
        if not isfinite(x):
            raise ValueError(f"{name} must be finite; got {x}")


def require_positive(**given: Any) -> None:
    require_number(**given)
    for name, x in given.items():
        if not 0 < x < float("inf"):
            raise ValueError(f"{name} must be positive and finite; got {x}")


def require_base(base: float) -> None:
    require_positive(base=base)
    if 1 / float(base) == float("inf"):
        raise ValueError(f"base must not be so small that 1/base overflows; got {base}")


def require_even(d: int) -> None:
    require_whole(d=d)
    if d <= 0 or d % 2:
        raise ValueError(f"features are taken in pairs, so their number must be even and positive; got {d}")


def require_flag(**given: Any) -> None:
    """Refuses what is neither True nor False: the text "no" would count as True."""
    for name, flag in given.items():
        if not isinstance(flag, (bool, np.bool_)):
            raise TypeError(f"{name} must be True or False; got {_said(flag)}")


def require_function(**given: Any) -> None:
    for name, function in given.items():
        if not callable(function):
            raise TypeError(f"{name} must be a function or a module; got {_said(function)}")


def require_one_of(name: str, given: Any, known: tuple[str, ...]) -> None:
    if given not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)}; got {given!r}")


# --- tensors


def require_tensor(*, axes: int = 0, **given: Any) -> None:
    for name, x in given.items():
        if not isinstance(x, Tensor):
            raise TypeError(
                f"{name} must be a tensor; got {_said(x)}. torch.as_tensor makes one of numbers or an array"
            )
        if x.ndim < axes:
            raise ValueError(f"{name} must have {axes} axes at least; got {list(x.shape)}")


def require_floating(*, axes: int = 0, **given: Any) -> None:
    require_tensor(axes=axes, **given)
    for name, x in given.items():
        if not x.is_floating_point():
            raise TypeError(f"{name} must be floating point; got {x.dtype}")


def require_wide(axes: int = 0, **given: Any) -> None:
    """For what is multiplied by a position: there half precision is wrong after a few hundred."""
    require_tensor(axes=axes, **given)
    for name, x in given.items():
        if x.dtype not in WIDE:
            raise TypeError(f"{name} must be float32 or float64; got {x.dtype}: half precision is too coarse")


def require_device(device: Any) -> None:
    if not isinstance(device, (torch.device, str, int)) and device is not None:
        raise TypeError(f"device must be a torch.device, its name, or None for the default; got {_said(device)}")


def require_float_dtype(dtype: Any, what: str) -> None:
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        raise TypeError(f"{what} need a floating-point dtype; got {_said(dtype)}. Leave dtype out for the default")


def require_positions(positions: Any, name: str = "positions") -> None:
    """Positions that have an angle: integers, or float32 or float64."""
    require_tensor(**{name: positions})
    dtype = positions.dtype
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


def integers(x: Any, why: str, name: str = "positions") -> Int[Tensor, "..."]:
    """X in int64, in which differences cannot wrap; refused if no integers, which is said after `why`."""
    require_tensor(**{name: x})
    if not is_integer(x.dtype):
        raise TypeError(f"{why}, so {name} must be integers; got {x.dtype}")
    if x.dtype.itemsize == 8:
        require_values(
            x.double().abs() < MAX_TOKEN,
            f"{name} must be below 2**62 in size",
            lambda bad: f"{name} must be below 2**62 in size, or differences overflow; got {x[bad][0].item()}",
        )
    return x.long()


def require_tokens(tokens: Any, n: int) -> Int[Tensor, "..."]:
    """The numbers of tokens as int64, each of them in 0 … n-1."""
    tokens = integers(tokens, "a token is a number", "tokens")
    require_values(
        (tokens >= 0) & (tokens < n),
        "a token outside the table",
        lambda bad: f"the table has tokens 0 … {n - 1}; got {tokens[bad][0].item()}",
    )
    return tokens


# --- values


def require_values(good: Tensor, rule: str, error: Callable[[Tensor], str], *, wait: bool = False) -> None:
    """Raises `ValueError` with what `error` says of the bad places, where values can be read at once.

    Compiled or exported, the rule becomes an assertion in the graph; so it does on an accelerator, which nobody should
    have to wait for, unless `wait` says so. On the meta device and under `torch.vmap` there is nothing to read.
    """
    if not readable(good):
        return
    if torch.compiler.is_compiling() or not (wait or good.device.type == "cpu"):
        torch._assert_async(good.all(), rule)
    elif not good.all():
        raise ValueError(error(good.logical_not()))


def require_finite_values(*, wait: bool = False, **given: Tensor) -> None:
    """No value of a tensor is NaN or infinite; `wait` as in `require_values`."""
    for name, x in given.items():
        rule = f"{name} must be finite"
        error = lambda bad, x=x, rule=rule: f"{rule}; got {x[bad][0].item()}"  # noqa: E731
        require_values(x.isfinite(), rule, error, wait=wait)


def broadcasts(given: tuple[int, ...], rows: tuple[int, ...], plain: int) -> bool:
    """Whether a shape has `plain` axes, or as many as `rows`, and each of them is 1 or as long as there."""
    aligned = len(given) in (plain, len(rows)) and len(given) <= len(rows)
    return aligned and all(a in (1, b) for a, b in zip(given[::-1], rows[::-1], strict=False))


def require_fitting_positions(positions: Tensor, x: Tensor) -> None:
    """Positions are those of x's tokens, [n], or of each sample's, [b, 1, n]."""
    if positions.shape[-1:] != x.shape[-2:-1] or not broadcasts(positions.shape, x.shape[:-1], 1):
        raise ValueError(
            f"positions {list(positions.shape)} do not fit q or k {list(x.shape)}: they must be [n] or [b, 1, n]"
        )


def readable(x: Tensor) -> bool:
    """Whether values are behind x, or will be when the graph runs."""
    if torch.compiler.is_compiling():
        return True
    while torch._C._functorch.is_functorch_wrapped_tensor(x):
        if torch._C._functorch.is_batchedtensor(x):
            return False
        x = torch._C._functorch.get_unwrapped(x)
    return not (x.is_meta or isinstance(x, torch._subclasses.FakeTensor))


def require_readable(x: Tensor, name: str = "positions") -> None:
    if not readable(x):
        raise ValueError(
            f"the values of {name} decide what is computed here, and there are none to read on the meta device or "
            "under torch.vmap: call it outside, with real tensors"
        )


def can_decide(x: Tensor) -> bool:
    """Whether Python may branch on values of x. A compiled graph would have to stop for them."""
    return not torch.compiler.is_compiling() and readable(x)


def _said(x: Any) -> str:
    return f"{type(x).__name__} {list(x.shape)}" if hasattr(x, "shape") and x.shape != () else repr(x)[:60]
