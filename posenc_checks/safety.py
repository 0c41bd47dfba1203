"""Before anything is read: does the function return numbers, leave its input alone, and treat each token alone?"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from posenc_checks.call import Rotation
from posenc_checks.names import RANDOM
from posenc_checks.report import Report

N = 6


@contextmanager
def poisoned() -> Iterator[None]:
    """What `torch.empty`, `np.empty` and their kind return is full of NaN."""
    before = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    filling = torch.utils.deterministic.fill_uninitialized_memory
    torch.utils.deterministic.fill_uninitialized_memory = True
    torch._C._set_deterministic_algorithms(True, warn_only=True)  # torch's own function would load its compiler first
    makers = {name: getattr(np, name) for name in ("empty", "empty_like")}
    for name, make in makers.items():
        setattr(np, name, _filling(make))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for name, make in makers.items():
            setattr(np, name, make)
        torch._C._set_deterministic_algorithms(before[0], warn_only=before[1])
        torch.utils.deterministic.fill_uninitialized_memory = filling


def _filling(make: Callable[..., Any]) -> Callable[..., Any]:
    def filled(*args: Any, **named: Any) -> Any:
        out = make(*args, **named)
        if out.dtype.kind in "fc":
            out.fill(np.nan)
        return out

    return filled


def check_safety(rotation: Rotation, report: Report) -> bool:
    """Whether the function is a linear map of each token, so that it can be read as a matrix."""
    x, y = torch.randn(2, 2, 3, N, rotation.d, generator=torch.Generator().manual_seed(0))
    positions = torch.arange(N)
    outs = [out.clone() for out in rotation(x, positions)]
    zero = [out.clone() for out in rotation(torch.zeros_like(x), positions)]
    again = [out.clone() for out in rotation(x, positions)]
    with poisoned():
        filled = rotation(x, positions)
    for name, out, other, still in zip("qkv", outs, filled, zero, strict=False):
        bad, left = (~each.isfinite() for each in (out, other))
        if bool((left & ~bad).any()):  # NaN where memory was filled with it, and not, or not always, where it was not
            report.find("uninitialised", f"{int(left.sum())} of {left.numel()} numbers of {name}", _place(left))
        elif bad.any():
            report.find("nan", f"{int(bad.sum())} of {bad.numel()} numbers of {name}", _place(bad))
        elif not still.isfinite().all():
            report.find("nan", f"{int((~still.isfinite()).sum())} numbers of {name}", "a vector of zeros")
        if report.findings:
            return False
    if not all(torch.equal(a, b) for a, b in zip(outs, again, strict=True)):
        report.unknown.append(RANDOM)
        return False
    _check_input(rotation, x, positions, report)
    if {"q", "k"} <= {*rotation.convention.roles} and len(outs) < 2:
        report.unknown.append(
            f"called with ({', '.join(rotation.convention.roles)}) it gives back one tensor: the keys were not seen"
        )
    both = rotation(x + 2 * y, positions)
    for a, b, ab, at_0 in zip(outs, rotation(y, positions), both, zero, strict=True):
        if (ab - a - 2 * b).abs().max() > 1e-3 * ab.abs().max() or at_0.abs().max() > 1e-6:
            report.unknown.append(
                "it is not linear in the features, so there is no matrix to read. Is there a norm, a gate or a learned "
                "bias inside? Check the rotation alone"
            )
            return False
    return not _mixes(rotation, positions, report)


def _check_input(rotation: Rotation, x: Tensor, positions: Tensor, report: Report) -> None:
    """The function itself is called, since a `Rotation` hands over copies."""
    seen: list[tuple[Any, Tensor]] = []

    def spy(*args: Any, **named: Any) -> Any:
        given = [each for each in (*args, *named.values()) if isinstance(each, (Tensor, np.ndarray))]
        seen.extend((each, torch.as_tensor(each).clone()) for each in given)
        return rotation.function(*args, **named)

    replace(rotation, function=spy)(x, positions)
    for now, before in ((torch.as_tensor(now), before) for now, before in seen):
        if now.shape == before.shape and not torch.equal(now, before):
            report.find(
                "in-place", f"it changes by {(now - before).abs().max():.3g}", f"{list(now.shape)}, any numbers"
            )
            return


def _mixes(rotation: Rotation, positions: Tensor, report: Report) -> bool:
    x = torch.zeros(2, 3, N, rotation.d)
    x[0, 1, 2] = 1
    for out in rotation(x, positions):
        left = out.clone()
        left[0, 1, 2] = 0
        if left.abs().max() > 1e-6:
            b, h, n, i = (int(place) for place in left.abs().eq(left.abs().max()).nonzero()[0])
            evidence = f"it holds {left[b, h, n, i]:.3g}, where it should hold 0"
            report.find("tokens-mixed", evidence, f"only token 2 of head 1 is set; see sample {b}, head {h}, token {n}")
            return True
    return False


def check_history(rotation: Rotation, report: Report) -> bool:
    """Whether the same call gives the same before and after a longer one."""
    lengths = (8, 64, 3_000)
    with suppress(Exception):  # a table that is shorter
        before = [_call(rotation, n) for n in lengths]
        _call(rotation, 4_096)
        for n, old in zip(lengths[::-1], before[::-1], strict=True):  # a short call may undo what the long one left
            off = (_call(rotation, n) - old).abs().max()
            if off > 1e-3:
                report.find("history", f"features change by {off:.3g}", f"{n} tokens, then 4,096, then {n}")
                return False
    return True


def _call(rotation: Rotation, n: int) -> Tensor:
    return torch.stack(rotation(torch.ones(1, 1, n, rotation.d), torch.arange(n)))


def check_stale(fresh: Callable[[], tuple[Rotation, Any]], report: Report) -> None:
    """Frequencies that are changed after a call must have the effect that they have before the first one.

    `fresh` makes a copy that was never called, and the object in it that may hold frequencies.
    """
    for name in _frequency_names(fresh()[1]):
        with suppress(Exception):
            (changed, owner), (used, late), (same, _) = (fresh() for _ in range(3))
            x, positions = torch.ones(1, 1, 8, same.d), torch.arange(8)
            _change(owner, name)
            used(x, positions)
            _change(late, name)
            new, stale, old = (each(x, positions)[0] for each in (changed, used, same))
            if (new - old).abs().max() > 1e-4 and torch.equal(stale, old):
                off = (new - stale).abs().max()
                report.find("stale-cache", f"features are off by {off:.3g}", f"call, change {name}, call with 8 tokens")
                return


def _frequency_names(owner: Any) -> list[str]:
    names = {**vars(owner)} if hasattr(owner, "__dict__") else {}
    if isinstance(owner, nn.Module):
        names |= dict(owner.named_buffers(recurse=False)) | dict(owner.named_parameters(recurse=False))
    usual = ("inv_freq", "freqs", "frequencies", "base", "theta", "rope_theta")
    return [name for name in names if name in usual and isinstance(names[name], (int, float, Tensor))]


def _change(owner: Any, name: str) -> None:
    value = getattr(owner, name)
    if isinstance(value, Tensor):
        value.mul_(0.5)  # in place, so that a parameter stays one
    else:
        setattr(owner, name, value * 4)


def _place(bad: Tensor) -> str:
    b, h, n, i = (int(place) for place in bad.nonzero()[0])
    return f"sample {b}, head {h}, token {n}, feature {i}"
