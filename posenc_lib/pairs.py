"""Features come in pairs, and each pair has a frequency: what the sinusoidal and the rotary encoding share.

Frequencies, then angles, then what is done with the angles: three steps, three functions. A method that
extends the context (interpolation, NTK, YaRN) is a function from frequencies to frequencies.
"""

from __future__ import annotations

from typing import Literal

import torch
from jaxtyping import Float, Int, Real
from torch import Tensor

from posenc_lib.border import base, border, device, even, float_dtype, one_of, places, shaped, tensor, together, wide
from posenc_lib.border.positions import require_resolved

Layout = Literal["interleaved", "half"]
"""Which two features form a pair: neighbours (`interleaved`: RoFormer, GPT-J) or features that stand
d/2 apart (`half`: GPT-NeoX, Llama in Hugging Face)."""


BASE = 10_000.0
"""The base of both papers."""

_ROW = shaped(wide(), lambda shape: len(shape) == 1, "[d/2], one per pair of features")
_BOTH = together(
    lambda first, second: first.shape == second.shape,
    "each pair needs both features; got first {first} and second {second}",
)


@border(d=even, base=base, dtype=float_dtype, device=device)
def geometric_freqs(
    d: int, base: float = BASE, *, dtype: torch.dtype = torch.float64, device: torch.device | str | None = None
) -> Float[Tensor, "{d}//2"]:
    r"""One angular frequency for each pair of features, falling geometrically from 1 towards 1/base.

    $$\theta_i = \text{base}^{-2i/d}, \qquad i = 0, \dots, d/2 - 1$$

    The unit is radians per position. The wavelengths $2\pi/\theta_i$ run from $2\pi$ to
    $2\pi\,\text{base}^{(d-2)/d}$, not quite to $2\pi\,\text{base}$.

    Refused: a d that is not even and positive, and a base that is not positive and finite.

    Source: Vaswani et al. 2017 (arXiv:1706.03762), section 3.5; Su et al. 2021 (arXiv:2104.09864), section 3.2.2.

    >>> geometric_freqs(8)
    tensor([1.0000, 0.1000, 0.0100, 0.0010], dtype=torch.float64)
    """
    exponents = torch.arange(0, d, 2, dtype=torch.float64, device=device) / d
    return torch.pow(base, -exponents).to(dtype)


@border(require_resolved, positions=places, freqs=_ROW)
def position_angles(
    positions: Real[Tensor, "*batch n"], freqs: Float[Tensor, " pairs"]
) -> Float[Tensor, "*batch n pairs"]:
    r"""The angle of every pair at every position, in radians: $m\,\theta_i$.

    Computed in float64; the result has the dtype of `freqs`. Positions are integers of either sign; float32 and float64
    are taken too (pixels, irregular times). Half precision is refused: bfloat16 cannot tell position 256 from 257. So
    are positions beyond 2**40, since an angle is rounded by 1e-16 of itself, which is 1e-4 there, and, with frequencies
    in float32, positions beyond 2**24, where the rounding is a radian.

    Refused: other dtypes, and positions that are not finite or too far (an assertion when compiled or on an
    accelerator, where nothing waits for it).

    >>> position_angles(torch.tensor([0, 1, 2]), geometric_freqs(4))
    tensor([[0.0000, 0.0000],
            [1.0000, 0.0100],
            [2.0000, 0.0200]], dtype=torch.float64)
    """
    return (positions.double()[..., None] * freqs.double()).to(freqs.dtype)


@border(x=tensor(1), layout=one_of(Layout))
def split_pairs(
    x: Real[Tensor, "*batch d"], layout: Layout
) -> tuple[Real[Tensor, "*batch d//2"], Real[Tensor, "*batch d//2"]]:
    """The first and the second feature of every pair, as views of x.

    Refused: an odd number of features, or none.

    >>> split_pairs(torch.tensor([0, 1, 2, 3]), "interleaved")
    (tensor([0, 2]), tensor([1, 3]))
    >>> split_pairs(torch.tensor([0, 1, 2, 3]), "half")
    (tensor([0, 1]), tensor([2, 3]))
    """
    even("their number", x.shape[-1])
    if layout == "interleaved":
        return x[..., 0::2], x[..., 1::2]
    first, second = x.chunk(2, dim=-1)
    return first, second


@border(_BOTH, first=tensor(1), second=tensor(1), layout=one_of(Layout))
def join_pairs(
    first: Real[Tensor, "*batch pairs"], second: Real[Tensor, "*batch pairs"], layout: Layout
) -> Real[Tensor, "*batch 2*pairs"]:
    """The inverse of `split_pairs`.

    Refused: two tensors of different shapes.

    >>> join_pairs(torch.tensor([0, 2]), torch.tensor([1, 3]), "interleaved")
    tensor([0, 1, 2, 3])
    """
    if layout == "interleaved":
        return torch.stack((first, second), dim=-1).flatten(-2)
    return torch.cat((first, second), dim=-1)


@border(d=even)
def half_from_interleaved(d: int) -> Int[Tensor, "{d}"]:
    """The permutation between the layouts: `x[..., half_from_interleaved(d)]` turns neighbours into halves.

    Its inverse is `half_from_interleaved(d).argsort()`.

    >>> half_from_interleaved(6)
    tensor([0, 2, 4, 1, 3, 5])
    """
    return torch.cat((torch.arange(0, d, 2), torch.arange(1, d, 2)))


def described(freqs: Float[Tensor, " pairs"]) -> str:
    """Frequencies in a few words, for a module's repr: their base where they are geometric, else both ends.

    >>> described(geometric_freqs(64))
    'd=64, base=10000'
    """
    d = 2 * len(freqs)
    if freqs.is_meta or len(freqs) < 2:
        return f"d={d}"
    base = (freqs[0] / freqs[1]).item() ** (d / 2) if freqs[1] else float("inf")
    if base < float("inf") and torch.allclose(freqs, geometric_freqs(d, base).to(freqs), rtol=1e-6, atol=0):
        return f"d={d}, base={base:.6g}"
    return f"d={d}, freqs={freqs[0].item():.4g} … {freqs[-1].item():.4g}"
