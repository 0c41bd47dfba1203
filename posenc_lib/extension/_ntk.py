"""Another base: the slowest pair is interpolated in full, the fastest one not at all, the others in between."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from posenc_lib.extension.interpolation import finite_freqs, require_factor
from posenc_lib.inputs import require_freqs, require_number, require_tensor, require_whole


def ntk(freqs: Float[Tensor, " pairs"], factor: float) -> Float[Tensor, " pairs"]:
    r"""Each frequency divided by a power of the factor s that grows from 0 at the first pair to 1 at the last.

    $$\theta_i \mapsto \theta_i\, s^{-i/(d/2-1)}, \qquad i = 0, \dots, d/2 - 1$$

    For geometric frequencies this is a larger base, $b' = b\,s^{d/(d-2)}$: the one that divides the last frequency
    by s. Frequencies are in radians per position, from the fastest to the slowest; pass the result to `Rotary`.

    Raises `ValueError` if the factor is not positive and finite, for fewer than two frequencies, where first and last
    are the same, or if `freqs` is not [d/2] or not finite; `TypeError` if `freqs` is not float32 or float64, or the
    factor is no number.

    Source: "NTK-aware scaled RoPE", bloc97 on Reddit, 2023; Peng et al. 2023 (arXiv:2309.00071), section 3.1.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> ntk(geometric_freqs(6, 100.0), 4.0)
    tensor([1.0000, 0.1077, 0.0116], dtype=torch.float64)
    """
    require_factor(factor)
    require_tensor(axes=1, freqs=freqs)
    if len(freqs) < 2:
        raise ValueError(f"ntk needs two frequencies at least, a first and a last one; got {len(freqs)}")
    require_freqs(freqs)
    powers = torch.linspace(0, 1, len(freqs), dtype=freqs.dtype, device=freqs.device)
    return finite_freqs(freqs * factor**-powers, factor)


def dynamic_ntk(freqs: Float[Tensor, " pairs"], factor: float, n: int, trained_length: int) -> Float[Tensor, " pairs"]:
    r"""`ntk` with a factor that grows with the text: none up to the trained length L, and then

    $$s_n = s\,\frac{n}{L} - (s - 1)$$

    n is the length of the whole text, cache included. Keys that were rotated for a shorter text do not fit
    queries rotated for a longer one: keep keys unrotated in the cache, and rotate all of them at each step.

    Raises `ValueError` if a length is not positive, if the factor is below 1 or not finite, for fewer than two
    frequencies, or if `freqs` is not [d/2] or not finite; `TypeError` if `freqs` is not float32 or float64, a length is
    no integer, or the factor is no number.

    Source: emozilla on Reddit, 2023; transformers, `rope_type: "dynamic"`.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> dynamic_ntk(geometric_freqs(4, 100.0), 2.0, 12, 8)
    tensor([1.0000, 0.0500], dtype=torch.float64)
    """
    require_whole(n=n, trained_length=trained_length)
    require_number(**{"the factor": factor})
    if n < 1 or trained_length < 1:
        raise ValueError(f"lengths must be positive; got n = {n} and trained_length = {trained_length}")
    if not factor >= 1:
        raise ValueError(f"the factor must be at least 1, or frequencies would grow with the text; got {factor}")
    return ntk(freqs, factor * max(n / trained_length, 1.0) - (factor - 1))
