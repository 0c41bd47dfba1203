"""What became of frequencies that should be scaled: not at all, otherwise, upside down, or by no rule that is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from math import pi

import torch
from torch import Tensor

from posenc_checks.reading.frequencies import (
    BASES,
    SCALINGS,
    Scaled,
    base_of,
    close,
    geometric_fit,
    name_scaling,
    number,
)
from posenc_checks.report.found import Fault
from posenc_lib.pairs import geometric_freqs

# fmt: off
SCALING_MISSING = Fault(
    "scaling-missing", "frequencies are not scaled", "whether rope_scaling is read", page="extension/yarn"
)
SCALING_OTHER = Fault(
    "scaling-other", "frequencies are scaled differently: by another factor, length, base or rule",
    "factor, original_max_position_embeddings and rope_type", page="extension/yarn"
)
SCALING_UPSIDE_DOWN = Fault(
    "scaling-upside-down", "fast pairs are scaled as slow ones, or the blend between runs the other way",
    "ramp against 1 - ramp, and the order of the two that are blended", page="extension/yarn", claim="yarn.code-ramp"
)
SCALING_2PI = Fault(
    "scaling-2pi", "turns are counted without 2π, or with it twice",
    "the wavelength 2π / frequency, and log(length / (turns · 2π))", page="extension/yarn", claim="yarn.code-ramp"
)
SCALING_INVERSE = Fault(
    "scaling-inverse", "frequencies are multiplied by a factor that should divide them",
    "freqs / factor and positions / factor", page="extension/interpolation", claim="interpolation.frequencies"
)
SCALING_RAMP = Fault(
    "scaling-ramp", "the blend between kept and divided frequencies begins or ends elsewhere, or does not end",
    "the two ends of the ramp, and clamp(0, 1)", page="extension/yarn", claim="yarn.code-ramp"
)
SCALING_UNKNOWN = Fault(
    "scaling-unknown", "frequencies follow no known rule", "the line that makes the first pair that differs",
    page="extension/yarn"
)
# fmt: on


def unscaled_of(expected: Tensor, tolerance: float) -> tuple[Tensor, Scaled] | None:
    """The frequencies that were scaled by parts, and how: the fastest two, which stay, tell the base."""
    own = (expected[0] / expected[1]).item() ** len(expected) if len(expected) > 1 else 0.0
    for base in (own, *BASES):
        if base > 1:
            unscaled = geometric_freqs(2 * len(expected), base)
            if scaled := name_scaling(expected, unscaled, tolerance):
                return unscaled, scaled
    return None


def against_scaled(freqs: Tensor, expected: Tensor, tolerance: float) -> tuple[Fault, str]:
    """The fault of frequencies where those of another rule than a geometric one are expected."""
    known = unscaled_of(expected, tolerance)
    fit = geometric_fit(freqs, tolerance)
    if fit is not None and abs(fit[0] - 1) < tolerance:
        words = f"they have base {number(base_of(fit[1], 2 * len(freqs)))} and are not scaled"
        return SCALING_MISSING if known is None or close(freqs, known[0], tolerance) else SCALING_OTHER, words
    named = next(_named(freqs, expected, *known, tolerance) if known else _per_pair(freqs, expected, tolerance), None)
    if named:
        return named
    pair = int((freqs / expected).log().abs().gt(tolerance).nonzero()[0])
    return SCALING_UNKNOWN, f"pair {pair} is the first that differs: {freqs[pair]:.6g}, not {expected[pair]:.6g}"


def upside_down(freqs: Tensor, unscaled: Tensor, tolerance: float) -> str:
    """A blend that runs the wrong way, in words: no scaling divides fast pairs more than slow ones."""
    times, flat = unscaled / freqs, lambda x: bool((x / x[0] - 1).abs().max() < 10 * tolerance)
    if len(times) < 4 or times.min() < 1 - tolerance or not (flat(times[:2]) and flat(times[-2:])):
        return ""
    first, last, less = times[0].item(), times[-1].item(), times.diff() < -0.01
    if abs(last - 1) < tolerance and first > 1.01 and (times.diff() < tolerance).all():
        return f"the fast pairs are divided by {number(first)}, and the slow ones by 1"
    if abs(first - 1) < tolerance and last > 1.01 and times.max() < last + 0.01 and less.any():
        pair = int(less.nonzero()[0])
        return f"pair {pair} is divided by {times[pair]:.4g}, the slower pair {pair + 1} by {times[pair + 1]:.4g}"
    return ""


def _named(
    freqs: Tensor, expected: Tensor, unscaled: Tensor, scaled: Scaled, tolerance: float
) -> Iterator[tuple[Fault, str]]:
    s = scaled.factor
    ramp = (unscaled - expected) / (unscaled - unscaled / s)  # 0 where a pair stays, 1 where it is divided
    if (freqs * unscaled[0] / freqs[0] / unscaled - 1).abs().max() < tolerance:
        yield SCALING_OTHER, f"all are divided by {number((unscaled[0] / freqs[0]).item())}, the fast ones too"
    other = unscaled + unscaled / s - expected
    kept = ((freqs / expected - 1).abs() < tolerance) | ((freqs / other - 1).abs() < tolerance)
    if kept.all():
        turned = int((freqs / expected).log().abs().argmax())
        yield SCALING_UPSIDE_DOWN, f"pair {turned} has {freqs[turned]:.4g}, not {expected[turned]:.4g}"
    if words := upside_down(freqs, unscaled, tolerance):
        yield SCALING_UPSIDE_DOWN, words
    for times in (1 / (2 * pi), 2 * pi):
        for kind, words, scale, ends in SCALINGS:
            turns = {name: end * times for name, end in ends.items()}
            if kind == scaled.kind and close(freqs, _scaled(scale, unscaled, scaled, turns), tolerance):
                yield SCALING_2PI, f"{words} gives them, if a turn is {'1' if times < 1 else '4π²'} rad"
    if close(freqs, unscaled * (1 - ramp + s * ramp), tolerance):
        yield SCALING_INVERSE, f"the last is {number(s)} times the unscaled one"
    if found := name_scaling(freqs, unscaled, tolerance):
        yield SCALING_OTHER, f"{found.words}, in place of {scaled.words}"
    for base, (kind, words, scale, _) in product(BASES, SCALINGS):
        if kind == scaled.kind and close(
            freqs, _scaled(scale, geometric_freqs(2 * len(freqs), base), scaled, {}), 10 * tolerance
        ):
            yield SCALING_OTHER, f"{words} gives them, with base {number(base)}"
    if ends := _other_ramp(freqs, unscaled, s):
        yield SCALING_RAMP, ends


def _other_ramp(freqs: Tensor, unscaled: Tensor, s: float) -> str:
    """A blend that is a straight line, over the pairs as YaRN's or over their turns as Llama 3's, clamped or not."""
    ramp = (1 - freqs / unscaled) / (1 - 1 / s)  # 0 where a pair stays, 1 where it is divided
    inside = (ramp > 1e-2) & (ramp < 1 - 1e-2)
    i = int(inside.int().argmax())
    j = i + int(inside[i:].int().cumprod(0).sum()) - 1
    if j - i < 2:
        return ""
    for name, x in (("pair", torch.arange(len(ramp)).double()), ("frequency", unscaled)):
        step = (ramp[j] - ramp[i]) / (x[j] - x[i])
        line = ramp[i] + step * (x - x[i])
        ends = sorted((x[i] + (end - ramp[i]) / step).item() for end in (0, 1))
        for words, each in (("it runs", line.clamp(0, 1)), ("it is not clamped, and runs", line)):
            if (freqs / (unscaled * (1 - each + each / s)).abs() - 1).abs().max() < 1e-2:
                return f"{words} from {name} {ends[0]:.3g} to {ends[1]:.3g}"
    return ""


def _per_pair(freqs: Tensor, expected: Tensor, tolerance: float) -> Iterator[tuple[Fault, str]]:
    """Each pair by a number of its own, as LongRoPE's: multiplied, in the other order, or by other numbers."""
    for base in BASES:
        unscaled = geometric_freqs(2 * len(expected), base)
        own, wanted = unscaled / freqs, unscaled / expected
        shown = f"pairs are divided by {_few(own)}, not by {_few(wanted)}, if the base is {number(base)}"
        if (wanted < 1 - tolerance).any():
            continue
        if close(own, 1 / wanted, tolerance):
            yield SCALING_INVERSE, shown
        if close(own, wanted.flip(0), tolerance):
            yield SCALING_UPSIDE_DOWN, shown
        if (own > 1 - tolerance).all() and abs(wanted[0] - 1) < tolerance:
            yield SCALING_OTHER, shown


def _few(numbers: Tensor) -> str:
    return ", ".join(f"{x:.3g}" for x in (numbers[0].item(), numbers[1].item(), numbers[-1].item()))


def _scaled(scale: Callable[..., Tensor], unscaled: Tensor, scaled: Scaled, turns: dict[str, float]) -> Tensor:
    """The same with other numbers of turns at both ends of the ramp."""
    try:
        return scale(unscaled, scaled.factor, scaled.length, **turns)
    except ValueError:  # no ramp for these
        return torch.full_like(unscaled, torch.nan)
