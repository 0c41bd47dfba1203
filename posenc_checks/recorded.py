"""Two recordings of what went into a rotation and what came out: in what the rotations differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from posenc_checks.call import AXES
from posenc_checks.precision import HALVES, SHARE, in_half
from posenc_checks.probe import follow, wrap
from posenc_checks.reading import COARSE, FINE, Reading, differences, name_offset, no_angles, say
from posenc_checks.report import Report
from posenc_lib.inputs import require_finite_values, require_floating, require_one_of

Recording = tuple[Any, Any]
Fit = tuple[str, str, list[tuple[int, int]], Tensor]
"""Axes, layout, pairs, and what each is multiplied by at each position, as a complex number, [n, pairs]."""


def compare_recorded(a: Recording, b: Recording, *, axes: str | tuple[str, str] | None = None) -> Report:
    r"""What the second rotation does otherwise than the first, from features before and after it.

    Each recording is two tensors or arrays with the features last, and tokens from the first position on. All axes are
    tried as that of the tokens, and both layouts, on the features that change. With the right ones, all vectors of a
    position are multiplied by one number of modulus 1 a pair, or by one factor more. Where several fit, or none, the
    report says so and its `ok` is None. `axes` ("bnhd"), of both or a pair, leaves only one to try.

    Raises `TypeError` and `ValueError` for what holds no such features.

    >>> from posenc_lib.rotary import rotate
    >>> x, angles = torch.randn(2, 9, 3, 8, generator=torch.Generator().manual_seed(0)), torch.arange(9.0)[:, None]
    >>> angles = angles * torch.tensor([1, 0.1, 0.01, 0.001])
    >>> theirs = rotate(x.transpose(1, 2), angles, layout="half")  # [b, h, n, d]
    >>> compare_recorded((x, rotate(x, angles[None, :, None])), (x.transpose(1, 2), theirs)).facts["look at"]
    'layout'
    """
    report = Report("two recordings", "port")
    told = axes if isinstance(axes, (tuple, list)) else (axes, axes)
    readings, fits = [], []
    for name, (before, after), known in zip(("first", "second"), (a, b), told, strict=True):
        x, y = _tensors(before, after, known)
        fitting = [*_fits(x.double(), y.double(), known, COARSE if _half(y) else 1e-4)]
        if said := _cannot_tell(x, y, fitting):
            report.unknown.append(f"the {name} recording {said}")
            continue
        readings.append(_reading(x, y, fitting[0]))
        fits.append(fitting[0])
    if len(readings) < 2:
        return report
    _say_limits(readings, [_half(_tensors(*each, None)[1]) for each in (a, b)], report)
    say(differences(*readings), report)
    report.facts["axes"] = " | ".join(fit[0] for fit in fits)
    return report


def _tensors(before: Any, after: Any, axes: str | None) -> tuple[Tensor, Tensor]:
    x, y = (torch.from_numpy(each) if isinstance(each, np.ndarray) else each for each in (before, after))
    require_floating(axes=2, before=x, after=y)
    if x.shape != y.shape:
        raise ValueError(f"before and after must have one shape; got {list(x.shape)} and {list(y.shape)}")
    if not x.numel():
        raise ValueError(f"before and after hold nothing: their shape is {list(x.shape)}")
    if axes is not None:
        require_one_of("axes", axes, AXES)
        if len(axes) != x.ndim:
            raise ValueError(f"axes {axes!r} are {len(axes)}, and the features have {list(x.shape)}")
    require_finite_values(before=x, after=y)
    return x, y


def _half(y: Tensor) -> str | None:
    """The half precision in which features were recorded, whatever dtype holds them now."""
    return in_half(y.flatten())


def _fits(x: Tensor, y: Tensor, axes: str | None, tolerance: float) -> Iterator[Fit]:
    r = _changing(x, y)
    if not r:
        yield "any", "any", [], no_angles(x)
    if len(r) % 2 or not r:
        return
    half = len(r) // 2
    pairings = {"half": (r[:half], r[half:]), "interleaved": (r[::2], r[1::2])}
    for layout, (first, second) in list(pairings.items())[: 1 if half == 1 else 2]:
        z, w = (torch.complex(each[..., first], each[..., second]) for each in (x, y))
        for token in range(x.ndim - 1) if axes is None else [axes.index("n")]:
            turns = _one_number_each(z, w, token, tolerance)
            if turns is not None:
                yield _words(x.ndim, token), layout, list(zip(first, second, strict=True)), turns


def _changing(x: Tensor, y: Tensor) -> list[int]:
    off = (y - x).abs().flatten(0, -2).amax(0)
    return [int(i) for i in (off > 1e-6 * x.abs().max()).nonzero()]


def _one_number_each(z: Tensor, w: Tensor, token: int, tolerance: float) -> Tensor | None:
    """The number by which each pair is multiplied at each place along an axis, if there is one."""
    if z.shape[token] < 2:
        return None
    z, w = (each.movedim(token, -2).flatten(0, -3) if z.ndim > 2 else each[None] for each in (z, w))
    turns = (w * z.conj()).sum(0) / (z * z.conj()).sum(0)
    sizes = turns.abs()
    off = (w - turns * z).abs().max() / z.abs().max()
    steady = sizes.max() < 1.02 * sizes.min()
    return turns if off < tolerance and steady else None


def _words(ndim: int, token: int) -> str:
    named = {4: ("n, b, h, d", "b, n, h, d", "b, h, n, d"), 3: ("n, …, d", "…, n, d"), 2: ("n, d",)}
    return f"[{named[ndim][token]}]" if ndim in named else f"tokens along axis {token}"


def _cannot_tell(x: Tensor, y: Tensor, fits: list[Fit]) -> str:
    if len(fits) > 1:
        said = " and ".join(f"{axes} with layout {layout}" for axes, layout, *_ in fits)
        return f"fits {said}: record more tokens, heads or samples, or say axes"
    if not fits and max(x.shape[:-1]) < 2:
        return "holds one vector; two positions are needed at least, and more tell more"
    if not fits:
        return (
            "fits no axes and no layout: its samples have positions of their own, it is no rotation of pairs, or its "
            "tokens do not count up"
        )
    if _half(y) and len(_changing(x, y)) < x.shape[-1]:
        return (
            f"is in {_half(y)}, in which some features do not change: it cannot tell a part from slow pairs. Record "
            "in float32, or more positions"
        )
    return ""


def _reading(x: Tensor, y: Tensor, fit: Fit) -> Reading:
    _, _, pairs, turns = fit
    positions = torch.arange(len(turns))
    if not pairs:
        return Reading(x.shape[-1], [], positions, no_angles(positions))
    half = _half(y)
    angles = wrap(turns.angle() - turns.angle()[0])
    freqs = follow(positions, angles, 4_096)
    last = 2 ** (len(positions) - 1).bit_length() // 2
    return Reading(
        x.shape[-1],
        pairs,
        positions,
        angles,
        name_offset(turns[0].angle(), freqs),
        turns.abs().mean().item(),
        None if half else _numbers_of(turns),
        noise=(4e-3 if half else 2e-7) / max(last, 1),
        tolerance=COARSE if half else FINE,
    )


def _numbers_of(turns: Tensor) -> str | None:
    """The half precision of which cosines and sines are, up to the rounding of the features."""
    parts = torch.view_as_real(turns).flatten()
    parts = parts[(parts.abs() > 0.1) & (parts.abs() < 0.99)]
    for name, dtype in HALVES.items():
        near = (parts - parts.to(dtype).double()).abs() < 2e-6
        if len(parts) >= 16 and near.double().mean() >= SHARE:
            return name
    return None


def _say_limits(readings: list[Reading], halves: list[str | None], report: Report) -> None:
    """What these recordings could not show."""
    n = min(len(each.positions) for each in readings)
    if n < 259:
        report.facts["not seen"] = f"positions from {n} on; in bfloat16 they would be wrong from 257 on"
    for name, half in zip(("first", "second"), halves, strict=True):
        if half:
            report.unknown.append(
                f"the {name} recording is in {half}: rounded cosines, sines and angles look like rounded features"
            )
