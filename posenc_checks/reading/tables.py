"""Which table of sines and cosines is this? Its base, exponent, layout and first position, if it is one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import torch
from torch import Tensor

from posenc_checks.calling.names import CallError, first_line_of, in_their_places
from posenc_checks.calling.results import numbers, numbers_of
from posenc_checks.reading.frequencies import BASES

N, D = 40, 32
TOLERANCE = 2e-3
EXPONENTS = {
    "2i/d": lambda i, d: 2 * i / d,
    "i/(d/2 - 1)": lambda i, d: i / (d / 2 - 1),
    "4i/d": lambda i, d: 4 * i / d,
    "i/d": lambda i, d: i / d,
    "2(d/2 - 1 - i)/d": lambda i, d: (d - 2 - 2 * i) / d,
}
LAYOUTS = ("interleaved", "half", "interleaved, cosines first", "half, cosines first")


@dataclass(frozen=True)
class Settings:
    """What a table is made with. `kind` says what its cosines are: "" those of the sines' angles, "own" or "sines"."""

    base: float
    exponent: str
    layout: str
    first: int
    kind: str = ""
    half: bool = False


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
        found = find_settings(self.out, self.base)
        return (found, False) if found else (find_settings(self.out.T, self.base), True)

    @property
    def settings(self) -> Settings | None:
        """Those that give the table, or its transpose."""
        return self._found[0]

    @property
    def turned(self) -> bool:
        return self._found[1]


def find_settings(table: Tensor, base: float | None) -> Settings | None:
    """The settings that give the table, the usual ones first."""
    table = table[:N]
    n, d = table.shape
    if n < 4 or d < 2 or d % 2:
        return None
    usual, *others = dict.fromkeys(((base,) if base else ()) + BASES + (100.0, 1_000.0))
    bases = [*product((usual,), EXPONENTS), *((b, e) for e, b in product(EXPONENTS, others))]
    for (b, exponent), layout, first in product(bases, LAYOUTS, (0, 1)):
        for settings, made in _tables(Settings(b, exponent, layout, first), n, d):
            if (table - made).abs().max() < TOLERANCE:
                return settings
    return None


def _tables(plain: Settings, n: int, d: int) -> Iterator[tuple[Settings, Tensor]]:
    """The table of some settings, right and with each error that is known."""
    i = torch.arange(d // 2, dtype=torch.float64)
    positions = torch.arange(plain.first, plain.first + n, dtype=torch.float64)[:, None]
    angles = positions * plain.base ** -EXPONENTS[plain.exponent](i, d)
    low = angles.bfloat16().double()
    yield plain, _arrange(angles.sin(), angles.cos(), plain.layout)
    yield replace(plain, half=True), _arrange(low.sin(), low.cos(), plain.layout)
    if plain.exponent == "2i/d":
        own = positions * plain.base ** -((2 * i + 1) / d)
        yield replace(plain, kind="own"), _arrange(angles.sin(), own.cos(), plain.layout)
    yield replace(plain, kind="sines"), _arrange(angles.sin(), angles.sin(), plain.layout)


def _arrange(sines: Tensor, cosines: Tensor, layout: str) -> Tensor:
    a, b = (cosines, sines) if layout.endswith("first") else (sines, cosines)
    return torch.stack((a, b), -1).flatten(1) if layout.startswith("inter") else torch.cat((a, b), 1)


def read_table(function: Any, d: int) -> Tensor:
    """The table [n, d] in float64."""
    given = isinstance(function, (Tensor, np.ndarray))
    try:
        out = numbers(function) if given else numbers_of(lambda: _made(function, d))
    except CallError:
        raise
    except Exception as error:
        raise CallError(f"it does not give a table: {first_line_of(error)}") from None
    out = out.double().squeeze()
    if out.ndim != 2:
        raise CallError(f"a table [n, d] is needed; got {list(out.shape)}")
    return out


def _made(function: Callable[..., Any], d: int) -> Any:
    parameters = [p for p in in_their_places(function) if p.default is p.empty]
    sizes = iter((N, d))
    return function(*(_argument(p.name.lower(), d, sizes) for p in parameters))


def _argument(name: str, d: int, sizes: Iterator[int]) -> Any:
    """An argument by its name; where that says nothing, n comes before d."""
    if name in ("positions", "position_ids", "position", "pos"):
        return torch.arange(N)
    return d if name in ("d", "dim", "d_model", "hidden_size", "embedding_dim", "n_embd") else next(sizes)
