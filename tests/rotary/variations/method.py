"""Variations of the rotary encoding, as the contract takes them."""

import torch
from torch import Tensor, nn

from posenc_lib import Rotary, Slots, apply_rotary, geometric_freqs
from posenc_lib.rotary import PoPE, RotatedValues, both_parts, fourier_cos_sin, full_turns_only, polar
from tests.contract.method import D, Given, H, Method, freqs
from tests.support.weights import normal


def of_sums(
    moving: Tensor, mix: Tensor, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor
) -> tuple[Tensor, Tensor]:
    def summed(x: Tensor, positions: Tensor) -> Tensor:
        angles = positions[..., None] * moving.double()
        table = fourier_cos_sin(angles, *mix.double(), dtype=torch.promote_types(x.dtype, torch.float32))
        return apply_rotary(x, table)

    return summed(q, q_positions), summed(k, k_positions)


def fope() -> Method:
    """The slowest pair makes no full turn in 600 tokens, and stands still."""
    mix = torch.eye(D // 2).double().repeat(2, 1, 1)
    mix[:, :3, :3] += normal(2, 3, 3, seed=8) / 3
    slots = Slots(transform=Given(of_sums, full_turns_only(freqs(), 600), mix))
    return Method((fourier_cos_sin, full_turns_only), relative=False, slots=slots)


class BothParts(nn.Module):
    """RoPE++: every second head sees the imaginary part of what the head before it sees."""

    def __init__(self) -> None:
        super().__init__()
        self.rotary = Rotary(freqs())

    def forward(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        shared = k[..., ::2, :, :].repeat_interleave(2, dim=-3)[..., : k.shape[-3], :, :]
        return self.rotary(both_parts(q[..., ::2, :, :]), shared, q_positions, k_positions)


METHODS = {
    "pope": lambda: Method((PoPE, polar), relative=True, slots=PoPE(geometric_freqs(2 * D), H).slots(), key_heads=True),
    "fope": fope,
    "rope++": lambda: Method((both_parts,), relative=True, slots=Slots(transform=BothParts())),
    "rotary, values too": lambda: Method(
        (RotatedValues,), relative=True, slots=Slots(transform=Rotary(freqs()), average=RotatedValues(freqs()))
    ),
}
ARGUMENTS = {
    "PoPE": lambda: [{"freqs": geometric_freqs(2 * D)}],
    "fourier_cos_sin": lambda: [{}, {"cos_mix": normal(3, 4, 4), "sin_mix": normal(3, 4, 4, seed=1)}],  # one a head
}
UNCHECKED = dict.fromkeys(("polar.x", "PoPE.forward.q", "PoPE.forward.k"), "a feature of -infinity has the length 0")
