"""Features come in pairs, and each pair has a frequency: what the sinusoidal and the rotary encoding share.

Frequencies, then angles, then what is done with the angles: three steps, three functions. A method that
extends the context (interpolation, NTK, YaRN) is a function from frequencies to frequencies.
"""

from __future__ import annotations

from typing import Literal, get_args

import torch
from jaxtyping import Float, Int, Real
from torch import Tensor

from posenc_lib.inputs import (
    require_base,
    require_device,
    require_even,
    require_float_dtype,
    require_one_of,
    require_positions,
    require_tensor,
    require_wide,
)

Layout = Literal["interleaved", "half"]
"""Which two features form a pair: neighbours (`interleaved`: RoFormer, GPT-J) or features that stand
d/2 apart (`half`: GPT-NeoX, Llama in Hugging Face)."""


def geometric_freqs(
    d: int, base: float = 10_000.0, *, dtype: torch.dtype = torch.float64, device: torch.device | str | None = None
) -> Float[Tensor, "{d}//2"]:
    r"""One angular frequency a pair of features, falling geometrically from 1 towards 1/base.

    $$\theta_i = \text{base}^{-2i/d}, \qquad i = 0, \dots, d/2 - 1$$

    The unit is radians per position. The wavelengths $2\pi/\theta_i$ run from $2\pi$ to
    $2\pi\,\text{base}^{(d-2)/d}$, not quite to $2\pi\,\text{base}$.

    Raises `ValueError` if d is not even and positive, or if base is not positive and finite; `TypeError` if they are
    no numbers, or the dtype is not floating point.

    Source: Vaswani et al. 2017 (arXiv:1706.03762), section 3.5; Su et al. 2021 (arXiv:2104.09864), section 3.2.2.

    >>> geometric_freqs(8)
    tensor([1.0000, 0.1000, 0.0100, 0.0010], dtype=torch.float64)
    """
    require_even(d)
    require_base(base)
    require_float_dtype(dtype, "frequencies")
    require_device(device)
    exponents = torch.arange(0, d, 2, dtype=torch.float64, device=device) / d
    return torch.pow(base, -exponents).to(dtype)


def position_angles(
    positions: Real[Tensor, "*batch n"], freqs: Float[Tensor, " pairs"]
) -> Float[Tensor, "*batch n pairs"]:
    r"""The angle of every pair at every position, in radians: $m\,\theta_i$.

    Computed in float64; the result has the dtype of `freqs`. Positions are integers of either sign; float32 and
    float64 are taken too (pixels, irregular times). Half precision is refused: bfloat16 cannot tell position 256 from
    257. So are positions beyond 2**40: an angle is rounded by 1e-16 of itself, which is 1e-4 there.

    Raises `TypeError` for positions or frequencies in another dtype; `ValueError` for positions that are not finite, or
    beyond 2**40. On an accelerator, and compiled, the latter is an assertion, for which nothing waits.

    >>> position_angles(torch.tensor([0, 1, 2]), geometric_freqs(4))
    tensor([[0.0000, 0.0000],
            [1.0000, 0.0100],
            [2.0000, 0.0200]], dtype=torch.float64)
    """
    require_positions(positions)
    require_wide(freqs=freqs)
    if freqs.ndim != 1:
        raise ValueError(f"freqs must be [d/2], one per pair of features; got {list(freqs.shape)}")
    return (positions.double()[..., None] * freqs.double()).to(freqs.dtype)


def split_pairs(
    x: Real[Tensor, "*batch d"], layout: Layout
) -> tuple[Real[Tensor, "*batch d//2"], Real[Tensor, "*batch d//2"]]:
    """The first and the second feature of every pair, as views of x.

    Raises `ValueError` if x has no axis, an odd number of features or none, or if the layout is unknown; `TypeError` if
    x is no tensor.

    >>> split_pairs(torch.tensor([0, 1, 2, 3]), "interleaved")
    (tensor([0, 2]), tensor([1, 3]))
    >>> split_pairs(torch.tensor([0, 1, 2, 3]), "half")
    (tensor([0, 1]), tensor([2, 3]))
    """
    require_tensor(axes=1, x=x)
    require_even(x.shape[-1])
    require_layout(layout)
    if layout == "interleaved":
        return x[..., 0::2], x[..., 1::2]
    first, second = x.chunk(2, dim=-1)
    return first, second


def join_pairs(
    first: Real[Tensor, "*batch pairs"], second: Real[Tensor, "*batch pairs"], layout: Layout
) -> Real[Tensor, "*batch 2*pairs"]:
    """The inverse of `split_pairs`.

    Raises `ValueError` if the two differ in their shape, or if the layout is unknown; `TypeError` if they are no
    tensors.

    >>> join_pairs(torch.tensor([0, 2]), torch.tensor([1, 3]), "interleaved")
    tensor([0, 1, 2, 3])
    """
    require_tensor(first=first, second=second)
    require_layout(layout)
    if first.shape != second.shape or not first.ndim:
        raise ValueError(f"each pair needs both features; got first {[*first.shape]} and second {[*second.shape]}")
    if layout == "interleaved":
        return torch.stack((first, second), dim=-1).flatten(-2)
    return torch.cat((first, second), dim=-1)


def half_from_interleaved(d: int) -> Int[Tensor, "{d}"]:
    """The permutation between the layouts: `x[..., half_from_interleaved(d)]` turns neighbours into halves.

    Its inverse is `half_from_interleaved(d).argsort()`. Raises `ValueError` if d is not even and positive, `TypeError`
    if it is no integer.

    >>> half_from_interleaved(6)
    tensor([0, 2, 4, 1, 3, 5])
    """
    require_even(d)
    return torch.cat((torch.arange(0, d, 2), torch.arange(1, d, 2)))


def require_layout(layout: str) -> None:
    require_one_of("layout", layout, get_args(Layout))
