"""TITLE: what the method does, in one sentence."""

from __future__ import annotations

from jaxtyping import Float, Int
from torch import Tensor

from posenc_lib.inputs import integers, require_positive


def MODULE(distances: Int[Tensor, "*n"], slope: float = 1.0) -> Float[Tensor, "*n"]:
    r"""What the function gives, in one sentence: a score for each distance, in tokens back.

    $$f(k) = -s\,k$$

    In float64. Raises `ValueError` if the slope is not positive and finite; `TypeError` if distances are not integers.

    Source: authors and year (arXiv number), section.

    >>> import torch
    >>> MODULE(torch.arange(3), slope=0.5)
    tensor([-0.0000, -0.5000, -1.0000], dtype=torch.float64)
    """
    require_positive(slope=slope)
    distances = integers(distances, "a distance counts tokens", "distances").double()
    return -slope * distances
