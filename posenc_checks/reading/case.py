"""One rotation under examination: what the reader expects of it, and all that is read of it, each when it is needed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from posenc_checks.calling.expected import Expected
from posenc_checks.calling.rotation import Rotation
from posenc_checks.reading.near_and_far import LASTS, in_bfloat16, read_at, read_far, read_near, same, unit
from posenc_checks.reading.outputs import Outputs, read_outputs
from posenc_checks.reading.precision import Deviation, explain, in_half
from posenc_checks.reading.probe import Turn, amplitude_of, angle_of, follow, read_matrices, take_apart, wrap

ROWS = 24
SHUFFLED = torch.tensor([3, 0, 7, 1, 5, 11])
STEADY = 0.02
"""How far lengths may be off that should be 1."""
UNMOVED = 1e-5
"""How far an angle may be off in a longer call, in radians: a base that has just begun to grow is off by more."""
EXACT, ROUNDED = 2e-3, 0.03
"""How far an angle may be off, in radians: with a table in float32, and in half precision."""


@dataclass(frozen=True)
class Case:
    """`fresh` makes a copy of the rotation that was never called, and the object in it that may hold frequencies."""

    rotation: Rotation
    expected: Expected
    fresh: Callable[[], tuple[Rotation, Any]]

    @cached_property
    def outputs(self) -> Outputs:
        return read_outputs(self.rotation)

    # --- which row gets which angle

    @cached_property
    def all_rows(self) -> list[Tensor]:
        """The matrices of the first positions in a row, of queries and, where they are apart, of keys."""
        return read_matrices(self.rotation, torch.arange(ROWS))[:2]

    @property
    def rows(self) -> Tensor:
        return self.all_rows[0]

    @cached_property
    def still(self) -> bool:
        """Whether all positions are treated alike, so that no position can get the angle of another."""
        return all(same(rows, rows[:1].expand_as(rows)) for rows in self.all_rows)

    @cached_property
    def all_shuffled(self) -> list[Tensor]:
        return read_matrices(self.rotation, SHUFFLED)[:2]

    @cached_property
    def orders(self) -> list[str]:
        """Of positions that do not count 0, 1, 2, …: whether these are used, as where several texts are packed.

        "given", or "scaled" where lengths depend on the others; "counted" rows, from the "first", all as "one", each as
        its "neighbour", or "mixed": all else. Of queries and, where they are apart, of keys.
        """
        if not self.free:
            return ["given"]
        return [order_of(*each) for each in zip(self.all_shuffled, self.all_rows, strict=True)]

    @property
    def whose(self) -> list[str]:
        """Names of the tensors in `orders`, where there are two, for a sentence."""
        return ["", ""] if len({*self.orders}) == 1 else [" of the queries", " of the keys"]

    @property
    def free(self) -> bool:
        """Whether any positions may be asked for, and have angles that are the reader's."""
        return self.rotation.takes_positions and self.rotation.own_angles and not self.still

    @property
    def counted(self) -> bool:
        """Whether rows are counted, whatever is asked for."""
        return not self.rotation.takes_positions or not {"counted", "first"}.isdisjoint(self.orders)

    # --- near positions, as matrices

    @cached_property
    def matrices(self) -> list[Tensor]:
        """Of each tensor that is rotated."""
        return read_near(self.rotation, self.counted)

    @cached_property
    def turns(self) -> tuple[Turn, Turn]:
        """Of queries and of keys, which are one where the function takes one tensor."""
        return take_apart(self.matrices[0]), take_apart(self.matrices[min(1, len(self.matrices) - 1)])

    # --- far positions, as angles

    @cached_property
    def longest(self) -> tuple[Tensor, list[Tensor]]:
        """Positions, and the blocks of a call that goes as far as the function does."""
        return read_far(self.rotation, *self.turns, self.counted)

    def moved(self, blocks: list[Tensor]) -> float:
        """By how much position 1 is rotated more or less than in a short call."""
        return wrap(angle_of(blocks[0])[1] - self.turns[0].angles[1]).abs().max().item()

    @cached_property
    def _far(self) -> tuple[Tensor, list[Tensor]]:
        """Of the longest call in which angles are those of short ones: dynamic scaling begins at some length."""
        for end in LASTS:
            far, blocks = self.longest if end == LASTS[0] else read_far(self.rotation, *self.turns, self.counted, end)
            if self.moved(blocks) < UNMOVED:
                return far, blocks
        return self.longest

    @property
    def far(self) -> Tensor:
        return self._far[0]

    @property
    def blocks(self) -> list[Tensor]:
        """Of queries and of keys at far positions, [n, pairs, 2, 2] each."""
        return self._far[1]

    @cached_property
    def half(self) -> str | None:
        """The half precision of which all cosines and sines are, of queries or of keys."""
        untouched = bool((self.turns[0].start - torch.eye(self.rotation.d)).abs().max() < 1e-6)
        halves = [in_half(each.flatten()) for each in self.blocks] if untouched else []
        return next(filter(None, halves), None)

    @cached_property
    def freqs(self) -> tuple[Tensor, Tensor]:
        """Of queries and of keys."""
        q, k = (follow(self.far, angle_of(each), 4_096 if self.half else 256) for each in self.blocks)
        return q, k

    @cached_property
    def steady(self) -> bool:
        """Whether lengths are the same at all positions."""
        return bool((amplitude_of(self.blocks[0]) - 1).abs().max() < STEADY)

    # --- what is rounded

    @cached_property
    def wanted(self) -> Tensor | None:
        return self.expected.freqs_of(len(self.freqs[0]))

    @cached_property
    def deviation(self) -> Deviation | None:
        """Why angles do not grow in proportion, or frequencies are rounded."""
        return self._explained(self.blocks, ROUNDED if self.half else EXACT)

    @cached_property
    def deviation_in_bfloat16(self) -> Deviation | None:
        """The same of features in bfloat16, where it is not so of others. Frequencies are their own affair."""
        if self.deviation or self.half:
            return None
        with suppress(Exception):  # a function that takes float32 only
            cast = replace(self.rotation, function=in_bfloat16(self.rotation.function))
            found = self._explained(read_at(cast, self.turns, self.far, self.counted), ROUNDED)
            return None if found and found.kind == "freqs" else found
        return None

    @property
    def out_of_proportion(self) -> bool:
        """Whether angles grow in no way that is known, so that no frequencies can be read."""
        return self.rotation.own_angles and self.deviation is not None and self.deviation.kind == "other"

    @property
    def rounded(self) -> bool:
        """Whether numbers are in half precision anywhere, so that frequencies are known less well."""
        found = self.deviation or self.deviation_in_bfloat16
        return self.half is not None or (found is not None and found.rounded)

    def _explained(self, blocks: list[Tensor], tolerance: float) -> Deviation | None:
        """Of queries or, where these are right, of keys."""
        found = (
            explain(self.far, angle_of(each), freqs, self.wanted, tolerance)
            for each, freqs in zip(blocks, self.freqs, strict=True)
        )
        return next(filter(None, found), None)


def order_of(shuffled: Tensor, rows: Tensor) -> str:
    n = len(SHUFFLED)
    if same(shuffled, rows[SHUFFLED]):
        return "given"
    if same(unit(shuffled), unit(rows[SHUFFLED])):
        return "scaled"
    if same(shuffled, rows[:n]):
        return "counted"
    if same(shuffled, shuffled[:1].expand_as(shuffled)):
        return "one"
    if any(same(shuffled, rows[SHUFFLED.roll(step) + step]) for step in (1, -1)):
        return "neighbour"
    return "first" if same(shuffled, rows[SHUFFLED[0] + torch.arange(n)]) else "mixed"
