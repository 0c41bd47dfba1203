"""Frequencies searched for, of whole wavelengths, or of a configuration, as the contract takes them."""

import torch

from posenc_lib import Rotary, Slots, released_rope
from posenc_lib.extension import longrope, longrope_temperature, resonant
from tests.contract.method import D, Method, freqs, rotary_with

RELEASED = {"head_dim": D, "rope_theta": 10_000.0, "rope_scaling": {"type": "linear", "factor": 4.0}}


def with_temperature() -> Method:
    """The temperature is in the scale, since all features are rotated."""
    slots = Slots(
        transform=Rotary(longrope(freqs(), torch.linspace(1, 4, D // 2, dtype=torch.float64))),
        scale=longrope_temperature(4.0, 12) ** 2 / D**0.5,
    )
    return Method((Rotary, longrope, longrope_temperature), relative=True, slots=slots)


METHODS = {
    "rotary longrope": with_temperature,
    "rotary resonant": lambda: rotary_with(resonant(freqs()), resonant),
    "rotary released": lambda: rotary_with(released_rope(RELEASED).freqs, released_rope),
}
