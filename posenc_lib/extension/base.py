"""Which base for which length: sums of cosines that stay positive, and pairs that go round once in training."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float, Real
from torch import Tensor

from posenc_lib.inputs import require_base, require_freqs, require_number, require_readable, require_whole
from posenc_lib.pairs import geometric_freqs, position_angles

BLOCK = 2**14
"""So many distances are looked at together, at most."""

WATCHED = 40
"""So many distances, those that rule out most, are looked at again before all are."""


def cosine_sum(freqs: Float[Tensor, " pairs"], distances: Real[Tensor, "*batch n"]) -> Float[Tensor, "*batch n"]:
    r"""The score of two equal vectors with pairs of length 1, by how many tokens back the key lies.

    $$B(t) = \sum_i \cos(t\,\theta_i)$$

    Frequencies are in radians per token. Computed in float64; the result has the dtype of `freqs`. Where it is
    negative, a random key is expected to score higher than one that is like the query.

    Raises `ValueError` if `freqs` is not [d/2] or not finite, or a distance is not finite or beyond 2**40; `TypeError`
    if `freqs` is not float32 or float64, or distances have another dtype than integers and these two.

    Source: Men et al. 2024 (arXiv:2405.14591), equation 9.

    >>> cosine_sum(geometric_freqs(8), torch.tensor([0, 2, 3]))
    tensor([4.0000, 2.5637, 1.9649], dtype=torch.float64)
    """
    require_freqs(freqs)
    return position_angles(distances, freqs.double()).cos().sum(-1).to(freqs.dtype)


def first_negative(freqs: Float[Tensor, " pairs"], length: int) -> int | None:
    r"""The smallest distance up to the length, inclusive, at which the sum of cosines is negative; None without one.

    $$\min\,\{\, t \in \{0, \dots, L\} : B(t) < 0 \,\}$$

    `length` is in tokens. Computed in float64, with errors below 1e-9 up to a million tokens.

    Raises `ValueError` if the length is negative, or if `freqs` is not [d/2] or not finite; `TypeError` if `freqs` is
    not float32 or float64, or the length is no integer.

    Source: Men et al. 2024 (arXiv:2405.14591), equation 10, where the distance before it is the longest context.

    >>> first_negative(geometric_freqs(128), 4096)
    1707
    """
    require_whole(least=0, length=length)
    require_freqs(freqs)
    require_readable(freqs, "freqs")
    start = 0
    while start <= length:
        end = min(start + min(start + 256, BLOCK), length + 1)
        negative = cosine_sum(freqs.double(), torch.arange(start, end, device=freqs.device)) < 0
        if negative.any():
            return start + int(negative.int().argmax())
        start = end
    return None


def critical_dimension(d: int, base: float, trained_length: int) -> int:
    r"""How many of d rotated features lie in pairs that went round more than once in training.

    $$2\,\Big\lceil \tfrac{d}{2} \log_b \tfrac{L}{2\pi} \Big\rceil, \qquad \text{at least } 0 \text{ and at most } d$$

    The features beyond it have shown only a part of their angles. Counted from the frequencies; where a pair went
    round exactly once, it is among those beyond, as in the formula.

    Raises `ValueError` if d is not even and positive, if the base is not above 1 and finite, or the length is not
    positive; `TypeError` if d or the length is no integer, or the base no number.

    Source: Liu et al. 2024 (arXiv:2310.05209), the critical dimension for extrapolation.

    >>> critical_dimension(128, 10_000.0, 4096)
    92
    """
    require_whole(least=1, trained_length=trained_length)
    require_base(base)
    if not base > 1:
        raise ValueError(f"base must be above 1, or the frequencies would not fall from pair to pair; got {base}")
    return 2 * int((trained_length * geometric_freqs(d, base) > 2 * math.pi).sum())


def smallest_base(d: int, length: int, tolerance: float = 1e-7) -> float:
    r"""The smallest base from 1 on with no negative sum of cosines up to the length, inclusive.

    $$\inf\,\{\, b \ge 1 : B_b(t) \ge 0 \text{ for all } t \in \{0, \dots, L\} \,\}$$

    Larger bases may fail again. The search goes up from 1 and leaves out only what it can rule out: the sum at t
    changes by at most $t \sum_i \tfrac{2i}{d}\theta_i$ for each e-fold of the base, so a negative sum stays negative
    for a while. Where that rules out less than the tolerance, it goes on by a factor of 1 + tolerance; good bases that
    fill less than such a gap can be missed. Takes a second for 1,000 tokens, and some ten for 8,000.

    Raises `ValueError` if d is not even and at least 4, if the length is not positive, or the tolerance is not between
    1e-12 and 0.1; `TypeError` if one is no number.

    Source: Men et al. 2024 (arXiv:2405.14591), equation 11; the search is ours.

    >>> round(smallest_base(8, 15), 2)
    193.82
    """
    require_whole(least=4, d=d)
    require_whole(least=1, length=length)
    require_number(tolerance=tolerance)
    if not 1e-12 <= tolerance <= 0.1:
        raise ValueError(f"tolerance must be between 1e-12 and 0.1; got {tolerance}")
    exponents = -geometric_freqs(d, math.e).log()
    everywhere = torch.arange(1, length + 1, dtype=torch.float64)
    watched, base, known = everywhere[:WATCHED], 1.0, math.inf
    while True:
        free = _ruled_out(exponents, base, watched)
        if free.max() < max(known / 10, tolerance):
            free = torch.cat([_ruled_out(exponents, base, block) for block in everywhere.split(BLOCK)])
            if not free.any():
                return base
            known = free.max().item()
            watched = everywhere[free.topk(min(WATCHED, length)).indices]
        base *= math.exp(max(free.max().item(), tolerance))


def _ruled_out(exponents: Tensor, base: float, distances: Tensor) -> Tensor:
    """By how much ln base can grow while the sum at each distance is bound to stay negative; 0 where it is not."""
    freqs = base**-exponents
    sums = torch.outer(distances, freqs).cos().sum(-1)
    return (-sums).clamp(min=0) / (distances * (exponents * freqs).sum())
