"""What people do wrong with the positions of a rotary model, each as the `Slots` that do it, and a text to read.

The loss of each, by position, how far a token's loss is from the right one, and what the model then writes are recorded
by `python -m experiments.real_model.faults` in `bookkit/tables/real_model_faults.csv`.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from posenc_lib import Rotary, Slots, rotate
from posenc_lib.extension import interpolate
from posenc_lib.pairs import Layout, geometric_freqs, position_angles

BASE, D = 100_000.0, 64
FREQS = geometric_freqs(D, BASE)
RECORD = Path(__file__).resolve().parents[1] / "tables/real_model_faults.csv"
WINDOW, LENGTH = 32, 512
"""The recorded losses are means over so many tokens, of a text of so many."""

PROMPT = "The capital of France is Paris, and the capital of Italy is"
Change = Callable[[Tensor], Tensor]


class Fault(NamedTuple):
    """`trap` is its place on the page of traps; without one it is no fault. The weights are cast to `dtype`."""

    slots: Slots
    trap: str = ""
    dtype: torch.dtype = torch.float32


def moved(q: Change = lambda m: m, k: Change = lambda n: n) -> Slots:
    """Queries and keys rotated by other positions than their own."""

    def transform(x: Tensor, y: Tensor, m: Tensor, n: Tensor) -> tuple[Tensor, Tensor]:
        return rotate(x, position_angles(q(m), FREQS)), rotate(y, position_angles(k(n), FREQS))

    return Slots(transform=transform)


def both(change: Change) -> Slots:
    return moved(change, change)


def rounded_angles(q: Tensor, k: Tensor, m: Tensor, n: Tensor) -> tuple[Tensor, Tensor]:
    """The positions are right; what they are multiplied to is not."""
    return tuple(rotate(x, position_angles(p, FREQS).bfloat16().double()) for x, p in ((q, m), (k, n)))


def halves_as_neighbours(q: Tensor, k: Tensor, m: Tensor, n: Tensor) -> tuple[Tensor, Tensor]:
    """The weights were in halves; what they make is rotated as if neighbours were pairs."""
    q, k = (x.unflatten(-1, (-1, 2)).mT.flatten(-2) for x in (q, k))
    return Rotary(FREQS)(q, k, m, n)


def rotary(freqs: Tensor, layout: Layout = "interleaved") -> Slots:
    return Slots(transform=Rotary(freqs, layout))


def plain(n: Tensor) -> Tensor:
    return n


FAULTS = {
    "as released": Fault(rotary(FREQS)),
    "all positions + 5,000": Fault(both(lambda n: n + 5_000)),
    "whole model in bfloat16": Fault(rotary(FREQS), dtype=torch.bfloat16),
    "base 10,000": Fault(rotary(geometric_freqs(D, 10_000.0)), "lost-base"),
    "rotated twice": Fault(both(lambda n: 2 * n), "rotate-twice"),
    "positions in bfloat16": Fault(both(lambda n: n.bfloat16().double()), "half-positions"),
    "angles in bfloat16": Fault(Slots(transform=rounded_angles), "half-positions"),
    "keys one token nearer": Fault(moved(k=lambda n: n + 1), "keys-shifted"),
    "keys one token farther": Fault(moved(k=lambda n: n - 1), "keys-shifted"),
    "interpolated by 4, untrained": Fault(rotary(interpolate(FREQS, 4.0)), "static-scaling"),
    "only queries rotated": Fault(moved(k=torch.zeros_like), "one-side"),
    "other sense": Fault(both(torch.neg), "sense"),
    "no rotation": Fault(Slots(), "rope-flag"),
    "neighbours read as halves": Fault(rotary(FREQS, "half"), "layout"),
    "halves read as neighbours": Fault(Slots(transform=halves_as_neighbours), "layout"),
    "exponent i/d": Fault(rotary(BASE ** (-torch.arange(D / 2).double() / D)), "exponent"),
}


@cache
def text() -> str:
    """Written for this book, so that no model was trained on it."""
    return (RECORD.parent / "lighthouse.txt").read_text(encoding="utf-8")


@cache
def record() -> list[dict[str, str]]:
    with RECORD.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def recorded(fault: str, measure: str) -> list[str]:
    return [row["value"] for row in record() if (row["fault"], row["measure"]) == (fault, measure)]


def losses(fault: str) -> list[float]:
    """Nats a token, window by window."""
    return [float(value) for value in recorded(fault, "loss")]


def apart(fault: str) -> float:
    """How far a token's loss is from that of the model as released, up or down, on average."""
    return float(recorded(fault, "apart")[0])


def written(fault: str) -> str:
    """How the model goes on from the prompt, always with the most probable token."""
    return recorded(fault, "text")[0]
