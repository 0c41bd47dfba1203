"""Do angles grow in proportion to the position? Where not, which rounding explains all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from posenc_checks.reading.frequencies import geometric_fit, nice
from posenc_checks.reading.probe import wrap
from posenc_lib.pairs import geometric_freqs

HALVES = {"bfloat16": torch.bfloat16, "float16": torch.float16}
SHARE = 0.97
"""Of the angles that a hypothesis has to explain: a few roundings fall the other way.

How many is arbitrary: it decides whether what is wrong gets the name of a rounding or that of angles that are wrong.
"""


@dataclass(frozen=True)
class Deviation:
    """Why angles do not grow in proportion: of what kind, in words, and the frequencies before they were rounded."""

    kind: str  # what is rounded: positions, angles or freqs; or table, where it ends; or other
    what: str
    evidence: str
    smallest: str
    freqs: Tensor

    @property
    def rounded(self) -> bool:
        return self.kind in ("positions", "angles", "freqs")


def clean(freqs: Tensor, expected: Tensor | None) -> Iterator[Tensor]:
    """What the frequencies may have been before they were rounded."""
    if expected is not None and len(expected) == len(freqs):
        yield expected
    fit = geometric_fit(freqs.abs(), 0.02)
    if fit is not None:
        base = torch.tensor(fit[1]).mul(len(freqs)).exp().item()
        if base > 1:
            yield geometric_freqs(2 * len(freqs), nice(base))
    yield freqs.abs()


def explain(
    positions: Tensor, angles: Tensor, freqs: Tensor, expected: Tensor | None, tolerance: float, noise: float = 0.0
) -> Deviation | None:
    """Why the angles [n, pairs] are not positions × frequencies, or why these are rounded; None where all is well.

    `noise` is how far each frequency may be off because of how it was read.
    """
    sense = torch.where(freqs < 0, -1.0, 1.0).double()
    off = wrap(angles - positions[:, None] * freqs).abs()
    if off.max() <= tolerance:
        return _rounded_freqs(freqs.abs(), expected, noise)
    first = int((off > tolerance).any(1).nonzero()[0])
    p, pair = int(positions[first]), int(off[first].argmax())
    shown = f"position {p}, pair {pair}: {off[first].max():.3g} rad off"
    worst = f"angles are off by up to {off.max():.3g} rad"
    for true in clean(freqs, expected):
        share, kind, what = _best_fit(positions, angles * sense, true, first, 2 * tolerance)
        if share >= SHARE:
            return Deviation(kind, what, f"{worst}, and {what} gives them all", shown, true)
    return Deviation("other", "angles that do not grow in proportion", worst, shown, freqs.abs())


def _best_fit(positions: Tensor, angles: Tensor, freqs: Tensor, first: int, tolerance: float) -> tuple[float, str, str]:
    """Of all hypotheses, the first that gives the most angles: how many of them, its kind, and its words."""
    fits = [
        ((wrap(angles - hypothesis).abs() < tolerance).double().mean().item(), kind, what)
        for kind, what, hypothesis in _hypotheses(positions, freqs, first)
    ]
    return max(fits, key=lambda fit: fit[0])  # the first of equals


def _hypotheses(positions: Tensor, freqs: Tensor, first: int) -> Iterator[tuple[str, str, Tensor]]:
    p = positions.double()[:, None]
    for name, half in HALVES.items():
        rounded, low = p.to(half).double(), freqs.to(half).double()
        yield "positions", f"the position in {name}", rounded * freqs
        yield "angles", f"the angle in {name}", (p * freqs).to(half).double()
        yield "freqs", f"the frequency in {name}", p * low
        yield "angles", f"angle and frequency in {name}", (p * low).to(half).double()
        yield "positions", f"position and frequency in {name}", rounded * low
        yield "positions", f"position, frequency and angle in {name}", (p.to(half) * freqs.to(half)).double()
        yield "positions", f"position and angle in {name}", (rounded * freqs).to(half).double()
    low = int(positions[first - 1]) + 1 if first else 1
    for end in range(low, min(int(positions[first]) + 1, low + 600)):
        yield "table", f"a table that ends at {end}, clamped,", p.clamp(max=end - 1) * freqs
        yield "table", f"positions modulo {end}", (p % end) * freqs


def _rounded_freqs(freqs: Tensor, expected: Tensor | None, noise: float) -> Deviation | None:
    """Frequencies that are numbers of a half precision, and near ones that are not."""
    for true in clean(freqs, expected):
        off = ((freqs - true).abs() - noise).clamp(min=0) / true
        if (
            not 3e-5 < off.max() < 0.01
        ):  # arbitrary, between float32's 6e-8 and float16's 2e-4, and above bfloat16's 4e-3
            continue
        for name, half in HALVES.items():
            rounded = true.to(half).double()
            if ((freqs - rounded).abs() < 3e-5 * rounded + noise).double().mean() >= SHARE:
                pair = int(off.argmax())
                worst = f"frequencies are up to {100 * off.max():.2g} % off, and {name} gives them all"
                shown = f"pair {pair}: {freqs[pair]:.6g} for {true[pair]:.6g}"
                return Deviation("freqs", f"the frequency in {name}", worst, shown, true)
    return None


def in_half(entries: Tensor) -> str | None:
    """The half precision of which all these numbers are."""
    for name, half in HALVES.items():
        if torch.equal(entries, entries.to(half).to(entries.dtype)):
            return name
    return None
