"""Scalings of frequencies with a fault in a line: upside down, without 2π, multiplied, or by another rule's parts."""

from __future__ import annotations

from math import pi

import torch

from tests.corpus.checks.planted.pieces import FREQS, D, with_freqs
from tests.corpus.checks.planted.settings import EXPECTED
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
