"""Do angles grow in proportion to the position? Where not, which rounding explains all of them."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from posenc_lib.checks.frequencies import geometric_fit, nice
from posenc_lib.checks.probe import wrap
from posenc_lib.pairs import geometric_freqs

HALVES = {"bfloat16": torch.bfloat16, "float16": torch.float16}
SHARE = 0.97  # of the angles that a hypothesis has to explain: a few roundings fall the other way


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
    positions: Tensor, angles: Tensor, freqs: Tensor, expected: Tensor | None, tolerance: float
) -> tuple[str, str, str] | None:
    """The fault of angles [n, pairs], the number that shows it, and the smallest position; None if there is none."""
    sense = freqs.sign()
    off = wrap(angles - positions[:, None] * freqs).abs()
    if off.max() <= tolerance:
        return _rounded_freqs(freqs.abs(), expected)
    first = int((off > tolerance).any(1).nonzero()[0])
    p, pair = int(positions[first]), int(off[first].argmax())
    shown = f"position {p}, pair {pair}: {off[first].max():.3g} rad off"
    worst = f"angles are off by up to {off.max():.3g} rad"
    for true in clean(freqs, expected):
        for fault, said, hypothesis in _hypotheses(positions, true, first):
            fitting = wrap(angles * sense - hypothesis).abs() < 2 * tolerance
            if fitting.double().mean() >= SHARE:
                return fault, f"{worst}, and {said} gives them all", shown
    return "angles-wrong", worst, shown


def _hypotheses(positions: Tensor, freqs: Tensor, first: int) -> Iterator[tuple[str, str, Tensor]]:
    p = positions.double()[:, None]
    for name, half in HALVES.items():
        rounded = p.to(half).double()
        yield "positions-half", f"the position in {name}", rounded * freqs
        yield "positions-half", f"position and frequency in {name}", rounded * freqs.to(half).double()
        product = p.to(half) * freqs.to(half)
        yield "positions-half", f"position, frequency and angle in {name}", product.double()
        yield "positions-half", f"position and angle in {name}", (rounded * freqs).to(half).double()
        yield "angles-half", f"the angle in {name}", (p * freqs).to(half).double()
        yield "angles-half", f"angle and frequency in {name}", (p * freqs.to(half).double()).to(half).double()
        yield "freqs-half", f"the frequency in {name}", p * freqs.to(half).double()
    low = int(positions[first - 1]) + 1 if first else 1
    for end in range(low, min(int(positions[first]) + 1, low + 600)):
        yield "table-ends", f"a table that ends at {end}, clamped,", p.clamp(max=end - 1) * freqs
        yield "table-ends", f"positions modulo {end}", (p % end) * freqs


def _rounded_freqs(freqs: Tensor, expected: Tensor | None) -> tuple[str, str, str] | None:
    """Frequencies that are numbers of a half precision, and near ones that are not."""
    for true in clean(freqs, expected):
        off = (freqs / true - 1).abs()
        if not 3e-5 < off.max() < 0.01:
            continue
        for name, half in HALVES.items():
            if ((freqs / true.to(half).double() - 1).abs() < 3e-5).double().mean() >= SHARE:
                pair = int(off.argmax())
                said = f"frequencies are up to {100 * off.max():.2g} % off, and {name} gives them all"
                return "freqs-half", said, f"pair {pair}: {freqs[pair]:.6g} for {true[pair]:.6g}"
    return None


def in_half(entries: Tensor) -> str | None:
    """The half precision of which all these numbers are."""
    for name, half in HALVES.items():
        if torch.equal(entries, entries.to(half).to(entries.dtype)):
            return name
    return None
