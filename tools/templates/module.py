"""TITLE: what the method does, in one sentence."""

from __future__ import annotations

import math

from jaxtyping import Float
from torch import Tensor


def MODULE(distances: Float[Tensor, "*n"], slope: float = 1.0) -> Float[Tensor, "*n"]:
    r"""What the function gives, in one sentence: a score for each distance, in tokens back.

    $$f(k) = -s\,k$$

    Raises `ValueError` if the slope is not positive and finite.

    Source: authors and year (arXiv number), section.

    >>> import torch
    >>> MODULE(torch.arange(3.0), slope=0.5)
    tensor([-0.0000, -0.5000, -1.0000])
    """
    if not 0 < slope < math.inf:
        raise ValueError(f"slope must be positive and finite; got {slope}")
    return -slope * distances
