"""Frequencies by name: which base, which exponent, which scaling, from the numbers alone or as against others."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, log10

import torch
from torch import Tensor

from posenc_lib.extension import by_parts, llama3, yarn
from posenc_lib.pairs import geometric_freqs

BASES = (10_000.0, 500_000.0, 1_000_000.0, 150_000.0, 5_000_000.0, 160_000.0, 20_000.0, 10_000_000.0)
LENGTHS = (8_192, 4_096, 2_048, 32_768, 1_024, 16_384, 512, 65_536, 131_072)


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


def says(freqs: Tensor, d_rotated: int, d_head: int, tolerance: float) -> str:
    """The frequencies in words, where nothing is expected of them."""
    fit = geometric_fit(freqs, tolerance)
    if fit is None:
        return _scaled_says(freqs, d_rotated, tolerance)
    first, slope = fit
    if slope < 0:
        return f"rising: base {number(base_of(-slope, d_rotated))} with fast and slow pairs exchanged"
    base = base_of(slope, d_rotated)
    said = f"base {number(base)}"
    if abs(first - 1) > 10 * tolerance:
        said += f", all divided by {number(1 / first)}"
    readings = [b for b in BASES if d_head != d_rotated and abs(base_of(slope, d_head) / b - 1) < 0.01]
    if readings:
        said += f", or {number(readings[0])} with the exponent of the whole head, {d_head}"
    return said


def _scaled_says(freqs: Tensor, d: int, tolerance: float) -> str:
    for base in BASES:
        named = name_parts(freqs, geometric_freqs(d, base), tolerance)
        if named:
            return f"base {number(base)}, {named[1]}"
    return f"not geometric: {', '.join(f'{f:.4g}' for f in freqs[:4].tolist())}, …"


def differences(
    freqs: Tensor, expected: Tensor, base: float | None, d_head: int, tolerance: float
) -> Iterator[tuple[str, str]]:
    """Faults, by name, with the number that shows each, of frequencies that are not the expected ones."""
    if close(freqs, expected, tolerance):
        return
    ratio, d = freqs / expected, 2 * len(freqs)
    times = ratio[0].item()
    even = close(ratio, ratio[:1].expand(len(ratio)), tolerance)
    fit, wanted = geometric_fit(freqs, tolerance), geometric_fit(expected, tolerance)
    if close(freqs.flip(0), expected, tolerance):
        yield "reversed", f"the first pair has {freqs[0]:.4g} and the last {freqs[-1]:.4g}"
    elif freqs.min() > (1 - tolerance) * freqs.max():
        yield "frequencies-equal", f"all of them are {freqs[0]:.4g}"
    elif even and abs(times / 2 - 1) < tolerance:
        yield "rotated-twice", f"all frequencies are {times:.3g} times what they should be"
    elif even and wanted and abs(times * exp(wanted[1]) - 1) < tolerance:
        yield "exponent-from-1", f"the first frequency is {freqs[0]:.4g}, which the second should have"
    elif even:
        yield "scaled-linear", f"the factor is {number(1 / times)}"
    elif wanted is None and fit is not None and abs(fit[0] - 1) < tolerance:
        yield "scaling-missing", f"they are those of base {number(base_of(fit[1], d))}, unscaled"
    elif fit is not None and wanted is not None:
        yield _other_slope(fit[1], wanted[1], d, d_head)
    elif named := name_parts(freqs, expected, tolerance):
        yield named
    elif wanted is None:
        yield "scaling-missing", f"the last frequency is {ratio[-1]:.4g} of the expected one"
    else:
        yield "scaled-per-pair", f"divided by {', '.join(f'{1 / r:.3g}' for r in ratio[:3].tolist())}, …"


def _other_slope(slope: float, wanted: float, d: int, d_head: int) -> tuple[str, str]:
    """Geometric frequencies that begin at 1, and fall at another rate."""
    base, divisor = base_of(wanted, d), d * wanted / slope
    evidence = f"the exponent is divided by {divisor:.4g} in place of {d}, if the base is {number(base)}"
    if abs(divisor / d - 0.5) < 0.005:
        return "exponent-doubled", evidence
    if d_head != d and abs(divisor / d_head - 1) < 0.005:
        return "exponent-whole-head", evidence
    if d_head != d and abs(divisor / d - d / d_head) < 0.005 * d / d_head:
        return "exponent-part", f"the exponent is divided by {d} in place of {d_head}"
    times = divisor / d
    if times > 1.5 and abs(times / round(times) - 1) < 0.005:
        return "exponent-d-model", evidence
    other = base_of(slope, d)
    factor = (other / base) ** ((d - 2) / d)
    if other > base and is_nice(factor, 2e-4) and not is_nice(other, 2e-4):
        return "scaled-ntk", f"the base is {number(base)} × {number(factor)}^(d/(d-2)): the factor is {number(factor)}"
    return "base", f"the base is {number(other)}, not {number(base)}"


def name_parts(freqs: Tensor, unscaled: Tensor, tolerance: float) -> tuple[str, str] | None:
    """YaRN and Llama 3: the fast pairs as they were, the slow ones divided by a factor, a ramp between."""
    if len(freqs) != len(unscaled):
        return None
    ratio = freqs / unscaled
    factor = 1 / max(ratio[-1].item(), 1e-12)
    if abs(ratio[0].item() - 1) > tolerance or factor > 1e6 or factor < 1 + 10 * tolerance:
        return None
    for length in LENGTHS:
        for fault, said, scale in (
            ("scaled-llama3", "Llama 3's scaling", lambda f, n: llama3(f, factor, n)),
            ("scaled-yarn", "YaRN", lambda f, n: yarn(f, factor, n)),
            ("scaled-yarn", "YaRN, not truncated", lambda f, n: yarn(f, factor, n, truncate=False)),
            ("scaled-yarn", "YaRN by its paper's ramp", lambda f, n: by_parts(f, factor, n)),
        ):
            try:
                scaled = scale(unscaled, length)
            except ValueError:  # no ramp for this length
                continue
            if close(freqs, scaled, 10 * tolerance):
                return fault, f"{said}, factor {number(factor)}, trained length {length:,}"
    return None
