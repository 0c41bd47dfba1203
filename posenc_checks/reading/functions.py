"""A rotary function as two readings, of queries and of keys, with the matrices that they come from."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import torch
from torch import Tensor

from posenc_checks.calling.names import CallError
from posenc_checks.calling.results import RANDOM
from posenc_checks.calling.rotation import Rotation
from posenc_checks.reading.case import SHUFFLED
from posenc_checks.reading.near_and_far import in_bfloat16, read_at, read_far, same
from posenc_checks.reading.outputs import crossed
from posenc_checks.reading.precision import in_half
from posenc_checks.reading.probe import Turn, angle_of, follow, read_matrices, take_apart
from posenc_checks.reading.reading import Reading, nothing_rotated
from posenc_checks.reading.words import name_start


def read_function(rotation: Rotation) -> list[tuple[Reading, Tensor]]:
    """Of queries and of keys, which are one where the function takes one tensor: what is known, and the matrices."""
    matrices, again = _near(rotation), _near(rotation)
    if not all(each.isfinite().all() for each in matrices):
        raise CallError("the result holds NaN or infinity: check the function alone")
    if not all(torch.equal(a, b) for a, b in zip(matrices, again, strict=True)):
        raise CallError(RANDOM)
    counted = not rotation.takes_positions or _ignores_positions(rotation, matrices[0])
    turns = [take_apart(matrices[i]) for i in (0, min(1, len(matrices) - 1))]
    known = {"tensors": crossed(rotation) or "kept apart"}
    known["places"] = "given, but rows are counted" if counted and rotation.takes_positions else "as given"
    if not all(turn.pairs for turn in turns):
        nothing = nothing_rotated(rotation.d, torch.arange(len(matrices[0])), **known)
        return [(nothing, matrices[i]) for i in (0, -1)]
    far, blocks = read_far(rotation, *turns, counted)
    low = _in_bfloat16(rotation, turns, far, counted)
    readings = [_reading(rotation, *each, far, known) for each in zip(turns, blocks, low, strict=True)]
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


def _reading(
    rotation: Rotation, turn: Turn, blocks: Tensor, low: Tensor | None, far: Tensor, known: dict[str, str]
) -> Reading:
    start, angles = turn.unit_start, angle_of(blocks)
    still = torch.allclose(start, torch.eye(rotation.d, dtype=torch.float64), atol=1e-4)
    return Reading(
        rotation.d,
        turn.pairs,
        far,
        angles,
        "from 0" if still else name_start(start, turn, follow(far, angles, 32))[1],
        turn.factor,
        in_half(blocks.flatten()) if still and rotation.own_angles else None,
        low,
        **known,
    )
