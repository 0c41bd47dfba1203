"""The rotary encoding, as the contract takes it: as a module, by its functions, in both layouts and in part."""

import torch
from torch import Tensor

from posenc_lib import PartialRotary, Rotary, Slots, apply_rotary, cos_sin, geometric_freqs, rotate
from tests.contract.method import Method, freqs, rotary_with
from tests.support.weights import normal


def fused(q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
    dtype = torch.promote_types(q.dtype, torch.float32)
    return tuple(apply_rotary(x, cos_sin(angles(m), dtype)) for x, m in ((q, q_positions), (k, k_positions)))


def rotated(q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
    return rotate(q, angles(q_positions)), rotate(k, angles(k_positions))


def angles(positions: Tensor) -> Tensor:
    return positions.double()[..., None] * freqs().to(positions.device)


METHODS = {
    "rotary interleaved": lambda: rotary_with(freqs()),
    "rotary half": lambda: Method((Rotary,), relative=True, slots=Slots(transform=Rotary(freqs(), "half"))),
    "rotary, the function": lambda: Method((rotate,), relative=True, slots=Slots(transform=rotated)),
    "rotary fused": lambda: Method((apply_rotary, cos_sin), relative=True, slots=Slots(transform=fused)),
    "rotary partial": lambda: Method(
        (PartialRotary,), relative=True, slots=Slots(transform=PartialRotary(Rotary(geometric_freqs(4)), 4))
    ),
}
NO_METHOD = {"convert_layout": "ports weights"}
ARGUMENTS = {
    "PartialRotary": lambda: [{"transform": Rotary(geometric_freqs(4))}],
    "convert_layout": lambda: [{"weight": normal(4, 8).float()}],
}
UNCHECKED = {
    "apply_rotary.cos_sin": "its values are checked where it is made",
    "position_angles.freqs": "they may be learned, and what is learned is not read at each step",
}
