"""Frequencies by name: which base, and which scaling, from the numbers alone."""

from __future__ import annotations

from functools import partial
from itertools import product
from math import exp, log10
from typing import NamedTuple

import torch
from torch import Tensor

from posenc_lib.extension import by_parts, llama3, yarn
from posenc_lib.pairs import geometric_freqs

BASES = (10_000.0, 500_000.0, 1_000_000.0, 150_000.0, 5_000_000.0, 160_000.0, 20_000.0, 10_000_000.0)
LENGTHS = (8_192, 4_096, 2_048, 32_768, 1_024, 16_384, 512, 65_536, 131_072)
BY_PAIRS, BY_TURNS = {"slow": 1.0, "fast": 32.0}, {"alpha": 1.0, "beta": 32.0}
SCALINGS = (
    ("llama3", "Llama 3's scaling", llama3, {"low": 1.0, "high": 4.0}),
    ("yarn", "YaRN", yarn, BY_PAIRS),
    ("yarn", "YaRN, not truncated", partial(yarn, truncate=False), BY_PAIRS),
    ("yarn", "YaRN by its paper's ramp", by_parts, BY_TURNS),
)
"""Of each its kind, its words, its function, and after how many turns the ramp begins and ends."""


class Scaled(NamedTuple):
    """A scaling by parts that was recognised."""

    kind: str
    words: str
    factor: float
    length: int


def close(a: Tensor, b: Tensor, tolerance: float) -> bool:
    return len(a) == len(b) and bool(((a / b - 1).abs() < tolerance).all())


def geometric_fit(freqs: Tensor, tolerance: float) -> tuple[float, float] | None:
    """The first frequency and the logarithm of the ratio of neighbours, if the frequencies are geometric."""
    if len(freqs) < 2 or (freqs <= 0).any():
        return None
    logs, i = freqs.log(), torch.arange(len(freqs), dtype=torch.float64)
    slope = ((i - i.mean()) * (logs - logs.mean())).sum() / (i - i.mean()).square().sum()
    first = logs.mean() - slope * i.mean()
    if ((first + slope * i - logs).abs() > tolerance).any():
        return None
    return first.exp().item(), -slope.item()


def nice(x: float, digits: int = 2) -> float:
    """X rounded to a few significant digits."""
    scale = 10.0 ** (int(log10(abs(x)) // 1) - digits + 1)
    return round(x / scale) * scale


def is_nice(x: float, tolerance: float = 1e-3, digits: int = 2) -> bool:
    return abs(x / nice(x, digits) - 1) < tolerance


def number(x: float) -> str:
    return f"{nice(x):,.10g}" if is_nice(x) else f"{x:,.4g}"


def base_of(slope: float, d: int) -> float:
    return exp(slope * d / 2)


def describe(freqs: Tensor, d_rotated: int, d_head: int, tolerance: float) -> str:
    """The frequencies in words, where nothing is expected of them."""
    fit = geometric_fit(freqs, tolerance)
    if fit is None:
        return _describe_scaled(freqs, d_rotated, tolerance)
    first, slope = fit
    if slope < 0:
        return f"rising: base {number(base_of(-slope, d_rotated))} with fast and slow pairs exchanged"
    words = f"base {number(base_of(slope, d_rotated))}"
    if abs(first - 1) > 10 * tolerance:
        words += f", all divided by {number(1 / first)}"
    readings = [b for b in BASES if d_head != d_rotated and abs(base_of(slope, d_head) / b - 1) < 0.01]
    if readings:
        words += f", or {number(readings[0])} with the exponent of the whole head, {d_head}"
    return words


def _describe_scaled(freqs: Tensor, d: int, tolerance: float) -> str:
    for base in BASES:
        named = name_scaling(freqs, geometric_freqs(d, base), tolerance)
        if named:
            return f"base {number(base)}, {named.words}"
    return f"not geometric: {', '.join(f'{f:.4g}' for f in freqs[:4].tolist())}, …"


def name_scaling(freqs: Tensor, unscaled: Tensor, tolerance: float) -> Scaled | None:
    """YaRN and Llama 3: the fast pairs as they were, the slow ones divided by a factor, a ramp between."""
    if len(freqs) != len(unscaled):
        return None
    ratio = freqs / unscaled
    factor = 1 / max(ratio[-1].item(), 1e-12)
    if abs(ratio[0].item() - 1) > tolerance or factor > 1e6 or factor < 1 + 10 * tolerance:
        return None
    for length, (kind, words, scale, _) in product(LENGTHS, SCALINGS):
        try:
            scaled = scale(unscaled, factor, length)
        except ValueError:  # no ramp for this length
            continue
        if close(freqs, scaled, 10 * tolerance):
            return Scaled(kind, f"{words}, factor {number(factor)}, trained length {length:,}", factor, length)
    return None
