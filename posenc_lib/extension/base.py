"""Which base for which length: sums of cosines that stay positive, and pairs that go round once in training."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from jaxtyping import Float, Real
from torch import Tensor

from posenc_lib.border import base, border, even, freqs, known, length, satisfying, whole
from posenc_lib.pairs import geometric_freqs, position_angles

BLOCK = 2**14
"""So many distances are looked at together, at most."""

WATCHED = 128
"""So many distances, those with the lowest sums, are looked at again before all are."""

_LOOKED_AT = whole(0, 2**26, beyond="every distance is looked at, which takes a minute for so many")
_SEARCHED = whole(1, 2**20, beyond="the search takes minutes there, and four times as long for twice the length")
_ABOVE_1 = satisfying(lambda x: x > 1, "above 1, or the frequencies would not fall from pair to pair")
_TOLERANCE = satisfying(lambda x: 1e-12 <= x <= 0.1, "between 1e-12 and 0.1")


def _falling(name: str, x: Any) -> Any:
    """The rule of a base whose frequencies fall from pair to pair."""
    return _ABOVE_1(name, base(name, x))


def _two_pairs(name: str, d: Any) -> Any:
    """The rule of features of which no sum of cosines is that of the first pair alone."""
    return whole(4)(name, even(name, d))


@border(freqs=freqs)
def cosine_sum(freqs: Float[Tensor, " pairs"], distances: Real[Tensor, "*batch n"]) -> Float[Tensor, "*batch n"]:
    r"""The score of two equal vectors with pairs of length 1, by how many tokens back the key lies.

    $$B(t) = \sum_i \cos(t\,\theta_i)$$

    Frequencies are in radians per token. Computed in float64; the result has the dtype of `freqs`. Where it is
    negative, a random key is expected to score higher than a key like the query.

    Source: Men et al. 2024 (arXiv:2405.14591), equation 9.

    >>> cosine_sum(geometric_freqs(8), torch.tensor([0, 2, 3]))
    tensor([4.0000, 2.5637, 1.9649], dtype=torch.float64)
    """
    return position_angles(distances, freqs.double()).cos().sum(-1).to(freqs.dtype)


@border(freqs=known(freqs), length=_LOOKED_AT)
def first_negative(freqs: Float[Tensor, " pairs"], length: int) -> int | None:
    r"""The smallest distance up to the length, inclusive, at which the sum of cosines is negative, or None.

    $$\min\,\{\, t \in \{0, \dots, L\} : B(t) < 0 \,\}$$

    `length` is in tokens. Computed in float64, with errors below 1e-9 up to a million tokens.

    Refused: a length above 2**26, for which all distances would take more than a minute, and the meta device.

    Source: Men et al. 2024 (arXiv:2405.14591), equation 10, where the distance before it is the longest context.

    >>> first_negative(geometric_freqs(128), 4096)
    1707
    """
    start = 0
    while start <= length:
        end = min(start + min(start + 256, BLOCK), length + 1)
        negative = cosine_sum(freqs.double(), torch.arange(start, end, device=freqs.device)) < 0
        if negative.any():
            return start + int(negative.int().argmax())
        start = end
    return None


@border(base=_falling, trained_length=length)
def critical_dimension(d: int, base: float, trained_length: int) -> int:
    r"""How many of d rotated features lie in pairs that went round more than once in training.

    $$2\,\Big\lceil \tfrac{d}{2} \log_b \tfrac{L}{2\pi} \Big\rceil, \qquad \text{at least } 0 \text{ and at most } d$$

    The features beyond it have shown only a part of their angles. The frequencies themselves are counted; a pair that
    went round exactly once is among those beyond, as in the formula.

    Refused: an odd d, and a base that is not above 1.

    Source: Liu et al. 2024 (arXiv:2310.05209), the critical dimension for extrapolation.

    >>> critical_dimension(128, 10_000.0, 4096)
    92
    """
    return 2 * int((trained_length * geometric_freqs(d, base) > 2 * math.pi).sum())


@border(d=_two_pairs, length=_SEARCHED, tolerance=_TOLERANCE)
def smallest_base(d: int, length: int, tolerance: float = 1e-7) -> float:
    r"""The smallest base, from 1 upwards, with no negative sum of cosines up to the length, inclusive.

    $$\inf\,\{\, b \ge 1 : B_b(t) \ge 0 \text{ for all } t \in \{0, \dots, L\} \,\}$$

    Larger bases may fail again. The search goes up from 1, in $u = \ln b$, and leaves out what it can rule out. With
    $x_i = 2i/d$ and $\varphi_i = t\,b^{-x_i}$ the second derivative of a sum with respect to u is at most
    $\sum_i x_i^2(\varphi_i^2 + \varphi_i)$ in size, and this falls as the base grows: so the value and the slope of a
    negative sum say for how long it is bound to stay negative.

    What is certain: at the result `first_negative` finds none, and any run of good bases below it is shorter than the
    tolerance, relative to the base, since the search moves on by the tolerance where it can rule out less. The search
    takes five seconds for 131,072 tokens. It runs on one thread, and gives the others back in the end.

    Refused: an odd d and d = 2, and a length above 2**20, which would take minutes.

    Source: Men et al. 2024 (arXiv:2405.14591), equation 11; the search is ours.

    >>> round(smallest_base(8, 15), 2)
    193.82
    """
    with _one_thread():
        return _search(d, length, tolerance)


def _search(d: int, length: int, tolerance: float) -> float:
    falls = -geometric_freqs(d, math.e).log()
    u, n = 0.0, min(2 * WATCHED, length)
    while True:
        sums = _sums((-u * falls).exp(), n)
        negative = int((sums < 0).sum())
        if negative < WATCHED and n < length:
            n = min(2 * n, length)
        elif negative:
            lowest = sums.topk(min(negative, WATCHED), largest=False).indices + 1
            u = _ruled_out(falls, u, lowest.double(), tolerance)
        elif first_negative(geometric_freqs(d, math.exp(u)), length) is None:
            return math.exp(u)
        else:  # by less than the rounding of the products
            u += tolerance


@contextmanager
def _one_thread() -> Iterator[None]:
    """For thousands of small steps: on busy cores, threads wait for one another, twenty times as long and more."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _sums(freqs: Float[Tensor, " pairs"], n: int) -> Float[Tensor, " {n}"]:
    """B(1), …, B(n): each distance is a large step and a small one, and cos(x + y) a product of the two."""
    side = math.isqrt(n - 1) + 1
    small = torch.outer(torch.arange(1, side + 1).double(), freqs)
    large = torch.outer(torch.arange(0, n, side).double(), freqs)
    product = torch.cat((large.cos(), large.sin()), -1) @ torch.cat((small.cos(), -small.sin()), -1).mT
    return product.flatten()[:n]


def _ruled_out(falls: Tensor, u: float, distances: Tensor, tolerance: float) -> float:
    """How far ln b can go up while at each base one of the sums is bound to be negative; by the tolerance at least."""
    start, least = u, tolerance
    while (step := _bound(falls, u, distances)) > least:
        u, least = u + step, max(least, step / 20)  # soon it is better to look for other distances
    return u if u > start else u + tolerance


def _bound(falls: Tensor, u: float, distances: Tensor) -> float:
    """By how much ln b can grow while one sum stays negative: up to the root of its value, slope and largest bend."""
    freqs = (-u * falls).exp()
    angles, speeds = torch.outer(distances, freqs), falls * freqs
    sums, slopes = angles.cos().sum(-1), distances * (angles.sin() @ speeds)
    bends = distances * (distances * speeds.dot(speeds) + speeds.dot(falls))
    roots = ((slopes.square() - 2 * bends * sums).clamp(0).sqrt() - slopes) / bends
    return torch.where(sums < 0, roots, 0).max().item()
