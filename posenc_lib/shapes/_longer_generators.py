"""Longer videos and larger images than trained: frequencies of one axis made from those of the training."""

from __future__ import annotations

from math import log, pi

import torch
from jaxtyping import Float
from torch import Tensor

from posenc_lib.border import border, length, not_negative, satisfying, together, whole
from posenc_lib.border.numbers import bounded
from posenc_lib.extension import ntk
from posenc_lib.extension.interpolation import two_or_more

__all__ = ["dype_freqs", "riflex_freqs"]

_LARGER = satisfying(lambda x: x >= 1 and bounded(x), "at least 1: the new size over the trained one")
_SHARE = satisfying(lambda x: 0 < x <= 1, "above 0 and at most 1, a share of a full turn")
_NOISE = satisfying(lambda x: 0 <= x <= 1, "between 0, the finished image, and 1, pure noise")
_STRENGTH = satisfying(lambda x: x >= 0 and bounded(x), "at least 0 and finite")
_IN_RANGE = together(
    lambda factor, strength: strength * log(factor) < 700, "factor ** strength overflows; got {factor} ** {strength}"
)
_A_PAIR = together(lambda freqs, pair: pair < len(freqs), "pairs are counted from 0; got pair {pair} of {freqs}")


@border(_A_PAIR, freqs=not_negative("the slowest pair does not turn at all"), pair=whole(0), n=length, share=_SHARE)
def riflex_freqs(freqs: Float[Tensor, " pairs"], pair: int, n: int, *, share: float = 1.0) -> Float[Tensor, " pairs"]:
    r"""One frequency lowered, so that its pair makes at most c turns (`share`) in a video of n frames.

    $$\theta_i \mapsto \min(\theta_i,\; 2\pi c/n)$$

    For the time axis alone, and before positions are multiplied. Frames are latent ones: 4 k + 1 frames of the video
    are k + 1 of them in HunyuanVideo and Wan. Pairs are counted from 0, so this is the paper's pair k = i + 1. The
    authors' page has c = 1, their code 0.9. There nothing takes the minimum: on a video of less than c times the pair's
    period their function raises the frequency, and callers must not call it.

    Refused: a pair that is not there, and a share above 1.

    Source: Zhao et al. 2025 (arXiv:2502.15894), equation 8; thu-ml/RIFLEx, `riflex_utils.py`.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> freqs = geometric_freqs(16, 256.0)
    >>> (2 * torch.pi / riflex_freqs(freqs, 3, 66)[2:5]).round(decimals=1)
    tensor([ 25.1000,  66.0000, 100.5000], dtype=torch.float64)
    """
    lowered = freqs.clamp(max=2 * pi * share / n)
    return torch.where(torch.arange(len(freqs), device=freqs.device) == pair, lowered, freqs)


@border(_IN_RANGE, freqs=two_or_more, factor=_LARGER, noise=_NOISE, strength=_STRENGTH, power=_STRENGTH)
def dype_freqs(
    freqs: Float[Tensor, " pairs"], factor: float, noise: float, *, strength: float = 2.0, power: float = 2.0
) -> Float[Tensor, " pairs"]:
    r"""`ntk` with a factor that falls with the noise, from the first step of denoising to the last.

    $$\theta_i \mapsto \theta_i\, s_t^{-i/(d/2-1)}, \qquad s_t = s^{\,\kappa(t)}, \quad \kappa(t) = \lambda\, t^p$$

    The noise t goes from 1 to 0, so $s_t$ goes from $s^2$ to 1 with the defaults λ = p = 2. Given the frequencies of
    one axis, and s, the size along this axis over the trained one.

    Refused: a factor below 1, or one that overflows, a noise outside of 0 … 1, and fewer than two frequencies.

    Source: Issachar et al. 2025 (arXiv:2510.20766); guyyariv/DyPE, `flux/transformer_flux.py`, `method="ntk"`.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> [round(dype_freqs(geometric_freqs(4, 100.0), 2.0, t)[-1].item(), 4) for t in (1.0, 0.5, 0.0)]
    [0.025, 0.0707, 0.1]
    """
    return ntk(freqs, factor ** (strength * noise**power))
