"""Checks of values: shapes and dtypes are known at once, values only where they can be read."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor


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


def require_all(x: Tensor, good: Tensor, rule: str, remedy: str = "", *, wait: bool = False) -> None:
    """The same for a tensor whose first bad value is to be named, after the rule and before what to do."""
    first = lambda bad: x[tuple(i.item() for i in bad.nonzero()[0])].item()  # noqa: E731  (torch 2.9 takes no mask of uint64)
    require_values(good, rule, lambda bad: f"{rule}; got {first(bad)}{remedy and f'. {remedy}'}", wait=wait)


def require_finite_values(*, wait: bool = False, **given: Tensor) -> None:
    """No value of a tensor is NaN or infinite; `wait` as in `require_values`."""
    for name, x in given.items():
        require_all(x, x.isfinite(), f"{name} must be finite", wait=wait)


def require_no_nan(name: str, x: Tensor) -> Tensor:
    """What a function of positions gives: from one NaN there, every weight of its query is NaN."""
    said = lambda bad: f"{name} gives NaN, first at {bad.nonzero()[0].tolist()}: look at what it is made of"  # noqa: E731
    require_values(~x.detach().isnan(), f"{name} gives NaN", said)
    return x


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
