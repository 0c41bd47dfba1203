"""Positions of several axes, as the contract takes them: along a line through the plane, or through space."""

import torch
from torch import Tensor

from posenc_lib import Slots, rotate
from posenc_lib.rotary import axes_angles, axial_freqs, chunked_sections, directed_freqs, interleaved_sections
from tests.contract.method import D, Method, freqs
from tests.support.weights import normal


def by_axes(freqs: Tensor, *uses: object) -> Method:
    """Each further axis counts faster."""

    def angles(positions: Tensor) -> Tensor:
        steps = [(1 + 2 * a) * positions.long() for a in range(len(freqs))]
        return axes_angles(torch.stack(steps, dim=-1), freqs.to(positions.device))

    def transform(q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        return rotate(q, angles(q_positions)), rotate(k, angles(k_positions))

    return Method((axes_angles, *uses), relative=True, slots=Slots(transform=transform))


METHODS = {
    "rotary axial": lambda: by_axes(
        axial_freqs(freqs(), chunked_sections((1, 2, 1)), 3), axial_freqs, chunked_sections
    ),
    "rotary axial, taking turns": lambda: by_axes(
        axial_freqs(freqs(), interleaved_sections((2, 1, 1)), 3), axial_freqs, interleaved_sections
    ),
    "rotary mixed": lambda: by_axes(directed_freqs(freqs(), normal(D // 2, seed=8)), directed_freqs),
}
NO_METHOD = {
    "grid_positions": "makes positions of two axes",
    "normalised_positions": "makes positions of two axes",
    "next_position": "the number of the word after such positions",
    "padded_positions": "puts such positions of several texts side by side",
    "vision_positions": "makes positions of three axes",
}
ARGUMENTS = {
    "axial_freqs": lambda: [{"axis_of_pair": torch.tensor([0, 1, 1, 0])}],
    "axes_angles": lambda: [{"positions": torch.tensor([[0, 3], [1, 0], [2, 5], [4, 1]])}],
    "chunked_sections": lambda: [{"sizes": [2, 1]}],
    "interleaved_sections": lambda: [{"sizes": [3, 2]}],
    "padded_positions": lambda: [{"positions": [torch.tensor([0, 1, 2]), torch.tensor([0, 1])]}],
    "vision_positions": lambda: [{"segments": [("text", 2), ("image", (2, 4))]}],
}
