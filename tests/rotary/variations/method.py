"""Variations of the rotary encoding, as the contract takes them."""

import torch
from torch import Tensor

from posenc_lib import Rotary, Slots, apply_rotary, geometric_freqs
from posenc_lib.rotary import PoPE, RotatedValues, both_parts, fourier_cos_sin, full_turns_only, polar
from tests.contract.method import D, H, Method, freqs
from tests.support.weights import normal


def of_sums(q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
    """FoPE. The slowest pair makes no full turn in 600 tokens, and stands still."""
    moving, mix = full_turns_only(freqs(), 600), torch.eye(D // 2).double().repeat(2, 1, 1)
    mix[:, :3, :3] += normal(2, 3, 3, seed=8) / 3

    def summed(x: Tensor, positions: Tensor) -> Tensor:
        return apply_rotary(x, fourier_cos_sin(positions[..., None] * moving, *mix, dtype=x.dtype))

    return summed(q, q_positions), summed(k, k_positions)


def of_both_parts(q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
    """RoPE++: every second head sees the imaginary part of what the head before it sees."""
    q, k = both_parts(q[..., ::2, :, :]), k[..., ::2, :, :].repeat_interleave(2, dim=-3)
    return Rotary(freqs())(q, k, q_positions, k_positions)


METHODS = {
    "pope": lambda: Method((PoPE, polar), relative=True, slots=PoPE(geometric_freqs(2 * D), H).slots()),
    "fope": lambda: Method((fourier_cos_sin, full_turns_only), relative=False, slots=Slots(transform=of_sums)),
    "rope++": lambda: Method((both_parts,), relative=True, slots=Slots(transform=of_both_parts)),
    "rotary, values too": lambda: Method(
        (RotatedValues,), relative=True, slots=Slots(transform=Rotary(freqs()), average=RotatedValues(freqs()))
    ),
}
