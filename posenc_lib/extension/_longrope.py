"""LongRoPE, a factor for each pair, found by a search; and Resonance RoPE, wavelengths of whole numbers of tokens."""

from __future__ import annotations

from math import log, pi, sqrt
from typing import Any

from jaxtyping import Float
from torch import Tensor

from posenc_lib.border import border, factor, freqs, named
from posenc_lib.border.tensors import require_alike
from posenc_lib.border.values import require_all
from posenc_lib.extension.interpolation import finite_freqs, length_with_logarithm


def _positive_factors(name: str, x: Any) -> Tensor:
    """The rule of factors, one for each pair."""
    require_all(x, freqs(name, x) > 0, f"{name} must be positive", wait=True)
    return x


@border(named(require_alike, "freqs", "factors"), freqs=freqs, factors=_positive_factors)
def longrope(freqs: Float[Tensor, " pairs"], factors: Float[Tensor, " pairs"]) -> Float[Tensor, " pairs"]:
    r"""Each frequency divided by a factor of its own.

    $$\theta_i \mapsto \frac{\theta_i}{\lambda_i}$$

    A released model has two lists of factors: the long list for a text of more tokens than the model was first trained
    on, the short one for any other. All queries and keys of a text must use the same list. Frequencies are in radians
    per position; pass the result to `Rotary`.

    Refused: unequal numbers of factors and frequencies, and a factor that is not positive or so small that a frequency
    overflows.

    Source: Ding et al. 2024 (arXiv:2402.13753), section 3; transformers, `rope_type: "longrope"`.

    >>> import torch
    >>> from posenc_lib.pairs import geometric_freqs
    >>> longrope(geometric_freqs(4), torch.tensor([1.0, 4.0], dtype=torch.float64))
    tensor([1.0000, 0.0025], dtype=torch.float64)
    """
    return finite_freqs((freqs.double() / factors.double()).to(freqs.dtype), factors)


@border(factor=factor, trained_length=length_with_logarithm)
def longrope_temperature(factor: float, trained_length: int) -> float:
    r"""The number by which LongRoPE multiplies cosines and sines, and so queries and keys; scores get its square.

    $$a = \sqrt{1 + \frac{\ln s}{\ln L}}, \qquad\text{so}\qquad a^2 = \frac{\ln(sL)}{\ln L}$$

    s is the ratio of the longest length to the trained length L; up to s = 1 the result is 1.

    Refused: a trained length below 2.

    Source: microsoft/LongRoPE, `_calc_mscale_su`; transformers, `rope_type: "longrope"`.

    >>> round(longrope_temperature(32.0, 4_096), 4)
    1.1902
    """
    return sqrt(1 + max(log(factor), 0.0) / log(trained_length))


@border(freqs=freqs)
def resonant(freqs: Float[Tensor, " pairs"]) -> Float[Tensor, " pairs"]:
    r"""Each frequency moved so that its wavelength is a whole number of tokens, after which its angles repeat.

    $$\theta_i \mapsto \frac{2\pi}{\operatorname{round}(2\pi/\theta_i)}$$

    Halves are rounded to even, as torch does. A frequency of 0 stays 0.

    Refused: a wavelength below half a token, which rounds to 0.

    Source: Wang et al. 2024, Resonance RoPE (arXiv:2403.00071), section 4; sheryc/resonance_rope.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> [round(2 * pi / theta, 9) for theta in resonant(geometric_freqs(4)).tolist()]
    [6.0, 628.0]
    """
    wavelengths = (2 * pi / freqs.double()).round()
    require_all(
        freqs,
        wavelengths != 0,
        "a frequency must have a wavelength of at least half a token, or that rounds to 0",
        wait=True,
    )
    return (2 * pi / wavelengths).to(freqs.dtype)
