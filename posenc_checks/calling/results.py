"""What a reader's function returned: numbers, and the same ones when it is called again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from posenc_checks.calling.names import CallError

RANDOM = (
    "two equal calls give different results, so there is nothing to read. Is there dropout, noise, or a counter of "
    "calls inside? Check it alone, in eval mode"
)


def numbers(out: Any) -> Tensor:
    """What came back, if it is a tensor or an array of numbers."""
    try:
        out = torch.as_tensor(out)
    except Exception:  # numpy's and torch's errors are of many kinds
        raise CallError(f"{type(out).__name__} came back, where a tensor or an array is needed") from None
    if out.is_meta or out.is_complex() or out.layout is not torch.strided:
        kind = "meta" if out.is_meta else "complex" if out.is_complex() else "sparse"
        raise CallError(f"a {kind} tensor came back, where one of real numbers is needed")
    return out.detach().cpu()


def numbers_of(call: Callable[[], Any]) -> Tensor:
    """The same of a call, which must give the same when it is repeated."""
    out, again = numbers(call()), numbers(call())
    if out.shape != again.shape or not torch.equal(out.nan_to_num(nan=-1.5), again.nan_to_num(nan=-1.5)):
        raise CallError(RANDOM)
    return out
