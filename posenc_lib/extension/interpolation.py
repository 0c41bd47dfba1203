"""Position interpolation: the longer text is squeezed into the positions that training has seen."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from posenc_lib.border import border, factor, freqs, whole
from posenc_lib.border.positions import MAX_TOKEN
from posenc_lib.border.values import require_values

length_with_logarithm = whole(2, MAX_TOKEN, why="its logarithm divides")

__all__ = ["interpolate"]


def two_or_more(name: str, x: Any) -> Tensor:
    """The rule of frequencies that have a first and a last one."""
    if len(freqs(name, x)) < 2:
        raise ValueError(f"{name} must hold at least two, a first and a last one; got {len(x)}")
    return x


@border(freqs=freqs, factor=factor)
def interpolate(freqs: Float[Tensor, " pairs"], factor: float) -> Float[Tensor, " pairs"]:
    r"""Every frequency divided by the factor: position m then has the angles that m / factor had.

    $$\theta_i \mapsto \frac{\theta_i}{s}, \qquad \text{since} \quad \frac{m}{s}\,\theta_i = m\,\frac{\theta_i}{s}$$

    For a model trained on L positions and a text of n > L, s = n / L. Frequencies are in radians per position; pass the
    result to `Rotary`. A model needs some further training with these frequencies.

    Refused: a factor so small that a frequency overflows.

    Source: Chen et al. 2023 (arXiv:2306.15595), section 2.3.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> interpolate(geometric_freqs(4), 4.0)
    tensor([0.2500, 0.0025], dtype=torch.float64)
    """
    return finite_freqs(freqs / factor, factor)


def finite_freqs(freqs: Tensor, factor: float | Tensor) -> Tensor:
    """The frequencies that a factor has made, refused where it was so small that they overflow."""
    rule = "a factor is so small that a frequency overflows"
    said = lambda bad: f"{rule}; got {torch.as_tensor(factor, dtype=torch.float64).min():.3g}"  # noqa: E731
    require_values(freqs.isfinite(), rule, said, wait=True)
    return freqs
