"""What went into a rotation and what came out, as a reading: where tokens lie, and which features are paired."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from posenc_checks.reading.precision import HALVES, SHARE, in_half
from posenc_checks.reading.probe import follow, wrap
from posenc_checks.reading.reading import COARSE, FINE, Reading, nothing_rotated
from posenc_checks.reading.words import describe_offset


@dataclass(frozen=True)
class Fit:
    """Axes and layout in words, the pairs, and what each is multiplied by at each position, complex, [n, pairs]."""

    axes: str
    layout: str
    pairs: list[tuple[int, int]]
    turns: Tensor


def fits(before: Tensor, after: Tensor, axes: str | None) -> Iterator[Fit]:
    """All axes and layouts, or those of `axes`, under which a position multiplies all vectors by one number a pair."""
    x, y, tolerance = before.double(), after.double(), COARSE if half_of(after) else 1e-4
    r = changing(x, y)
    if not r:
        yield Fit("any", "any", [], nothing_rotated(x.shape[-1], x).angles)
    if len(r) % 2 or not r:
        return
    half = len(r) // 2
    pairings = {"half": (r[:half], r[half:]), "interleaved": (r[::2], r[1::2])}
    for layout, (first, second) in list(pairings.items())[: 1 if half == 1 else 2]:
        z, w = (torch.complex(each[..., first], each[..., second]) for each in (x, y))
        for token in range(x.ndim - 1) if axes is None else [axes.index("n")]:
            turns = _one_number_each(z, w, token, tolerance)
            if turns is not None:
                yield Fit(_words(x.ndim, token), layout, list(zip(first, second, strict=True)), turns)


def half_of(y: Tensor) -> str | None:
    """The half precision in which features were recorded, whatever dtype holds them now."""
    return in_half(y.flatten())


def changing(x: Tensor, y: Tensor) -> list[int]:
    """The features that change."""
    off = (y - x).abs().flatten(0, -2).amax(0)
    return [int(i) for i in (off > 1e-6 * x.abs().max()).nonzero()]


def _one_number_each(z: Tensor, w: Tensor, token: int, tolerance: float) -> Tensor | None:
    """The number by which each pair is multiplied at each place along an axis, if there is one."""
    if z.shape[token] < 2:
        return None
    z, w = (each.movedim(token, -2).flatten(0, -3) if z.ndim > 2 else each[None] for each in (z, w))
    turns = (w * z.conj()).sum(0) / (z * z.conj()).sum(0)
    sizes = turns.abs()
    off = (w - turns * z).abs().max() / z.abs().max()
    steady = sizes.max() < 1.02 * sizes.min()
    return turns if off < tolerance and steady else None


def _words(ndim: int, token: int) -> str:
    named = {4: ("n, b, h, d", "b, n, h, d", "b, h, n, d"), 3: ("n, …, d", "…, n, d"), 2: ("n, d",)}
    return f"[{named[ndim][token]}]" if ndim in named else f"tokens along axis {token}"


def read_recording(before: Tensor, after: Tensor, fit: Fit) -> Reading:
    turns = fit.turns
    positions = torch.arange(len(turns))
    if not fit.pairs:
        return nothing_rotated(before.shape[-1], positions)
    half = half_of(after)
    angles = wrap(turns.angle() - turns.angle()[0])
    last = 2 ** (len(positions) - 1).bit_length() // 2
    return Reading(
        before.shape[-1],
        fit.pairs,
        positions,
        angles,
        describe_offset(turns[0].angle(), follow(positions, angles, 4_096)),
        turns.abs().mean().item(),
        None if half else _numbers_of(turns),
        noise=(4e-3 if half else 2e-7) / max(last, 1),
        tolerance=COARSE if half else FINE,
    )


def _numbers_of(turns: Tensor) -> str | None:
    """The half precision of which cosines and sines are, up to the rounding of the features."""
    parts = torch.view_as_real(turns).flatten()
    parts = parts[(parts.abs() > 0.1) & (parts.abs() < 0.99)]
    for name, dtype in HALVES.items():
        near = (parts - parts.to(dtype).double()).abs() < 2e-6
        if len(parts) >= 16 and near.double().mean() >= SHARE:
            return name
    return None
