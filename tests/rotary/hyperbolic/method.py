"""Hyperbolic rotations, as the contract takes them."""

import torch

from posenc_lib import Slots
from posenc_lib.rotary import GroupTransform, hyperbolic_generator
from tests.contract.method import D, Method


def hyperbolic() -> Method:
    freqs = torch.linspace(0.001, 0.004, D // 2, dtype=torch.float64)  # a far shift still fits into float64
    slots = Slots(transform=GroupTransform(hyperbolic_generator(freqs, freqs + 0.002)))
    return Method((hyperbolic_generator,), relative=True, slots=slots)


METHODS = {"hyperbolic": hyperbolic}
ARGUMENTS = {
    "hyperbolic_generator": lambda: [{"freqs": torch.linspace(0.1, 0.5, 4), "rates": torch.linspace(0.6, 0.9, 4)}],
}
