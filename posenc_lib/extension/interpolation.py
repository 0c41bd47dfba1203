"""Position interpolation: the longer text is squeezed into the positions that training has seen."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from posenc_lib.inputs import require_freqs, require_number, require_values

__all__ = ["interpolate"]


def interpolate(freqs: Float[Tensor, " pairs"], factor: float) -> Float[Tensor, " pairs"]:
    r"""Every frequency divided by the factor: position m then has the angles that m / factor had.

    $$\theta_i \mapsto \frac{\theta_i}{s}, \qquad \text{since} \quad \frac{m}{s}\,\theta_i = m\,\frac{\theta_i}{s}$$

    For a model trained on L positions and a text of n > L, s = n / L. Frequencies are in radians per position; pass
    the result to `Rotary`. A model needs some further training with it.

    Raises `ValueError` if the factor is not positive and finite, or so small that a frequency overflows, or if `freqs`
    is not [d/2] or not finite; `TypeError` if `freqs` is not float32 or float64, or the factor is no number.

    Source: Chen et al. 2023 (arXiv:2306.15595), section 2.3.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> interpolate(geometric_freqs(4), 4.0)
    tensor([0.2500, 0.0025], dtype=torch.float64)
    """
    require_factor(factor)
    require_freqs(freqs)
    return finite_freqs(freqs / factor, factor)


def finite_freqs(freqs: Tensor, factor: float) -> Tensor:
    rule = "the factor is so small that a frequency overflows"
    require_values(freqs.isfinite(), rule, lambda bad: f"{rule}; got {factor}", wait=True)
    return freqs


def require_factor(factor: float) -> None:
    require_number(**{"the factor": factor})
    if not 0 < factor < float("inf"):
        raise ValueError(f"the factor must be positive and finite: the new length over the trained one; got {factor}")
