"""Attention block by block: what each process makes of its own keys, and how the parts become one output."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from jaxtyping import Bool, Float, Real
from torch import Tensor

from posenc_lib import Slots

Part = tuple[Float[Tensor, "*heads n_q d_v"], Float[Tensor, "*heads n_q"]]
"""The output over some keys, and the logarithm of the sum of their exponentials: 0 and -inf where all are hidden."""


def block(
    q: Float[Tensor, "*heads n_q d"],
    k: Float[Tensor, "*heads n_k d"],
    v: Float[Tensor, "*heads n_k d_v"],
    slots: Slots,
    q_positions: Real[Tensor, "*q_batch n_q"],
    k_positions: Real[Tensor, "*k_batch n_k"],
    see: Bool[Tensor, "n_q n_k"],
) -> Part:
    """As a kernel computes it that knows no other block: for methods that fill the slots `transform` and `bias`."""
    if slots.transform is not None:
        q, k = slots.transform(q, k, q_positions, k_positions)
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if slots.scale is None else slots.scale)
    if slots.bias is not None:
        scores = scores + slots.bias(q_positions, k_positions)
    scores = scores.masked_fill(~see, -torch.inf)
    return scores.softmax(-1).nan_to_num(0.0) @ v, scores.logsumexp(-1)


def merged(parts: Iterable[Part]) -> Float[Tensor, "*heads n_q d_v"]:
    """Each part counts by its sum of exponentials. Every query must see a key in one of them."""
    outputs, sums = (torch.stack(each) for each in zip(*parts, strict=True))
    return (sums.softmax(0)[..., None] * outputs).sum(0)
