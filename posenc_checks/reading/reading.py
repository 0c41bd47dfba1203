"""What is known of one rotation, as a function or as a recording, so that it can be held beside another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from posenc_checks.calling.expected import SENSES
from posenc_checks.reading.precision import Deviation, explain
from posenc_checks.reading.probe import follow
from posenc_checks.reading.words import layout_of, span

FINE, COARSE = 2e-3, 0.03
"""How far an angle may be off, in radians: in float32, and where cosines, sines or features are in half precision."""


@dataclass(frozen=True)
class Reading:
    """Angles [n, pairs] at positions, less those of position 0. `noise` is how far a frequency may be off."""

    features: int
    pairs: list[tuple[int, int]]
    positions: Tensor
    angles: Tensor
    start: str = ""
    factor: float = 1.0
    cos_sin: str | None = None  # the half precision of which they all are
    in_bfloat16: Tensor | None = None  # the angles, for features in bfloat16
    places: str = "as given"
    tensors: str = "kept apart"
    noise: float = 0.0
    tolerance: float = FINE

    @cached_property
    def freqs(self) -> Tensor:
        return follow(self.positions, self.angles, 4_096 if self.coarse or self.noise else 256)

    @property
    def coarse(self) -> bool:
        return self.cos_sin is not None or self.tolerance > FINE

    def facts(self) -> dict[str, object]:
        """What can be said of it alone, in words that two readings share."""
        facts: dict[str, object] = {"features": self.features, "tensors": self.tensors, "positions": self.places}
        if not self.pairs:
            return facts | {"part": "nothing is rotated in pairs"}
        rotated = sorted(i for pair in self.pairs for i in pair)
        return facts | {
            "layout": layout_of(self.pairs) or f"pairs {self.pairs[:2]}, …",
            "sense": SENSES[bool(self.freqs.sum() < 0)],
            "part": f"{len(rotated)} features, {span(rotated)}",
            "offset": self.start,
            "factor": round(self.factor, 2 if self.coarse else 3),
        }

    def rounding(self, other: Tensor) -> tuple[str, Tensor]:
        """What is in half precision, and the frequencies as they were before: the other's may explain them."""
        freqs = self.freqs.abs()
        if not self.pairs:
            return "unknown", freqs
        expected = other if len(other) == len(freqs) else None
        found = self._explained(self.angles, expected, COARSE if self.coarse else self.tolerance, self.noise)
        if found is not None:
            return _plain(found), found.freqs if found.rounded else freqs
        if self.cos_sin:
            return f"cos and sin in {self.cos_sin}", freqs
        if self.in_bfloat16 is not None:
            low = self._explained(self.in_bfloat16, expected, COARSE)
            if low is not None and low.kind != "freqs":
                return f"{_plain(low)}, for features in bfloat16", freqs
        return "no rounding seen", freqs

    def _explained(
        self, angles: Tensor, expected: Tensor | None, tolerance: float, noise: float = 0.0
    ) -> Deviation | None:
        return explain(self.positions, angles, self.freqs, expected, tolerance, noise)


def nothing_rotated(features: int, positions: Tensor, **known: str) -> Reading:
    return Reading(features, [], positions, torch.zeros(len(positions), 0, dtype=torch.float64), **known)


def _plain(found: Deviation) -> str:
    return found.what.removeprefix("the ").rstrip(",")
