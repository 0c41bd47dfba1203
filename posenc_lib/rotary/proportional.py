"""Rotation of a part of the pairs, with the frequencies that they have when all are rotated: p-RoPE.

`PartialRotary` is the older way: it rotates the first features, and computes its exponents from these alone.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from posenc_lib.border import border, even, satisfying
from posenc_lib.pairs import BASE, geometric_freqs

_SHARE = satisfying(lambda x: 0 <= x <= 1, "between 0 and 1, the fraction of pairs to rotate")


@border(d=even, fraction=_SHARE)
def proportional_freqs(
    d: int,
    base: float = BASE,
    *,
    fraction: float = 1.0,
    dtype: torch.dtype = torch.float64,
    device: torch.device | str | None = None,
) -> Float[Tensor, "{d}//2"]:
    r"""The frequencies of a whole head, the slowest replaced by 0, so that these pairs are not rotated.

    $$\theta_i = \text{base}^{-2i/d} \text{ for } i < \lfloor p\,d/2 \rfloor, \qquad \theta_i = 0 \text{ beyond}$$

    p is `fraction`: 1 is RoPE, 0 leaves every pair as it is. The unit is radians per position. The exponents use the d
    of the whole head, and so do the pairs: in the half layout pair i is made of the features i and i + d/2.

    Refused: what `geometric_freqs` refuses, and a fraction that is not between 0 and 1.

    Source: Barbero et al. 2024 (arXiv:2410.06205), pseudocode of `apply_p_rope`; `proportional` in
    `modeling_rope_utils.py` of transformers 5.23.

    >>> proportional_freqs(8, fraction=0.5)
    tensor([1.0000, 0.1000, 0.0000, 0.0000], dtype=torch.float64)
    """
    freqs = geometric_freqs(d, base, dtype=dtype, device=device)
    freqs[int(fraction * d / 2) :] = 0
    return freqs
