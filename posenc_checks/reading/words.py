"""What was read, in words: which features make a pair, and what is done at position 0."""

from __future__ import annotations

from math import pi

import torch
from torch import Tensor

from posenc_checks.reading.probe import Turn, wrap
from posenc_lib.pairs import Layout


def layout_of(pairs: list[tuple[int, int]]) -> Layout | None:
    """The layout of the rotated features among themselves; a single pair has none."""
    r = sorted(i for pair in pairs for i in pair)
    half = len(r) // 2
    if pairs == list(zip(r[:half], r[half:], strict=True)):
        return "half" if half > 1 else None
    return "interleaved" if pairs == list(zip(r[::2], r[1::2], strict=True)) else None


def span(features: list[int]) -> str:
    """Some features, as 0–15 where they are neighbours."""
    neighbours = features == list(range(features[0], features[-1] + 1))
    return f"{features[0]}–{features[-1]}" if neighbours else str(features[:6])


STEPS = [sign * s for s in range(1, 513) for sign in (1, -1)]


def name_start(start: Tensor, turn: Turn, freqs: Tensor) -> tuple[str, str]:
    """What a map of the vectors of position 0 is, in a word for the rules and in a sentence for readers."""
    first, second = (torch.tensor(each) for each in zip(*turn.pairs, strict=True))
    a, b, c, d = start[first, first], start[first, second], start[second, first], start[second, second]
    if (((a - d).abs() < 1e-4) & ((b + c).abs() < 1e-4)).all():
        return _name_rotation(torch.atan2(c - b, a + d), freqs)
    if set(start.unique().tolist()) <= {0.0, 1.0} and (b * c == 1).all():
        return "exchanged", "the two features of each pair are written in the other order"
    if (((a + d).abs() < 1e-4) & ((b - c).abs() < 1e-4)).all():
        return "mirrored", "pairs are mirrored: their second features change sign"
    if set(start.unique().tolist()) <= {0.0, 1.0}:
        return "other", "features come out in another order"
    return "other", "a fixed map that keeps lengths"


def _name_rotation(angle: Tensor, freqs: Tensor) -> tuple[str, str]:
    steps = [s for s in STEPS if wrap(angle - s * freqs).abs().max() < 1e-3]
    if steps:
        return "shifted", f"rotated as position {steps[0]}"
    if (angle.abs() - pi / 2).abs().max() < 1e-3:
        return "quarter", "rotated by a quarter turn"
    return "other", _most(angle)


def _most(angle: Tensor) -> str:
    """The pair that turns most, since others may stay."""
    pair = int(angle.abs().argmax())
    return f"pair {pair} is rotated by {angle[pair]:.4g} rad"


def describe_offset(angles: Tensor, freqs: Tensor) -> str:
    """The angles of position 0, in steps where they are so many."""
    if angles.abs().max() < 1e-2:
        return "from 0"
    steps = [s for s in STEPS if wrap(angles - s * freqs).abs().max() < 1e-2]
    return f"position 0 is rotated as {steps[0]}" if steps else f"at position 0, {_most(angles)}"
