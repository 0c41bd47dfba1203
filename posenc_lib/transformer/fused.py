"""Causal attention by torch's own kernel, which keeps no table of scores, where no slot asks for one."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Real
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from posenc_lib.border import slots as checked
from posenc_lib.border.scores import positions_of
from posenc_lib.slots import Slots


def no_later(n: int, n_k: int, device: torch.device) -> Bool[Tensor, "{n} {n_k}"]:
    """The n queries are the last of the n_k tokens."""
    return torch.ones(n, n_k, dtype=torch.bool, device=device).tril(n_k - n)


def reads_no_scores(slots: Slots) -> bool:
    """Whether all that it does is done to q and k, before there are scores."""
    later = slots.bias, slots.content_bias, slots.weights, slots.average, slots.value_bias
    return all(slot is None for slot in later)


def fused_causal(
    q: Float[Tensor, "b h n d"],
    k: Float[Tensor, "b kv_heads n_k d"],
    v: Float[Tensor, "b kv_heads n_k d"],
    slots: Slots,
    q_positions: Real[Tensor, "*q_batch n"],
    k_positions: Real[Tensor, "*k_batch n_k"],
) -> Float[Tensor, "b h n d"]:
    """`attention` of the last n tokens to all n_k, each to those before it. Of scores that overflow it makes NaN."""
    where = positions_of(q, q_positions, "q"), positions_of(k, k_positions, "k")
    q, k = checked.transform(slots, where, q, k)
    n, n_k = q.shape[-2], k.shape[-2]
    # A lone query sees all keys, and with is_causal the kernel skips the half that nobody sees.
    mask = None if n in (1, n_k) else no_later(n, n_k, q.device)
    how = {"attn_mask": mask, "is_causal": 1 < n == n_k, "scale": slots.scale, "enable_gqa": True}
    return scaled_dot_product_attention(q, k, v, **how)
