"""Which table of sines and cosines is this? Its base, exponent, layout and first position, if it is one of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import exp

import torch
from torch import Tensor

from posenc_checks.reading.frequencies import BASES, geometric_fit
from posenc_checks.reading.precision import HALVES, SHARE
from posenc_checks.reading.table_calls import N

TOLERANCE = 2e-3
EXPONENTS = {
    "2i/d": lambda i, d: 2 * i / d,
    "i/(d/2 - 1)": lambda i, d: i / (d / 2 - 1),
    "4i/d": lambda i, d: 4 * i / d,
    "i/d": lambda i, d: i / d,
    "2(d/2 - 1 - i)/d": lambda i, d: (d - 2 - 2 * i) / d,
    "-2i/d": lambda i, d: -2 * i / d,
}
LAYOUTS = ("interleaved", "half", "interleaved, cosines first", "half, cosines first")


@dataclass(frozen=True)
class Settings:
    """What a table is made with. `kind` says what its features are, "" those of a right table; `half` what is rounded.

    The other kinds: cosines with their "own" exponent, all "sines", all "cosines", and cosines "of sines".
    """

    base: float
    exponent: str
    layout: str
    first: int
    kind: str = ""
    half: str = ""


@dataclass(frozen=True)
class Table:
    """What came out, and what the reader expects."""

    out: Tensor
    base: float | None
    layout: str | None
    first: int | None
    exponent: str | None

    @cached_property
    def _found(self) -> tuple[Settings | None, bool]:
        found, (n, d) = find_settings(self.out, self.base, self.exponent), self.out.shape
        if found or n > 16 * d:  # longer than wide: it is not transposed, and would take long to try
            return found, False
        return find_settings(self.out.T, self.base, self.exponent), True

    @property
    def settings(self) -> Settings | None:
        """Those that give the table, or its transpose."""
        return self._found[0]

    @property
    def turned(self) -> bool:
        return self._found[1]

    @cached_property
    def wrong_rows(self) -> Tensor:
        """The rows of the whole table that its settings do not give."""
        table = self.out.T if self.turned else self.out
        return wrong_rows(table, make(self.settings, *table.shape))

    @cached_property
    def far(self) -> str:
        """What is rounded, if that gives the rows."""
        table = self.out.T if self.turned else self.out
        for half in (f"{what} in {name}" for what, name in product(("positions", "angles"), HALVES)):
            wrong = wrong_rows(table, make(replace(self.settings, half=half), *table.shape))
            if len(wrong) <= (1 - SHARE) * len(table):
                return half
        return ""


def wrong_rows(table: Tensor, made: tuple[Tensor, Tensor]) -> Tensor:
    return (~agree(table, made)).any(1).nonzero().flatten()


def agree(table: Tensor, made: tuple[Tensor, Tensor]) -> Tensor:
    """Which numbers are those of a table; angles of many turns are known less well, in float32."""
    right, angles = made
    return (table - right).abs() < TOLERANCE + 1e-6 * angles


def find_settings(table: Tensor, base: float | None, exponent: str | None = None) -> Settings | None:
    """The settings that give the table, the usual ones first, and at last those of the base that its angles have."""
    table = table[:N]
    n, d = table.shape
    if n < 4 or d < 2 or d % 2:
        return None
    usual, *others = dict.fromkeys(((base,) if base else ()) + BASES + (100.0, 1_000.0))
    bases = [*product((usual,), EXPONENTS), *((b, e) for e, b in product(EXPONENTS, others))]
    for (b, e), layout, first in product(bases, LAYOUTS, (0, 1)):
        for settings in variants(Settings(b, e, layout, first)):
            if gives(settings, table):
                return settings
    for layout, first in product(LAYOUTS, (0, 1)):
        settings = fitted(table, layout, first, exponent or "2i/d")
        if settings and gives(settings, table):
            return settings
    return None


def gives(settings: Settings, table: Tensor) -> bool:
    """Whether the settings give the table; most do not give its first rows."""
    return all(bool(agree(part, make(settings, *part.shape)).all()) for part in (table[:3], table))


def fitted(table: Tensor, layout: str, first: int, exponent: str) -> Settings | None:
    """The base that the step from the first row to the second has."""
    d = table.shape[1]
    sines, cosines = split(table, layout)
    steps = torch.atan2(sines, cosines)[:2].diff(dim=0)[0].double()
    fit, e = geometric_fit(steps, 2e-2), EXPONENTS[exponent](1, d) if d > 2 else 0
    return Settings(exp(fit[1] / e), exponent, layout, first) if fit and e > 0 and 0 < fit[1] / e < 50 else None


def variants(plain: Settings) -> Iterator[Settings]:
    """Some settings, right and with each error that is known."""
    yield plain
    yield replace(plain, half="angles in bfloat16")
    for kind in ("own", "sines", "cosines", "of sines"):
        yield replace(plain, kind=kind)


def make(settings: Settings, n: int, d: int) -> tuple[Tensor, Tensor]:
    """The table of some settings, and its angles, [n, d]."""
    i = torch.arange(d // 2, dtype=torch.float64)
    power = EXPONENTS[settings.exponent]
    positions = torch.arange(settings.first, settings.first + n, dtype=torch.float64)[:, None]
    what, _, name = settings.half.partition(" in ")
    positions = positions.to(HALVES[name]).double() if what == "positions" else positions
    angles = positions * settings.base ** -power(i, d)
    angles = angles.to(HALVES[name]).double() if what == "angles" else angles
    own = positions * settings.base ** -power(i + 0.5, d) if settings.kind == "own" else angles
    sines, cosines = angles.sin(), own.cos()
    kinds = {"sines": (sines, sines), "cosines": (cosines, cosines), "of sines": (sines, sines.cos())}
    return arrange(*kinds.get(settings.kind, (sines, cosines)), settings.layout), arrange(angles, own, settings.layout)


def arrange(sines: Tensor, cosines: Tensor, layout: str) -> Tensor:
    a, b = (cosines, sines) if layout.endswith("first") else (sines, cosines)
    return torch.stack((a, b), -1).flatten(1) if layout.startswith("inter") else torch.cat((a, b), 1)


def split(table: Tensor, layout: str) -> tuple[Tensor, Tensor]:
    """The sines and the cosines: the inverse of `arrange`."""
    a, b = (table[:, 0::2], table[:, 1::2]) if layout.startswith("inter") else table.chunk(2, 1)
    return (b, a) if layout.endswith("first") else (a, b)
