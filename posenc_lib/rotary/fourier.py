"""FoPE: each pair gets a sum of several waves, and pairs that make no full turn in training stand still."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from posenc_lib.border.precision import full_precision
from posenc_lib.inputs import WIDE, require_finite_values, require_freqs, require_whole, require_wide
from posenc_lib.rotary.fused import cos_sin


def full_turns_only(freqs: Float[Tensor, " pairs"], trained_length: int) -> Float[Tensor, " pairs"]:
    r"""The frequencies with which a pair makes a full turn in training, and 0 for the others: FoPE's first change.

    $$\theta_i \text{ if } |\theta_i| \ge 2\pi/L, \qquad 0 \text{ otherwise}$$

    Radians per position; L is the trained length in tokens. A pair with frequency 0 stands still.

    Raises `ValueError` if `freqs` is not [d/2] or not finite, or if the length is below 1; `TypeError` if `freqs`
    is not float32 or float64, or the length is no integer.

    Source: Hua et al. 2024 (arXiv:2412.17739).

    >>> full_turns_only(torch.tensor([1.0, 0.1, 0.01]), 512)
    tensor([1.0000, 0.1000, 0.0000])
    """
    require_freqs(freqs)
    require_whole(least=1, trained_length=trained_length)
    return torch.where(freqs.abs() < 2 * math.pi / trained_length, torch.zeros_like(freqs), freqs)


def fourier_cos_sin(
    angles: Float[Tensor, "*positions pairs"],
    cos_mix: Float[Tensor, "*h pairs pairs"],
    sin_mix: Float[Tensor, "*h pairs pairs"],
    dtype: torch.dtype = torch.float32,
) -> Float[Tensor, "2 *rows pairs"]:
    r"""Sums of several waves in the place of each cosine and sine, for `apply_rotary`: FoPE's second change.

    $$\cos\varphi_j \to \sum_i C_{ij} \cos\varphi_i, \qquad \sin\varphi_j \to \sum_i S_{ij} \sin\varphi_i$$

    C is `cos_mix` and S is `sin_mix`; with the identity for both it is RoPE. One pair of matrices for each head,
    [h, d/2, d/2], gives tables for each head; positions of their own for each sample then have an axis for the heads.
    Where scores shall be relative there is no other choice but one wave a pair: then use `Rotary`.

    Raises `ValueError` if the angles or matrices are not finite, if the matrices are not [d/2, d/2] or [h, d/2, d/2],
    both alike, or if matrices for each head are given and the angles have no axis of length 1 for the heads;
    `TypeError` if they are not float32 or float64, or if the dtype is neither.

    Source: Hua et al. 2024 (arXiv:2412.17739) and the authors' `olmo/model.py`, whose matrices are not learned.

    >>> mix = torch.tensor([[1.0, 0.5], [0.0, 1.0]])
    >>> fourier_cos_sin(torch.tensor([[0.0, torch.pi]]), mix, mix)[0]
    tensor([[ 1.0000, -0.5000]])
    """
    waves = cos_sin(angles, torch.float64)
    if dtype not in WIDE:
        raise TypeError(f"apply_rotary takes cosines and sines in float32 or float64; got {dtype}")
    mixes = {"cos_mix": cos_mix, "sin_mix": sin_mix}
    for name, mix in mixes.items():
        _require_mix(name, mix, angles)
    if cos_mix.shape != sin_mix.shape:
        raise ValueError(f"cos_mix and sin_mix must be alike; got {[*cos_mix.shape]} and {[*sin_mix.shape]}")
    with full_precision(waves):
        return torch.stack([wave @ mix.double() for wave, mix in zip(waves, mixes.values(), strict=True)]).to(dtype)


def _require_mix(name: str, mix: Tensor, angles: Tensor) -> None:
    require_wide(**{name: mix})
    pairs = angles.shape[-1]
    if mix.ndim not in (2, 3) or mix.shape[-2:] != (pairs, pairs):
        raise ValueError(f"{name} must be [d/2, d/2] or [h, d/2, d/2], with d/2 = {pairs}; got {list(mix.shape)}")
    # Angles of samples would be paired with the matrices of heads where b = h.
    if mix.ndim == 3 and angles.ndim > 2 and angles.shape[-3] != 1:
        raise ValueError(f"with matrices for each head the angles must be [..., 1, n, d/2]; got {list(angles.shape)}")
    require_finite_values(**{name: mix})
