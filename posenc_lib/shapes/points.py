"""Points of space in place of positions: Fourier features, harmonics on the sphere, and a bias by distance.

Points are [..., n, axes], with a coordinate for each axis. Frequencies are [axes, pairs], in radians per unit, as
`axes_angles` takes them, so the same ones can rotate queries and keys.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float, Real
from torch import Tensor

from posenc_lib.border import (
    border,
    each,
    float_dtype,
    generator,
    named,
    not_negative,
    per_pair,
    places,
    satisfying,
    shaped,
    table,
    together,
    whole,
)
from posenc_lib.border.positions import require_axes, require_resolved

__all__ = ["euclidean_bias", "fourier_features", "gaussian_freqs", "octave_freqs", "spherical_harmonics"]

_FREQS = shaped(table(2), lambda shape: len(shape) == 2 and all(shape), "[axes, pairs], a row for each axis")
_RATE = satisfying(lambda x: 2**-40 <= x <= 2**40, "between 2**-40 and 2**40, in radians per unit")
_SLOPES = not_negative("the minus sign is in the formula", per_pair("h", "one per head"))
_SAME_SPACE = together(
    lambda q_points, k_points: (
        q_points.ndim > 1 < k_points.ndim
        and q_points.shape[-1] == k_points.shape[-1]
        and (q_points.shape[:-2] == k_points.shape[:-2] or 2 in (q_points.ndim, k_points.ndim))
    ),
    "both must be [n, axes] or [b, n, axes], with the same axes and samples; got {q_points} and {k_points}",
)
_SPACE = shaped(table(1), lambda shape: shape[-1] == 3, "[..., 3], with three coordinates")
_UNIT = each(
    lambda points: (points.double().square().sum(dim=-1, keepdim=True) - 1).abs().expand_as(points) < 1e-4,
    "points must lie on the unit sphere",
    "torch.nn.functional.normalize puts them there",
)


@border(
    octaves=whole(1, 40, beyond="float64 cannot tell such waves apart"),
    axes=whole(1, 2**12),
    start=_RATE,
    dtype=float_dtype,
)
def octave_freqs(
    octaves: int, axes: int, *, start: float = math.pi, dtype: torch.dtype = torch.float32
) -> Float[Tensor, "{axes} {axes}*{octaves}"]:
    r"""NeRF's frequencies: along each axis alone, each twice as high as the one before.

    $$\omega_l = 2^l\,\omega_0, \qquad l = 0, \dots, L - 1$$

    `octaves` is L; pairs come octave by octave, one for each axis. `start` is $\omega_0$: π as printed in the paper, so
    that features have the period 2; the authors' code has 1.

    Refused: more than 40 octaves.

    Source: Mildenhall et al. 2020 (arXiv:2003.08934), equation 4, with L = 10 for places and 4 for directions.

    >>> octave_freqs(2, 2, start=1.0)
    tensor([[1., 0., 2., 0.],
            [0., 1., 0., 2.]])
    """
    rates = start * 2.0 ** torch.arange(octaves, dtype=torch.float64)
    return torch.kron(rates[None], torch.eye(axes, dtype=torch.float64)).to(dtype)


@border(pairs=whole(1, 2**24), axes=whole(1, 2**12), sigma=_RATE, generator=generator, dtype=float_dtype)
def gaussian_freqs(
    pairs: int,
    axes: int,
    sigma: float,
    *,
    generator: torch.Generator | None = None,
    dtype: torch.dtype = torch.float32,
) -> Float[Tensor, "{axes} {pairs}"]:
    r"""Random frequencies, normal with mean 0 and standard deviation $\sigma$ along every axis, in radians per unit.

    $$w_{a,j} \sim N(0, \sigma^2)$$

    They are no parameter: save them with the model, for another draw is another encoding. Where a paper writes
    $\cos 2\pi b \cdot p$, its b has the standard deviation $\sigma/2\pi$. They lie on the generator's device.

    Source: Rahimi and Recht 2007 ("Random features for large-scale kernel machines"); Tancik et al. 2020
    (arXiv:2006.10739), who draw $b$.

    >>> gaussian_freqs(4, 2, 10.0, generator=torch.Generator().manual_seed(0)).shape
    torch.Size([2, 4])
    """
    device = None if generator is None else generator.device
    return (sigma * torch.randn(axes, pairs, generator=generator, device=device, dtype=torch.float64)).to(dtype)


@border(named(require_axes, "positions", "freqs"), require_resolved, positions=places, freqs=_FREQS)
def fourier_features(
    positions: Real[Tensor, "*batch n axes"], freqs: Float[Tensor, "axes pairs"]
) -> Float[Tensor, "*batch n 2*pairs"]:
    r"""Cosines, then sines, of each pair's angle at each point: a vector of length 1.

    $$\gamma(p) = \frac{1}{\sqrt D}\,(\cos w_1 \cdot p, \dots, \cos w_D \cdot p, \sin w_1 \cdot p, \dots)$$

    Angles are in float64; the result has the dtype of `freqs`, and a gradient for both. NeRF's code has no
    $1/\sqrt D$, alternates sines and cosines, and puts p itself in front.

    Refused: `freqs` that are not [axes, pairs] or not finite, and positions that do not end in as many axes.

    Source: Rahimi and Recht 2007, in the form with pairs of cosine and sine.

    >>> fourier_features(torch.tensor([[0.0], [1.0]]), octave_freqs(2, 1, start=1.0))
    tensor([[ 0.7071,  0.7071,  0.0000,  0.0000],
            [ 0.3821, -0.2943,  0.5950,  0.6430]])
    """
    angles = positions.double() @ freqs.double()
    features = torch.cat((angles.cos(), angles.sin()), dim=-1) / math.sqrt(freqs.shape[-1])
    return features.to(freqs.dtype)


@border(_UNIT, points=_SPACE, degree=whole(0, 32, beyond="they are (degree + 1)² numbers a point"))
def spherical_harmonics(
    points: Float[Tensor, "*batch 3"], degree: int
) -> Float[Tensor, "*batch {degree}*{degree}+2*{degree}+1"]:
    r"""Real spherical harmonics of a point of the unit sphere, of all degrees up to `degree`: (degree + 1)² numbers.

    $$\sum_{m=-l}^{l} Y_{lm}(p)\,Y_{lm}(q) = \frac{2l + 1}{4\pi} P_l(p \cdot q)$$

    Orthonormal on the sphere, degree by degree, m from -l to l, without the sign $(-1)^m$ of physics. They are
    polynomials in the coordinates, so poles are points like others. Computed in float64, in the dtype of `points`.

    Refused: points off the unit sphere, and degrees above 32.

    Source: Rußwurm et al. 2024 (arXiv:2310.06743), for places on Earth; the recurrence is that of Legendre's functions.

    >>> spherical_harmonics(torch.tensor([0.0, 0.0, 1.0]), 1)
    tensor([0.2821, 0.0000, 0.4886, 0.0000])
    """
    x, y, z = points.double().unbind(dim=-1)
    rows: list[list[Tensor]] = [[torch.zeros_like(z)] * (2 * l + 1) for l in range(degree + 1)]
    cosine, sine, top = torch.ones_like(z), torch.zeros_like(z), torch.ones_like(z)  # of m times the longitude
    for m in range(degree + 1):
        before, legendre = torch.zeros_like(z), top
        for l in range(m, degree + 1):
            size = (2 if m else 1) * (2 * l + 1) / (4 * math.pi) * math.factorial(l - m) / math.factorial(l + m)
            rows[l][l - m], rows[l][l + m] = (math.sqrt(size) * legendre * wave for wave in (sine, cosine))
            before, legendre = legendre, ((2 * l + 1) * z * legendre - (l + m) * before) / (l - m + 1)
        cosine, sine, top = x * cosine - y * sine, y * cosine + x * sine, (2 * m + 1) * top
    return torch.stack([each for row in rows for each in row], dim=-1).to(points.dtype)


@border(_SAME_SPACE, q_points=places, k_points=places, slopes=_SLOPES)
def euclidean_bias(
    q_points: Real[Tensor, "*q_batch n_q axes"],
    k_points: Real[Tensor, "*k_batch n_k axes"],
    slopes: Float[Tensor, " h"],
) -> Float[Tensor, "*batch h n_q n_k"]:
    r"""ALiBi in space: the score falls with the Euclidean distance, at each head's own slope.

    $$B_{mn} = -s\,\lVert p_m - p_n \rVert$$

    Points are [n, axes], or [b, n, axes] where each sample has its own. The result has the slopes' dtype.

    Refused: slopes that are negative or not finite, and queries and keys of other spaces.

    Source: Fuller et al. 2023 (arXiv:2311.00566), 2D-ALiBi; `get_2dalibi` in the authors' repository.

    >>> euclidean_bias(torch.tensor([[0, 0]]), torch.tensor([[0, 2], [3, 4]]), torch.tensor([0.5]))
    tensor([[[-1.0000, -2.5000]]])
    """
    steps = q_points.double()[..., :, None, :] - k_points.double()[..., None, :, :]
    return (-slopes.double()[:, None, None] * steps.norm(dim=-1).unsqueeze(-3)).to(slopes.dtype)
