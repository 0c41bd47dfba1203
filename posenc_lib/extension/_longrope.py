"""LongRoPE: a factor for each pair, found by a search. Beside it wavelengths that are whole numbers of tokens."""

from __future__ import annotations

from math import log, pi, sqrt

from jaxtyping import Float
from torch import Tensor

from posenc_lib.extension.interpolation import require_factor
from posenc_lib.inputs import require_freqs, require_values, require_whole, require_wide


def longrope(freqs: Float[Tensor, " pairs"], factors: Float[Tensor, " pairs"]) -> Float[Tensor, " pairs"]:
    r"""Each frequency divided by a factor of its own.

    $$\theta_i \mapsto \frac{\theta_i}{\lambda_i}$$

    A released model has two lists of factors: the long one for a text of more tokens than the model was trained on at
    first, the short one for any other. All keys and queries of a text must have the same list. Frequencies are in
    radians per position; pass the result to `Rotary`.

    Raises `ValueError` if `freqs` is not [d/2] or not finite, if there is not one factor per pair, or if a factor is
    not positive and finite, or so small that a frequency overflows; `TypeError` if they are not float32 or float64.

    Source: Ding et al. 2024 (arXiv:2402.13753), section 3; transformers, `rope_type: "longrope"`.

    >>> import torch
    >>> from posenc_lib.pairs import geometric_freqs
    >>> longrope(geometric_freqs(4), torch.tensor([1.0, 4.0], dtype=torch.float64))
    tensor([1.0000, 0.0025], dtype=torch.float64)
    """
    require_freqs(freqs)
    require_wide(factors=factors)
    if factors.shape != freqs.shape:
        raise ValueError(f"each of the {len(freqs)} pairs needs its factor; got factors {list(factors.shape)}")
    rule = "factors must be positive and finite"
    good = (factors > 0) & factors.isfinite()
    require_values(good, rule, lambda bad: f"{rule}; got {factors[bad][0].item()}", wait=True)
    slowed = (freqs.double() / factors.double()).to(freqs.dtype)
    rule = "a factor is so small that a frequency overflows"
    require_values(slowed.isfinite(), rule, lambda bad: f"{rule}; got {factors[bad][0].item()}", wait=True)
    return slowed


def longrope_temperature(factor: float, trained_length: int) -> float:
    r"""The number by which LongRoPE multiplies cosines and sines, so queries and keys: scores get its square.

    $$a = \sqrt{1 + \frac{\ln s}{\ln L}}, \qquad\text{so}\qquad a^2 = \frac{\ln(sL)}{\ln L}$$

    s is the longest length over the trained length L; up to s = 1 the result is 1.

    Raises `ValueError` if the factor is not positive and finite, or if the trained length is below 2; `TypeError` if
    the factor is no number, or the trained length no integer.

    Source: microsoft/LongRoPE, `_calc_mscale_su`; transformers, `rope_type: "longrope"`.

    >>> round(longrope_temperature(32.0, 4_096), 4)
    1.1902
    """
    require_factor(factor)
    require_whole(trained_length=trained_length)
    if trained_length < 2:
        raise ValueError(
            f"trained_length must be at least 2: the temperature divides by its logarithm; got {trained_length}"
        )
    return sqrt(1 + max(log(factor), 0.0) / log(trained_length))


def resonant(freqs: Float[Tensor, " pairs"]) -> Float[Tensor, " pairs"]:
    r"""Each frequency moved so that its wavelength is a whole number of tokens, after which all angles come back.

    $$\theta_i \mapsto \frac{2\pi}{\operatorname{round}(2\pi/\theta_i)}$$

    Halves are rounded to even, as torch does. A frequency of 0 stays 0.

    Raises `ValueError` if a wavelength rounds to 0, which it does below half a token, or if `freqs` is not [d/2] or
    not finite; `TypeError` if `freqs` is not float32 or float64.

    Source: Wang et al. 2024, Resonance RoPE (arXiv:2403.00071), section 4; sheryc/resonance_rope.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> [round(2 * pi / theta, 9) for theta in resonant(geometric_freqs(4)).tolist()]
    [6.0, 628.0]
    """
    require_freqs(freqs)
    wavelengths = (2 * pi / freqs.double()).round()
    rule = "a wavelength below half a token rounds to 0"
    require_values(wavelengths != 0, rule, lambda bad: f"{rule}; got the frequency {freqs[bad][0].item()}", wait=True)
    return (2 * pi / wavelengths).to(freqs.dtype)
