"""Two functions that should do the same: in what they differ, and in which order to look for the reason."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from posenc_checks.angles import in_bfloat16, read_at, read_far
from posenc_checks.call import Rotation
from posenc_checks.expectations import name_start
from posenc_checks.find import find_rotation
from posenc_checks.names import RANDOM, CallError, said
from posenc_checks.positions import SHUFFLED, same
from posenc_checks.precision import in_half
from posenc_checks.probe import Turn, angle_of, follow, read_matrices, take_apart
from posenc_checks.reading import Reading, differences, no_angles, parting, say
from posenc_checks.report import Report
from posenc_checks.rotary import turns_alike


def compare(a: Callable[..., Any], b: Callable[..., Any], *, told: dict[str, Any] | None = None) -> Report:
    """What the second function does otherwise than the first, in the order in which to look.

    Told apart are the layout, the sense, the base, a scaling of the frequencies, the rotated part, the offset, the
    factor, and the dtype of positions, frequencies, angles, or cosines and sines. `told` holds `call`, `axes`, `d` and
    `table` of both, or pairs of them, as `check_rotary` takes them.

    >>> def rope(x, positions, sign=1):
    ...     angles = sign * positions[:, None] * 10_000 ** (-torch.arange(0, 64, 2) / 64)
    ...     z = torch.view_as_complex(x.unflatten(-1, (-1, 2))) * torch.polar(torch.ones_like(angles), angles)
    ...     return torch.view_as_real(z).flatten(-2)
    >>> compare(rope, lambda x, positions: rope(x, positions, -1)).facts["look at"]
    'sense'
    """
    report = Report(f"{_name(a)} and {_name(b)}", "port")
    read = []
    for i, function in enumerate((a, b)):
        own = {key: value[i] if isinstance(value, (tuple, list)) else value for key, value in (told or {}).items()}
        try:
            with torch.no_grad():
                read.append(_read(find_rotation(function, turns_alike, **own)))
        except CallError as error:
            report.unknown.append(f"{_name(function)}: {error}")
            return report
        except Exception as error:  # the reader's code may raise anything, at any of our calls
            report.unknown.append(f"{_name(function)} was called, but reading it ended in {said(error)}")
            return report
    for which, (one, other) in zip(("queries", "keys"), zip(*read, strict=True), strict=True):
        found = differences(one[0], other[0])
        apart = parting(one[1], other[1]) if one[0].features == other[0].features else None
        if apart and not found:
            found = {"angles": f"{which} differ, and in none of the ways that are told apart here: check each alone"}
        if found or which == "keys":
            break
    say(found, report)
    if apart:
        report.facts["they part"] = apart
    if found and which == "keys":
        report.facts["of"] = "the keys only; queries agree"
    return report


def _read(rotation: Rotation) -> list[tuple[Reading, Tensor]]:
    """Of queries and of keys, which are one where the function takes one tensor: what is known, and the matrices."""
    matrices, again = _near(rotation), _near(rotation)
    if not all(each.isfinite().all() for each in matrices):
        raise CallError("the result holds NaN or infinity: check it alone")
    if not all(torch.equal(a, b) for a, b in zip(matrices, again, strict=True)):
        raise CallError(RANDOM)
    counted = not rotation.takes_positions or _ignores_positions(rotation, matrices[0])
    turns = [take_apart(matrices[i]) for i in (0, min(1, len(matrices) - 1))]
    places = "given, but rows are counted" if counted and rotation.takes_positions else "as given"
    if not all(turn.pairs for turn in turns):
        nothing = torch.arange(len(matrices[0]))
        return [(Reading(rotation.d, [], nothing, no_angles(nothing), places=places), matrices[i]) for i in (0, -1)]
    far, blocks = read_far(rotation, *turns, counted)
    low = _in_bfloat16(rotation, turns, far, counted)
    readings = [_reading(rotation, *each, far, places) for each in zip(turns, blocks, low, strict=True)]
    return [(reading, matrices[min(i, len(matrices) - 1)]) for i, reading in enumerate(readings)]


def _near(rotation: Rotation) -> list[Tensor]:
    for n in (64, 32, 17, 9):
        with suppress(Exception):  # a table that is shorter
            return read_matrices(rotation, torch.arange(n))[:2]
    return read_matrices(rotation, torch.arange(5))[:2]


def _ignores_positions(rotation: Rotation, rows: Tensor) -> bool:
    n = len(SHUFFLED)
    return len(rows) > n and same(read_matrices(rotation, SHUFFLED)[0], rows[:n])


def _in_bfloat16(rotation: Rotation, turns: list[Turn], far: Tensor, counted: bool) -> list[Tensor | None]:
    if rotation.own_angles:
        with suppress(Exception):  # a function that takes float32 only
            cast = replace(rotation, function=in_bfloat16(rotation.function))
            return [angle_of(each) for each in read_at(cast, (turns[0], turns[1]), far, counted)]
    return [None, None]


def _reading(rotation: Rotation, turn: Turn, blocks: Tensor, low: Tensor | None, far: Tensor, places: str) -> Reading:
    size = (turn.start.T @ turn.start).diagonal().sqrt()
    start, eye = turn.start / size, torch.eye(rotation.d, dtype=torch.float64)
    angles = angle_of(blocks)
    still = torch.allclose(start, eye, atol=1e-4)
    return Reading(
        rotation.d,
        turn.pairs,
        far,
        angles,
        "from 0" if still else name_start(start, turn, follow(far, angles, 32))[1],
        size[turn.rotated].mean().item(),
        in_half(blocks.flatten()) if still and rotation.own_angles else None,
        low,
        places,
    )


def _name(function: Any) -> str:
    return getattr(function, "__name__", type(function).__name__)
