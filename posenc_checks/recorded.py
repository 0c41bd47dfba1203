"""Two recordings of what went into a rotation and what came out: where the rotations differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from posenc_checks.calling.expected import require_call
from posenc_checks.reading.reading import Reading
from posenc_checks.reading.recordings import Fit, changing, fits, half_of, read_recording
from posenc_checks.report.found import Fact, Found, Unknown
from posenc_checks.report.report import Report
from posenc_checks.rules import PORT
from posenc_checks.rules.driver import run
from posenc_checks.rules.port import Pair, differences
from posenc_lib.border import content
from posenc_lib.border.values import require_finite_values

Recording = tuple[Any, Any]
Tensors = tuple[Tensor, Tensor]
NAMES = ("first", "second")


def compare_recorded(a: Recording, b: Recording, *, axes: str | tuple[str, str] | None = None) -> Report:
    r"""What the second rotation does differently from the first, read from features before and after it.

    Each recording is two tensors or arrays with the features last, and tokens from the first position on. All axes are
    tried as that of the tokens, with both layouts, on the features that change. With the right axis and layout, all
    vectors of a position are multiplied, in each pair, by one number of modulus 1, and perhaps by one factor for all.
    Where several fit, or none, the report says so and its `ok` is None. `axes` ("bnhd"), for both recordings or as a
    pair, leaves only one to try.

    Raises `TypeError` and `ValueError` for recordings that hold no such features.

    >>> from posenc_lib.rotary import rotate
    >>> x, angles = torch.randn(2, 9, 3, 8, generator=torch.Generator().manual_seed(0)), torch.arange(9.0)[:, None]
    >>> angles = angles * torch.tensor([1, 0.1, 0.01, 0.001])
    >>> theirs = rotate(x.transpose(1, 2), angles, layout="half")  # [b, h, n, d]
    >>> compare_recorded((x, rotate(x, angles[None, :, None])), (x.transpose(1, 2), theirs)).facts["look at"]
    'layout'
    """
    both = axes if isinstance(axes, (tuple, list)) else (axes, axes)
    recordings = [_tensors(*each, told) for each, told in zip((a, b), both, strict=True)]
    fitting = [[*fits(*each, told)] for each, told in zip(recordings, both, strict=True)]
    return Report.of("two recordings", "port", _compare(recordings, fitting))


def _compare(recordings: list[Tensors], fitting: list[list[Fit]]) -> Iterator[Found]:
    unclear = [_cannot_tell(*each, found) for each, found in zip(recordings, fitting, strict=True)]
    yield from (Unknown(f"the {name} recording {why}") for name, why in zip(NAMES, unclear, strict=True) if why)
    if any(unclear):
        return
    readings = [read_recording(*each, found[0]) for each, found in zip(recordings, fitting, strict=True)]
    yield from _limits(readings, [half_of(after) for _, after in recordings])
    yield from run(PORT, Pair(differences(*readings)))
    yield Fact("axes", " | ".join(found[0].axes for found in fitting))


def _tensors(before: Any, after: Any, axes: str | None) -> Tensors:
    x, y = (torch.from_numpy(each) if isinstance(each, np.ndarray) else each for each in (before, after))
    content(2)("before", x), content(2)("after", y)
    if x.shape != y.shape:
        raise ValueError(f"before and after must have one shape; got {list(x.shape)} and {list(y.shape)}")
    if not x.numel():
        raise ValueError(f"before and after hold nothing: their shape is {list(x.shape)}")
    require_call(axes=axes)
    if axes is not None and len(axes) != x.ndim:
        raise ValueError(f"axes {axes!r} name {len(axes)} axes, but the features are {list(x.shape)}")
    require_finite_values(before=x, after=y)
    return x, y


def _cannot_tell(x: Tensor, y: Tensor, fitting: list[Fit]) -> str:
    if len(fitting) > 1:
        words = " and ".join(f"{fit.axes} with layout {fit.layout}" for fit in fitting)
        return f"fits {words}: record more tokens, heads or samples, or say axes"
    if not fitting and max(x.shape[:-1]) < 2:
        return "holds one vector; at least two positions are needed, and more tell more"
    if not fitting:
        return (
            "fits no axes and no layout: its samples have positions of their own, it is no rotation of pairs, or its "
            "tokens do not count up"
        )
    if half_of(y) and len(changing(x, y)) < x.shape[-1]:
        return (
            f"is in {half_of(y)}, in which some features do not change: it cannot tell a rotated part from slow pairs. "
            "Record in float32, or record more positions"
        )
    return ""


def _limits(readings: list[Reading], halves: list[str | None]) -> Iterator[Fact | Unknown]:
    """What these recordings could not show."""
    n = min(len(each.positions) for each in readings)
    if n < 259:
        yield Fact("not seen", f"positions from {n} onwards; in bfloat16, errors would begin at 257")
    for name, half in zip(NAMES, halves, strict=True):
        if half:
            yield Unknown(
                f"the {name} recording is in {half}: rounded cosines, sines and angles look like rounded features"
            )
