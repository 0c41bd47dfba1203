"""Rotation of a part of the pairs, with the frequencies that they have when all are rotated: p-RoPE.

`PartialRotary` is the older way: it rotates the first features, and counts its exponents in these alone.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from posenc_lib.inputs import require_even, require_number
from posenc_lib.pairs import geometric_freqs


def proportional_freqs(
    d: int,
    base: float = 10_000.0,
    *,
    fraction: float = 1.0,
    dtype: torch.dtype = torch.float64,
    device: torch.device | str | None = None,
) -> Float[Tensor, "{d}//2"]:
    r"""The frequencies of a whole head, of which the slowest are replaced by 0: these pairs are not rotated.

    $$\theta_i = \text{base}^{-2i/d} \text{ for } i < \lfloor p\,d/2 \rfloor, \qquad \theta_i = 0 \text{ beyond}$$

    p is `fraction`: 1 is RoPE, 0 leaves every pair as it is. The unit is radians per position. The exponents have the d
    of the whole head, and so have the pairs: in the half layout pair i is made of the features i and i + d/2.

    Raises `ValueError` if d is not even and positive, if base is not positive and finite, or if fraction is not between
    0 and 1; `TypeError` if they are no numbers, or the dtype is not floating point.

    Source: Barbero et al. 2024 (arXiv:2410.06205), pseudocode of `apply_p_rope`; `proportional` in
    `modeling_rope_utils.py` of transformers 5.23.

    >>> proportional_freqs(8, fraction=0.5)
    tensor([1.0000, 0.1000, 0.0000, 0.0000], dtype=torch.float64)
    """
    require_even(d)
    require_number(fraction=fraction)
    if not 0 <= fraction <= 1:
        raise ValueError(f"fraction must be between 0 and 1, the share of the pairs that is rotated; got {fraction}")
    freqs = geometric_freqs(d, base, dtype=dtype, device=device)
    freqs[int(fraction * d / 2) :] = 0
    return freqs
