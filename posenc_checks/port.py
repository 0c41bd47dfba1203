"""Two functions that should do the same: where they differ, and in which order to look for the cause."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from posenc_checks.calling.expected import require_call
from posenc_checks.calling.find import find_rotation
from posenc_checks.calling.names import CallError, first_line_of, name_of
from posenc_checks.reading.functions import read_function
from posenc_checks.reading.near_and_far import turns_alike
from posenc_checks.reading.reading import Reading
from posenc_checks.report.found import Found, Unknown
from posenc_checks.report.report import Report
from posenc_checks.rules import PORT
from posenc_checks.rules.driver import run
from posenc_checks.rules.port import Pair, differences

Read = tuple[Reading, Tensor]


def compare(a: Callable[..., Any], b: Callable[..., Any], *, told: dict[str, Any] | None = None) -> Report:
    """What the second function does differently from the first, in the order in which to look.

    It tells apart the layout, the sense, the base, a scaling of the frequencies, the rotated part, the offset, the
    factor, and the dtype of positions, frequencies, angles, or cosines and sines. `told` holds `call`, `axes`, `d`,
    `groups` and `table` as `check_rotary` takes them, each for both functions or as a pair.

    >>> def rope(x, positions, sign=1):
    ...     angles = sign * positions[:, None] * 10_000 ** (-torch.arange(0, 64, 2) / 64)
    ...     z = torch.view_as_complex(x.unflatten(-1, (-1, 2))) * torch.polar(torch.ones_like(angles), angles)
    ...     return torch.view_as_real(z).flatten(-2)
    >>> compare(rope, lambda x, positions: rope(x, positions, -1)).facts["look at"]
    'sense'
    """
    own = [_told(told or {}, i) for i in (0, 1)]
    return Report.of(f"{name_of(a)} and {name_of(b)}", "port", _compare(a, b, own))


def _told(told: dict[str, Any], i: int) -> dict[str, Any]:
    """What is told of the first, or of the second."""
    if not isinstance(told, dict):
        raise TypeError(f"told must be a dictionary, as in told={{'d': 64}}; got {type(told).__name__}")
    for name, value in told.items():
        if isinstance(value, (tuple, list)) and len(value) != 2:
            raise ValueError(f"{name} for two functions must be a pair; got {len(value)}")
    own = {name: value[i] if isinstance(value, (tuple, list)) else value for name, value in told.items()}
    require_call(**own)
    return own


def _compare(a: Callable[..., Any], b: Callable[..., Any], told: list[dict[str, Any]]) -> list[Found]:
    read = []
    for function, own in zip((a, b), told, strict=True):
        try:
            with torch.no_grad():
                read.append(read_function(find_rotation(function, turns_alike, **own)))
        except CallError as error:
            return [Unknown(f"{name_of(function)}: {error}")]
        except Exception as error:  # the reader's code may raise anything, at any of our calls
            return [Unknown(f"{name_of(function)} was called, but reading it ended in {first_line_of(error)}")]
    return [*run(PORT, _pair(*read))]


def _pair(a: list[Read], b: list[Read]) -> Pair:
    """The queries of both, or the keys where these agree."""
    queries, keys = zip(a, b, strict=True)
    pair = _hold_together(*queries, "queries")
    return pair if pair.differences else _hold_together(*keys, "keys")


def _hold_together(a: Read, b: Read, which: str) -> Pair:
    found = differences(a[0], b[0])
    apart = _parting(a[1], b[1]) if a[0].features == b[0].features else None
    if apart and not found:
        found = {"angles": f"{which} differ, but in none of the ways that are told apart here: check each alone"}
    return Pair(found, apart, keys_only=bool(found) and which == "keys")


def _parting(a: Tensor, b: Tensor) -> str | None:
    """Where two rows of matrices first differ."""
    n = min(len(a), len(b))
    off = (a[:n] - b[:n]).abs().flatten(1)
    apart = (off.amax(1) > 1e-3).nonzero()
    if not len(apart):
        return None
    p = int(apart[0])
    feature = int((a[p] - b[p]).abs().amax(-1).argmax())
    return f"at position {p}, most at feature {feature}, by {off[p].max():.3g}"
