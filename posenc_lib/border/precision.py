"""What keeps its precision: products outside autocast, and constants that no cast of a module changes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn


def full_precision(x: Tensor) -> AbstractContextManager[Any]:
    """Without autocast, which would take products of wide numbers in half precision."""
    kind = x.device.type
    if kind == "meta" or not torch.is_autocast_enabled(kind):
        return nullcontext()
    return torch.autocast(kind, enabled=False)


class Exact(nn.Module):
    """A constant that moves with its module, and that neither a cast nor `to_empty` changes."""

    def __init__(self, name: str, value: Tensor, device: torch.device) -> None:
        super().__init__()
        self.name, self.value = name, value.to(device)
        self.kept = None if value.is_meta else value.cpu()

    def extra_repr(self) -> str:
        return f"{list(self.value.shape)}, {str(self.value.dtype).removeprefix('torch.')}"

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Exact:
        device = fn(torch.empty(0, dtype=torch.int64, device=self.value.device)).device
        if self.kept is None and device.type != "meta":
            raise ValueError(
                f"{self.name} was made on the meta device, so it has no values to move to {device}: make {self.name} "
                "with device='cpu', even where the module is made on the meta device"
            )
        self.value = self.value if self.kept is None else self.kept.to(device)
        return self


def register_exact(module: nn.Module, name: str, value: Tensor, device: torch.device | None = None) -> None:
    """Keeps a copy of the value as `module._name.value`, on the device if one is given; no part of the state_dict."""
    module.add_module(f"_{name}", Exact(name, value.detach().clone(), value.device if device is None else device))
