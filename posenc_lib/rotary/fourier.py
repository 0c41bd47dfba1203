"""FoPE: each pair gets a sum of several waves, and pairs that make no full turn in training stand still."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from posenc_lib.border import border, freqs, length, table, together, wide, wide_dtype
from posenc_lib.border.precision import full_precision
from posenc_lib.rotary.fused import cos_sin


@border(freqs=freqs, trained_length=length)
def full_turns_only(freqs: Float[Tensor, " pairs"], trained_length: int) -> Float[Tensor, " pairs"]:
    r"""The frequencies with which a pair makes a full turn in training, and 0 for the others: FoPE's first change.

    $$\theta_i \text{ if } |\theta_i| \ge 2\pi/L, \qquad 0 \text{ otherwise}$$

    Frequencies are in radians per position; L is the trained length in tokens. A pair with frequency 0 stands still.

    Source: Hua et al. 2024 (arXiv:2412.17739).

    >>> full_turns_only(torch.tensor([1.0, 0.1, 0.01]), 512)
    tensor([1.0000, 0.1000, 0.0000])
    """
    return torch.where(freqs.abs() < 2 * math.pi / trained_length, torch.zeros_like(freqs), freqs)


_GOT = "got angles {angles}, cos_mix {cos_mix}, sin_mix {sin_mix}"
_ALIKE = together(
    lambda angles, cos_mix, sin_mix: (
        cos_mix.shape == sin_mix.shape and cos_mix.ndim < 4 and cos_mix.shape[-2:] == angles.shape[-1:] * 2
    ),
    f"cos_mix and sin_mix must have one shape, [d/2, d/2] or [h, d/2, d/2]; {_GOT}",
)
# Angles of samples would be paired with the matrices of heads where b = h.
_FOR_ALL_HEADS = together(
    lambda angles, cos_mix, sin_mix: cos_mix.ndim < 3 or angles.ndim < 3 or angles.shape[-3] == 1,
    f"with matrices for each head the angles must be [..., 1, n, d/2]; {_GOT}",
)


@border(_ALIKE, _FOR_ALL_HEADS, angles=wide(1), cos_mix=table(2), sin_mix=table(2), dtype=wide_dtype)
def fourier_cos_sin(
    angles: Float[Tensor, "*positions pairs"],
    cos_mix: Float[Tensor, "*h pairs pairs"],
    sin_mix: Float[Tensor, "*h pairs pairs"],
    dtype: torch.dtype = torch.float32,
) -> Float[Tensor, "2 *rows pairs"]:
    r"""Sums of several waves in place of each cosine and sine, for `apply_rotary`: FoPE's second change.

    $$\cos\varphi_j \to \sum_i C_{ij} \cos\varphi_i, \qquad \sin\varphi_j \to \sum_i S_{ij} \sin\varphi_i$$

    C is `cos_mix` and S is `sin_mix`; with the identity for both it is RoPE. One pair of matrices for each head, [h,
    d/2, d/2], gives tables for each head; positions that differ between samples then need an axis for the heads. Scores
    that must be relative need one wave for each pair: use `Rotary`.

    Refused: matrices that do not have a row and a column for each of the angles' pairs, or differ in shape; matrices
    for each head where the angles lack an axis of length 1 for the heads; and values that are not finite.

    Source: Hua et al. 2024 (arXiv:2412.17739) and the authors' `olmo/model.py`, whose matrices are not learned.

    >>> mix = torch.tensor([[1.0, 0.5], [0.0, 1.0]])
    >>> fourier_cos_sin(torch.tensor([[0.0, torch.pi]]), mix, mix)[0]
    tensor([[ 1.0000, -0.5000]])
    """
    cos, sin = cos_sin(angles, torch.float64)
    with full_precision(angles):
        return torch.stack((cos @ cos_mix.double(), sin @ sin_mix.double())).to(dtype)
