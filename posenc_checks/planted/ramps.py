"""Scalings of frequencies with a fault in a line: upside down, without 2π, multiplied, or by another rule's parts."""

from __future__ import annotations

from math import pi

import torch

from posenc_checks.planted.pieces import FREQS, D, Planted, with_freqs
from posenc_checks.planted.settings import EXPECTED
from posenc_lib import extension
from posenc_lib.pairs import geometric_freqs

S, L = 8.0, 4_096


def yarn(freqs=FREQS, s=S, *, turn=2 * pi, upside_down=False, times=False, square=False, ends=None, clamped=True):
    """As in transformers: a ramp over the pairs between those that make 32 turns and one."""
    pairs = [D * torch.tensor(L / (turns * turn)).log() / (2 * torch.tensor(10_000.0).log()) for turns in (32, 1)]
    low, high = pairs[0].floor().clamp(min=0), pairs[1].ceil().clamp(max=D - 1)
    low, high = (low, high) if ends is None else ends
    ramp = (torch.arange(D // 2).double() - low) / (high - low)
    ramp = ramp.clamp(0, 1) if clamped else ramp
    ramp = 1 - ramp if upside_down else ramp.square() if square else ramp
    return freqs * (1 - ramp) + (freqs * s if times else freqs / s) * ramp


def llama3(freqs=FREQS, s=S, *, turn=2 * pi, blend=False, ends=False, times=False, low=1.0, high=4.0):
    """As in transformers: by wavelengths, with a blend between."""
    wavelength = turn / freqs
    smooth = (8_192 / wavelength - low) / (high - low)
    scaled = freqs * s if times else freqs / s
    between = (smooth * scaled + (1 - smooth) * freqs) if blend else ((1 - smooth) * scaled + smooth * freqs)
    slow, fast = (wavelength > 8_192 / low), (wavelength < 8_192 / high)
    slow, fast = (fast, slow) if ends else (slow, fast)
    return torch.where(slow, scaled, torch.where(fast, freqs, between))


def expecting(freqs, **more):
    return {"base": None} | EXPECTED | {"freqs": freqs} | more


YARN, LLAMA = expecting(yarn()), expecting(llama3())
LINEAR, HALVED = expecting(FREQS / 4), expecting(FREQS / 2)
OWN = expecting(FREQS / torch.linspace(1, 3, D // 2).square())

SCALED = [
    Planted("scaling-upside-down", with_freqs(yarn(upside_down=True)), YARN, about="yarn"),
    Planted("scaling-upside-down", with_freqs(llama3(blend=True)), LLAMA, about="blend"),
    Planted("scaling-upside-down", with_freqs(llama3(ends=True)), LLAMA, about="ends"),
    Planted("scaling-upside-down", with_freqs(llama3(ends=True, blend=True)), LLAMA, about="llama3"),
    Planted("scaling-2pi", with_freqs(yarn(turn=1)), YARN, about="yarn"),
    Planted("scaling-2pi", with_freqs(yarn(turn=4 * pi**2)), YARN, about="yarn-twice"),
    Planted("scaling-2pi", with_freqs(llama3(turn=1)), LLAMA, about="llama3"),
    Planted("scaling-2pi", with_freqs(extension.by_parts(FREQS, S, L, alpha=0.5 / pi, beta=16 / pi)),
            expecting(extension.by_parts(FREQS, S, L)), about="paper"),
    Planted("scaling-inverse", with_freqs(yarn(times=True)), YARN, about="yarn"),
    Planted("scaling-inverse", with_freqs(llama3(times=True)), LLAMA, about="llama3"),
    Planted("scaling-inverse", with_freqs(FREQS * 4), LINEAR, about="linear"),
    Planted("scaling-inverse", with_freqs(FREQS * 2), HALVED, about="halved"),
    Planted("scaling-inverse", with_freqs(FREQS * 4), EXPECTED, about="unscaled"),
    Planted("scaling-inverse", lambda x, positions: with_freqs(FREQS)(x, 3 * positions), EXPECTED, about="positions"),
    Planted("scaling-missing", with_freqs(FREQS), LLAMA, about="llama3"),
    Planted("scaling-missing", with_freqs(FREQS), LINEAR, about="linear"),
    Planted("scaling-missing", with_freqs(FREQS), HALVED, about="halved"),
    Planted("scaling-missing", with_freqs(FREQS), OWN, about="own"),
    Planted("scaling-other", with_freqs(FREQS / 8), LINEAR, about="linear"),
    Planted("scaling-other", with_freqs(yarn(s=4.0)), YARN, about="factor"),
    Planted("scaling-other", with_freqs(extension.yarn(FREQS, S, 2_048)), YARN, about="length"),
    Planted("scaling-other", with_freqs(extension.yarn(FREQS, S, L, truncate=False)), YARN, about="truncated"),
    Planted("scaling-other", with_freqs(llama3()), YARN, about="rule"),
    Planted("scaling-other", with_freqs(FREQS / S), YARN, about="all"),
    Planted("scaling-other", with_freqs(geometric_freqs(D, 500_000.0)), YARN, about="base"),
    Planted("scaling-unknown", with_freqs(yarn(square=True)), YARN, about="square"),
]  # fmt: skip
RIGHT = [
    Planted("", with_freqs(yarn()), expecting(extension.yarn(FREQS, S, L)), about="yarn"),
    Planted("", with_freqs(llama3()), expecting(extension.llama3(FREQS, S, 8_192)), about="llama3"),
    Planted("", with_freqs(FREQS / 4), LINEAR, about="linear"),
    Planted("", with_freqs(FREQS / torch.linspace(1, 3, D // 2).square()), OWN, about="own"),
    Planted("", with_freqs(FREQS * 2), expecting(FREQS * 2), about="twice as fast"),
]
