"""Tables of which a part is right: which part, and what the rest looks like."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import torch
from torch import Tensor

from posenc_checks.reading.frequencies import geometric_fit
from posenc_checks.reading.precision import HALVES
from posenc_checks.reading.table_calls import N
from posenc_checks.reading.tables import EXPONENTS, LAYOUTS, Settings, Table, agree, arrange, find_settings, make, split


@dataclass(frozen=True)
class Part:
    """The settings that give the most, and what they do not give: `wrong` features, or rows."""

    settings: Settings
    what: str  # features or rows
    wrong: Tensor
    table: Tensor
    made: Tensor

    @property
    def zeros(self) -> bool:
        """Whether the rest is all zeros."""
        return not self._rest(self.table).any()

    @property
    def times(self) -> float | None:
        """By what all of the rest are multiplied."""
        theirs, ours = self._rest(self.table), self._rest(self.made)
        factor = (theirs * ours).sum() / ours.square().sum()
        return factor.item() if (theirs - factor * ours).abs().max() < 2e-3 else None

    @property
    def whole_kind(self) -> str:
        """Whether the rest are all sines, or all cosines."""
        i = torch.arange(self.table.shape[1] // 2)[None]
        kinds = arrange(torch.zeros_like(i), torch.ones_like(i), self.settings.layout)[0]
        own = {*kinds[self.wrong].tolist()}
        return ("sines", "cosines")[own.pop()] if len(own) == 1 and 2 * len(self.wrong) > len(kinds) - 4 else ""

    def _rest(self, x: Tensor) -> Tensor:
        return x[:, self.wrong] if self.what == "features" else x[self.wrong]


def part_of(table: Table) -> Part | None:
    """Half of the features at least, or all rows but three, by the usual settings."""
    out = table.out[:N]
    n, d = out.shape
    if n < 8 or d < 4 or d % 2:
        return None
    exponents = [table.exponent] if table.exponent else ["2i/d", "i/(d/2 - 1)"]
    for exponent, layout, first in product([e for e in exponents if e in EXPONENTS], LAYOUTS, (0, 1)):
        settings = Settings(table.base or 10_000.0, exponent, layout, first)
        right = agree(out, made := make(settings, n, d))
        for what, lost in (("features", ~right.all(0)), ("rows", ~right.all(1))):
            most = d // 2 if what == "features" else 3
            if 0 < lost.sum() <= most:
                return Part(settings, what, lost.nonzero().flatten(), out, made[0])
    return None


def unmixed(table: Table) -> Settings | None:
    """The settings of a table that was put together along the wrong axis and then viewed as [n, d]."""
    for out in _undone(table.out):
        if found := find_settings(out, table.base, table.exponent):
            return found
    return None


def rounded_from_the_start(table: Table) -> str:
    """The half precision of all angles of position 1, where the first rows show the layout and far ones do not fit."""
    if len(table.out) < N or table.out.shape[1] < 8 or table.out.shape[1] % 2:
        return ""
    for layout in LAYOUTS:
        angles = torch.atan2(*split(table.out[:2], layout))
        fit = geometric_fit(angles[1], 0.02)
        if not angles[0].any() and fit and abs(fit[0] - 1) < 0.02:
            near = (name for name, half in HALVES.items() if _close(angles[1], angles[1].to(half)))
            return next(near, "")
    return ""


def _close(a: Tensor, b: Tensor) -> bool:
    """Up to the rounding of a sine in float32."""
    return bool(((a - b).abs() <= 3e-7 * a).all())


def _undone(out: Tensor) -> Iterator[Tensor]:
    n, d = out.shape
    if n < 4 or d < 2 or d % 2:
        return
    yield torch.cat(out.reshape(2 * n, d // 2).chunk(2), 1)
    yield out.reshape(d, n).T
