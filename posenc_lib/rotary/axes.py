"""Rotation by positions of several axes: rows and columns of an image, or time, height and width of a video.

A pair of features has one frequency for each axis, and its angle is the sum of position times frequency over the axes.
`rotate` then takes the angles as for a text. Where a frequency is 0, the pair does not see that axis.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int, Real
from torch import Tensor

from posenc_lib.inputs import (
    integers,
    require_finite_values,
    require_freqs,
    require_positions,
    require_tensor,
    require_values,
    require_whole,
    require_wide,
)

__all__ = [
    "axes_angles",
    "axial_freqs",
    "chunked_sections",
    "directed_freqs",
    "grid_positions",
    "interleaved_sections",
    "normalised_positions",
]


def axes_angles(
    positions: Real[Tensor, "*batch n axes"], freqs: Float[Tensor, "axes pairs"]
) -> Float[Tensor, "*batch n pairs"]:
    r"""The angle of every pair at every place, in radians: the inner product of the position and a frequency vector.

    $$\varphi_i = \sum_a p_a\,\theta_{a,i}$$

    Row a of `freqs` is for axis a. Computed in float64; the result has the dtype of `freqs`, and a gradient for them.
    Positions are integers, float32 or float64, and at most 2**40 in size.

    Raises `TypeError` for positions or frequencies in another dtype; `ValueError` if `freqs` is not [axes, pairs], if
    the positions do not end in as many axes, if a frequency is not finite, or for positions that are not finite, or
    beyond 2**40.

    Source: Heo et al. 2024 (arXiv:2403.13298), section 3.2.

    >>> freqs = torch.tensor([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5]])
    >>> axes_angles(torch.tensor([[2, 3]]), freqs)
    tensor([[2.0000, 3.0000, 2.5000]])
    """
    require_positions(positions)
    require_wide(freqs=freqs)
    require_finite_values(freqs=freqs)
    if freqs.ndim != 2:
        raise ValueError(f"freqs must be [axes, pairs], a row for each axis; got {list(freqs.shape)}")
    if positions.ndim < 2 or positions.shape[-1] != len(freqs):
        raise ValueError(f"positions {list(positions.shape)} must be [..., n, axes], and freqs have {len(freqs)} axes")
    return (positions.double() @ freqs.double()).to(freqs.dtype)


def axial_freqs(
    freqs: Float[Tensor, " pairs"], axis_of_pair: Int[Tensor, " pairs"], axes: int
) -> Float[Tensor, "axes pairs"]:
    r"""Each pair's frequency in the row of the one axis that it follows, and 0 in the other rows.

    $$\theta_{a,i} = \theta_i\,[a = a_i]$$

    Axes are numbered from 0; `chunked_sections` and `interleaved_sections` give the number for each pair.

    Raises `ValueError` if there is not one axis for each frequency, an axis is not in 0 … axes - 1, `axes` is not
    positive, or `freqs` is not [d/2] or not finite; `TypeError` if `freqs` is not float32 or float64, or an axis or
    their number is no integer.

    Source: Heo et al. 2024 (arXiv:2403.13298), section 3.2.

    >>> axial_freqs(torch.tensor([1.0, 0.1, 1.0, 0.1]), torch.tensor([0, 0, 1, 1]), 2)
    tensor([[1.0000, 0.1000, 0.0000, 0.0000],
            [0.0000, 0.0000, 1.0000, 0.1000]])
    """
    require_whole(least=1, axes=axes)
    require_freqs(freqs)
    axis_of_pair = integers(axis_of_pair, "axes are numbered", "axis_of_pair")
    if axis_of_pair.shape != freqs.shape:
        raise ValueError(
            f"axis_of_pair {list(axis_of_pair.shape)} must name an axis for each of freqs {[*freqs.shape]}"
        )
    require_values(
        (axis_of_pair >= 0) & (axis_of_pair < axes),
        "an axis that is not there",
        lambda bad: f"axes are numbered 0 … {axes - 1}; got {axis_of_pair[bad][0].item()}",
    )
    rows = torch.arange(axes, device=freqs.device)[:, None]
    return torch.where(rows == axis_of_pair.to(freqs.device), freqs, 0)


def directed_freqs(freqs: Float[Tensor, " pairs"], directions: Float[Tensor, " pairs"]) -> Float[Tensor, "2 pairs"]:
    r"""Frequencies with a direction in the plane: mixed ones, where a pair sees both axes.

    $$(\theta_{y,i}, \theta_{x,i}) = \theta_i\,(\sin\alpha_i, \cos\alpha_i)$$

    The directions are in radians, from the x axis (to the right) towards the y axis (downwards): so 0 gives a pair
    that follows the columns, and π/4 one that follows the sum of row and column.

    Raises `ValueError` if there is not one direction for each frequency, or if they are not [d/2] or not finite;
    `TypeError` if they are not float32 or float64.

    Source: Heo et al. 2024 (arXiv:2403.13298), section 3.2, where they are learned.

    >>> directed_freqs(torch.tensor([1.0, 2.0]), torch.tensor([0.0, torch.pi / 6]))
    tensor([[0.0000, 1.0000],
            [1.0000, 1.7321]])
    """
    require_freqs(freqs)
    require_tensor(directions=directions)
    require_wide(directions=directions)
    if directions.shape != freqs.shape:
        raise ValueError(f"directions {list(directions.shape)} must be one for each of freqs {list(freqs.shape)}")
    require_finite_values(directions=directions)
    return torch.stack((freqs * directions.sin(), freqs * directions.cos())).to(freqs.dtype)


def chunked_sections(sizes: Sequence[int]) -> Int[Tensor, " pairs"]:
    """The axis of each pair where every axis has a run of neighbouring pairs: `sizes[0]` for axis 0, and so on.

    Raises `ValueError` if there are no sizes, or one is not positive; `TypeError` if one is no integer.

    Source: Wang et al. 2024 (arXiv:2409.12191), section 2.1; `mrope_section` in transformers' Qwen2-VL.

    >>> chunked_sections((2, 3, 1))
    tensor([0, 0, 1, 1, 1, 2])
    """
    sizes = require_sizes(sizes)
    return torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))


def interleaved_sections(sizes: Sequence[int]) -> Int[Tensor, " pairs"]:
    """The axis of each pair where the axes take turns, 0, 1, 2, 0, 1, 2, …, and axis 0 has the pairs that are left.

    Raises `ValueError` if there are no sizes, if one is not positive, or if the turns do not give each axis its size;
    `TypeError` if one is no integer.

    Source: `mrope_section` in transformers' Qwen3-VL, `recomposition_frequencies`.

    >>> interleaved_sections((4, 2, 2))
    tensor([0, 1, 2, 0, 1, 2, 0, 0])
    """
    sizes = require_sizes(sizes)
    axes, pairs = len(sizes), range(sum(sizes))
    found = [i % axes if i < axes * sizes[i % axes] else 0 for i in pairs]
    counts = [found.count(axis) for axis in range(axes)]
    if counts != sizes:
        raise ValueError(
            f"taking turns among {sum(sizes)} pairs gives the axes {counts} of them; sizes asks for {sizes}"
        )
    return torch.tensor(found)


def grid_positions(height: int, width: int, *, block: int = 1) -> Int[Tensor, "{height}*{width} 2"]:
    """The row and the column of each patch of an image, row by row, both from 0.

    With `block` b the patches come in squares of b × b, each square row by row: so vision towers list them that merge
    a square into one token.

    Raises `ValueError` if a number is not positive, or the height or the width is no multiple of the block;
    `TypeError` if it is no integer.

    Source: `get_vision_position_ids` in transformers' `vision_utils.py`.

    >>> grid_positions(2, 4, block=2).T
    tensor([[0, 0, 1, 1, 0, 0, 1, 1],
            [0, 1, 0, 1, 2, 3, 2, 3]])
    """
    require_whole(least=1, height=height, width=width, block=block)
    if height % block or width % block:
        raise ValueError(f"an image of {height} × {width} patches cannot be cut into squares of {block} × {block}")
    rows, columns = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    patches = torch.stack((rows, columns), dim=-1)
    return patches.unflatten(1, (-1, block)).unflatten(0, (-1, block)).transpose(1, 2).reshape(-1, 2)


def normalised_positions(height: int, width: int) -> Float[Tensor, "{height}*{width} 2"]:
    r"""The middle of each patch, row by row, in units in which the image reaches from -1 to 1 along both axes.

    $$\left(\frac{2y + 1}{H} - 1,\; \frac{2x + 1}{W} - 1\right)$$

    In float64. Raises `ValueError` if a number is not positive; `TypeError` if it is no integer.

    Source: Siméoni et al. 2025 (arXiv:2508.10104), section 3.2;
    `get_patches_center_coordinates` in transformers' DINOv3.

    >>> normalised_positions(1, 4)
    tensor([[ 0.0000, -0.7500],
            [ 0.0000, -0.2500],
            [ 0.0000,  0.2500],
            [ 0.0000,  0.7500]], dtype=torch.float64)
    """
    return (2 * grid_positions(height, width).double() + 1) / torch.tensor((height, width)) - 1


def require_sizes(sizes: Sequence[int]) -> list[int]:
    if not isinstance(sizes, Sequence) or isinstance(sizes, str) or not sizes:
        raise TypeError(f"sizes must be a list of whole numbers, the pairs of each axis; got {sizes!r}")
    for size in sizes:
        require_whole(least=1, **{"a size": size})
    return [int(size) for size in sizes]
