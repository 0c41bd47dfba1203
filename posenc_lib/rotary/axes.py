"""Rotation by positions of several axes: rows and columns of an image, or time, height and width of a video.

A pair of features has one frequency for each axis, and its angle is the sum of position times frequency over the axes.
`rotate` then takes the angles as for a text. Where a frequency is 0, the pair does not see that axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float, Int, Real
from torch import Tensor

from posenc_lib.border import (
    being,
    border,
    counted,
    freqs,
    named,
    per_pair,
    places,
    shaped,
    table,
    together,
    whole,
    within,
)
from posenc_lib.border.positions import require_axes, require_resolved
from posenc_lib.border.tensors import require_alike

__all__ = [
    "axes_angles",
    "axial_freqs",
    "chunked_sections",
    "directed_freqs",
    "grid_positions",
    "interleaved_sections",
    "normalised_positions",
]


_SIZES = being(
    lambda x: isinstance(x, Sequence) and not isinstance(x, str) and len(x) > 0,
    "a list of whole numbers, the pairs of each axis",
)
SQUARES = together(
    lambda height, width, side: height % side == width % side == 0,
    "{height} × {width} patches cannot be cut into squares of {side} × {side}",
)


def sizes_of_axes(name: str, sizes: Any) -> list[int]:
    """The rule of an argument that says how many pairs each axis has."""
    return [int(whole(1, 2**24)("a size", size)) for size in _SIZES(name, sizes)]


def _numbered(axis_of_pair: Tensor, axes: int) -> None:
    within(axes)("axes", axis_of_pair)


@border(
    named(require_axes, "positions", "freqs"),
    require_resolved,
    positions=places,
    freqs=shaped(table(2), lambda shape: len(shape) == 2, "[axes, pairs], a row for each axis"),
)
def axes_angles(
    positions: Real[Tensor, "*batch n axes"], freqs: Float[Tensor, "axes pairs"]
) -> Float[Tensor, "*batch n pairs"]:
    r"""The angle of every pair at every place, in radians: the inner product of the position and a frequency vector.

    $$\varphi_i = \sum_a p_a\,\theta_{a,i}$$

    Row a of `freqs` is for axis a. Computed in float64; the result has the dtype of `freqs`, and passes them a
    gradient. Positions are integers, float32 or float64, and at most 2**40 in size.

    Refused: `freqs` that are not [axes, pairs] or not finite, positions with another number of axes, and, where `freqs`
    are float32, positions beyond 2**24.

    Source: Heo et al. 2024 (arXiv:2403.13298), section 3.2.

    >>> freqs = torch.tensor([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5]])
    >>> axes_angles(torch.tensor([[2, 3]]), freqs)
    tensor([[2.0000, 3.0000, 2.5000]])
    """
    return (positions.double() @ freqs.double()).to(freqs.dtype)


@border(
    named(require_alike, "freqs", "axis_of_pair"),
    _numbered,
    freqs=freqs,
    axis_of_pair=counted("axes are numbered"),
    axes=whole(1),
)
def axial_freqs(
    freqs: Float[Tensor, " pairs"], axis_of_pair: Int[Tensor, " pairs"], axes: int
) -> Float[Tensor, "axes pairs"]:
    r"""Each pair's frequency in the row of the one axis that it follows, and 0 in the other rows.

    $$\theta_{a,i} = \theta_i\,[a = a_i]$$

    Axes are numbered from 0; `chunked_sections` and `interleaved_sections` give the number for each pair.

    Refused: unequal numbers of axes and frequencies, and an axis that is not in 0 … axes - 1.

    Source: Heo et al. 2024 (arXiv:2403.13298), section 3.2.

    >>> axial_freqs(torch.tensor([1.0, 0.1, 1.0, 0.1]), torch.tensor([0, 0, 1, 1]), 2)
    tensor([[1.0000, 0.1000, 0.0000, 0.0000],
            [0.0000, 0.0000, 1.0000, 0.1000]])
    """
    rows = torch.arange(axes, device=freqs.device)[:, None]
    return torch.where(rows == axis_of_pair.to(freqs.device), freqs, 0)


@border(named(require_alike, "freqs", "directions"), freqs=freqs, directions=per_pair())
def directed_freqs(freqs: Float[Tensor, " pairs"], directions: Float[Tensor, " pairs"]) -> Float[Tensor, "2 pairs"]:
    r"""Frequencies with a direction in the plane: mixed ones, where a pair sees both axes.

    $$(\theta_{y,i}, \theta_{x,i}) = \theta_i\,(\sin\alpha_i, \cos\alpha_i)$$

    The directions are in radians, from the x axis (to the right) towards the y axis (downwards): so 0 gives a pair
    that follows the columns, and π/4 one that follows the sum of row and column.

    Refused: unequal numbers of directions and frequencies.

    Source: Heo et al. 2024 (arXiv:2403.13298), section 3.2, where they are learned.

    >>> directed_freqs(torch.tensor([1.0, 2.0]), torch.tensor([0.0, torch.pi / 6]))
    tensor([[0.0000, 1.0000],
            [1.0000, 1.7321]])
    """
    return torch.stack((freqs * directions.sin(), freqs * directions.cos())).to(freqs.dtype)


@border(sizes=sizes_of_axes)
def chunked_sections(sizes: Sequence[int]) -> Int[Tensor, " pairs"]:
    """The axis of each pair where every axis has a run of neighbouring pairs: `sizes[0]` for axis 0, and so on.

    Source: Wang et al. 2024 (arXiv:2409.12191), section 2.1; `mrope_section` in transformers' Qwen2-VL.

    >>> chunked_sections((2, 3, 1))
    tensor([0, 0, 1, 1, 1, 2])
    """
    return torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))


@border(sizes=sizes_of_axes)
def interleaved_sections(sizes: Sequence[int]) -> Int[Tensor, " pairs"]:
    """The axis of each pair where the axes take turns, 0, 1, 2, 0, 1, 2, …, and axis 0 gets the pairs that are left.

    Refused: sizes that taking turns does not give.

    Source: `mrope_section` in transformers' Qwen3-VL, `recomposition_frequencies`.

    >>> interleaved_sections((4, 2, 2))
    tensor([0, 1, 2, 0, 1, 2, 0, 0])
    """
    pair = torch.arange(sum(sizes))
    turn = pair % len(sizes)
    axis_of_pair = torch.where(pair < len(sizes) * torch.tensor(sizes)[turn], turn, 0)
    _require_counts(axis_of_pair, sizes)
    return axis_of_pair


@border(SQUARES.of("height", "width", "block"), height=whole(1), width=whole(1), block=whole(1))
def grid_positions(height: int, width: int, *, block: int = 1) -> Int[Tensor, "{height}*{width} 2"]:
    """The row and the column of each patch of an image, row by row, both from 0.

    With `block` b the patches come in squares of b × b, each square row by row. Vision towers that merge a square into
    one token list the patches in this order.

    Refused: a height or a width that is no multiple of the block.

    Source: `get_vision_position_ids` in transformers' `vision_utils.py`.

    >>> grid_positions(2, 4, block=2).T
    tensor([[0, 0, 1, 1, 0, 0, 1, 1],
            [0, 1, 0, 1, 2, 3, 2, 3]])
    """
    rows, columns = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    patches = torch.stack((rows, columns), dim=-1)
    return patches.unflatten(1, (-1, block)).unflatten(0, (-1, block)).transpose(1, 2).reshape(-1, 2)


@border(height=whole(1), width=whole(1))
def normalised_positions(height: int, width: int) -> Float[Tensor, "{height}*{width} 2"]:
    r"""The middle of each patch, row by row, in units that make the image reach from -1 to 1 along both axes.

    $$\left(\frac{2y + 1}{H} - 1,\; \frac{2x + 1}{W} - 1\right)$$

    The result is in float64.

    Source: Siméoni et al. 2025 (arXiv:2508.10104), section 3.2;
    `get_patches_center_coordinates` in transformers' DINOv3.

    >>> normalised_positions(1, 4)
    tensor([[ 0.0000, -0.7500],
            [ 0.0000, -0.2500],
            [ 0.0000,  0.2500],
            [ 0.0000,  0.7500]], dtype=torch.float64)
    """
    return (2 * grid_positions(height, width).double() + 1) / torch.tensor((height, width)) - 1


def _require_counts(axis_of_pair: Tensor, sizes: list[int]) -> None:
    if (found := axis_of_pair.bincount(minlength=len(sizes)).tolist()) != sizes:
        raise ValueError(f"taking turns gives the axes {found} of {sum(sizes)} pairs; sizes asks for {sizes}")
