"""Another base: the slowest pair is interpolated in full, the fastest one not at all, the others in between."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from posenc_lib.border import border, factor, length, satisfying
from posenc_lib.border.numbers import bounded
from posenc_lib.extension.interpolation import finite_freqs, two_or_more

_GROWING = satisfying(lambda x: x >= 1 and bounded(x), "at least 1, or frequencies would grow with the text")


@border(freqs=two_or_more, factor=factor)
def ntk(freqs: Float[Tensor, " pairs"], factor: float) -> Float[Tensor, " pairs"]:
    r"""Each frequency divided by a power of the factor s; the exponent grows from 0 at the first pair to 1 at the last.

    $$\theta_i \mapsto \theta_i\, s^{-i/(d/2-1)}, \qquad i = 0, \dots, d/2 - 1$$

    For geometric frequencies this is a larger base, $b' = b\,s^{d/(d-2)}$: the one that divides the last frequency
    by s. Frequencies are in radians per position, from the fastest to the slowest; pass the result to `Rotary`.

    Refused: fewer than two frequencies, of which the first would be the last, and a factor so small that one overflows.

    Source: "NTK-aware scaled RoPE", bloc97 on Reddit, 2023; Peng et al. 2023 (arXiv:2309.00071), section 3.1.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> ntk(geometric_freqs(6, 100.0), 4.0)
    tensor([1.0000, 0.1077, 0.0116], dtype=torch.float64)
    """
    powers = torch.linspace(0, 1, len(freqs), dtype=freqs.dtype, device=freqs.device)
    return finite_freqs(freqs * factor**-powers, factor)


@border(freqs=two_or_more, factor=_GROWING, n=length, trained_length=length)
def dynamic_ntk(freqs: Float[Tensor, " pairs"], factor: float, n: int, trained_length: int) -> Float[Tensor, " pairs"]:
    r"""`ntk` with a factor that grows with the text: 1 up to the trained length L, and then

    $$s_n = s\,\frac{n}{L} - (s - 1)$$

    n is the length of the whole text, including the cache. Keys that were rotated for a shorter text do not fit queries
    rotated for a longer one: keep the keys unrotated in the cache, and rotate all of them at each step.

    Refused: a factor below 1, and fewer than two frequencies.

    Source: emozilla on Reddit, 2023; transformers, `rope_type: "dynamic"`.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> dynamic_ntk(geometric_freqs(4, 100.0), 2.0, 12, 8)
    tensor([1.0000, 0.0500], dtype=torch.float64)
    """
    return ntk(freqs, factor * max(n / trained_length, 1.0) - (factor - 1))
