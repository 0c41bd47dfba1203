"""Frequencies that are changed after a call must have the effect that they have before the first one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import torch
from torch import Tensor, nn

from posenc_checks.calling.usual import FREQUENCIES
from posenc_checks.reading.case import Case
from posenc_checks.report.found import Fault, Finding
from posenc_checks.rules.driver import rule

# fmt: off
STALE_CACHE = Fault(
    "stale-cache", "cosines are kept from before the frequencies changed",
    "the condition under which the table is made anew; matters where frequencies are loaded or scaled after a call",
    page="extension/ntk", level="trap"
)
# fmt: on


@rule(needs=["forgets"])
def follows_its_frequencies(case: Case) -> Iterator[Finding]:
    for name in _frequency_names(case.fresh()[1]):
        if off := _missed(case, name):
            yield Finding(STALE_CACHE, f"features are off by {off:.3g}", f"call, change {name}, call with 8 tokens")
            return


def _missed(case: Case, name: str) -> float | None:
    """How far features are off that do not follow a change of these frequencies."""
    with suppress(Exception):
        (changed, owner), (used, late), (same, _) = (case.fresh() for _ in range(3))
        x, positions = torch.ones(1, 1, 8, same.d), torch.arange(8)
        _change(owner, name)
        used(x, positions)
        _change(late, name)
        new, stale, old = (each(x, positions)[0] for each in (changed, used, same))
        # 1e-4 is arbitrary: the frequencies are halved, and the copy that missed it is equal to the last digit
        if (new - old).abs().max() > 1e-4 and torch.equal(stale, old):
            return (new - stale).abs().max().item()
    return None


def _frequency_names(owner: Any) -> list[str]:
    names = {**vars(owner)} if hasattr(owner, "__dict__") else {}
    if isinstance(owner, nn.Module):
        names |= dict(owner.named_buffers(recurse=False)) | dict(owner.named_parameters(recurse=False))
    return [name for name in names if name in FREQUENCIES and isinstance(names[name], (int, float, Tensor))]


def _change(owner: Any, name: str) -> None:
    value = getattr(owner, name)
    if isinstance(value, Tensor):
        value.mul_(0.5)  # in place, so that a parameter stays one
    else:
        setattr(owner, name, value * 4)
