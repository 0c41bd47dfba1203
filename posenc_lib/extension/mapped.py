"""Rotary scores at the ids of any map of distances: as a function, and as a bias for the slots of attention."""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float, Int64, Real
from torch import Tensor, nn

from posenc_lib.border.precision import full_precision, register_constant
from posenc_lib.inputs import (
    broadcasts,
    require_floating,
    require_freqs,
    require_function,
    require_layout,
    require_tensor,
)
from posenc_lib.pairs import Layout, position_angles
from posenc_lib.rotary.rotary import rotate
from posenc_lib.slots import Slots

IdMap = Callable[[Tensor, Tensor], Tensor]
"""From the positions of queries and keys to the id of each pair."""


def mapped_scores(
    q: Float[Tensor, "*heads n_q d"],
    k: Float[Tensor, "*heads n_k d"],
    freqs: Float[Tensor, " pairs"],
    ids: Real[Tensor, "*batch n_q n_k"],
    *,
    layout: Layout = "interleaved",
) -> Float[Tensor, "*heads n_q n_k"]:
    r"""The rotary score of each query with each key, at any id: the query is rotated anew for every key.

    $$\text{score}_{mn} = \langle R_{r(m, n)}\, q_m,\; k_n \rangle$$

    The ids are [n_q, n_k], or have an axis for each of q's, as [b, 1, n_q, n_k]. Not divided by anything. It takes
    d numbers a score, and shows what a faster way has to give. Computed in float32 at least.

    Raises `ValueError` if q, k, freqs and ids do not fit each other, the layout is unknown, or ids are not finite or
    beyond 2**40; `TypeError` if q or k is not floating point, freqs not float32 or float64, or ids in half precision.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> mapped_scores(torch.ones(1, 4), torch.ones(2, 4), geometric_freqs(4), torch.tensor([[0, 2]]))
    tensor([[4.0000, 1.1673]])
    """
    require_floating(axes=2, q=q, k=k)
    require_tensor(axes=2, ids=ids)
    require_layout(layout)
    require_freqs(freqs)
    if q.shape[:-2] != k.shape[:-2] or q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q and k may differ in their length n only; got {[*q.shape]} and {[*k.shape]}")
    pairs = (*q.shape[:-1], k.shape[-2])
    if ids.shape[-2:] != pairs[-2:] or not broadcasts(ids.shape, pairs, 2):
        raise ValueError(f"ids must be [n_q, n_k] or broadcast to the scores, {[*pairs]}; got {[*ids.shape]}")
    wide = torch.promote_types(torch.promote_types(q.dtype, k.dtype), torch.float32)
    with full_precision(q):
        angles = position_angles(ids, freqs).reshape(*[1] * (len(pairs) - ids.ndim), *ids.shape, -1)
        turned = rotate(q.to(wide)[..., :, None, :].expand(*pairs, -1), angles, layout=layout)
        return (turned * k.to(wide)[..., None, :, :]).sum(-1)


class MappedRotary(nn.Module):
    r"""Rotary scores at the ids of any map, as a `ContentBias`; `slots()` puts them in the place of the products.

    $$\text{score}_{mn} = \langle R_{r(m, n)}\, q_m,\; k_n \rangle / \sqrt d$$

    `ids` is a function of the positions of queries and keys, such as one of the maps with its numbers filled in. The
    slots' scale is 0, so the plain products do not count.

    Raises `TypeError` if `ids` is no function, and what `Rotary` raises for `freqs`; called, what `mapped_scores` does.

    >>> from functools import partial
    >>> from posenc_lib._attention import attention
    >>> from posenc_lib.extension import rerope_ids
    >>> from posenc_lib.pairs import geometric_freqs
    >>> slots = MappedRotary(geometric_freqs(4), partial(rerope_ids, window=2)).slots()
    >>> attention(torch.ones(3, 4), torch.ones(3, 4), torch.ones(3, 1), slots).flatten()
    tensor([1., 1., 1.])
    """

    def __init__(self, freqs: Float[Tensor, " pairs"], ids: IdMap, layout: Layout = "interleaved") -> None:
        super().__init__()
        require_layout(layout)
        require_freqs(freqs)
        require_function(ids=ids)
        self.ids, self.layout = ids, layout
        register_constant(self, "freqs", freqs, "call mapped_scores")

    def forward(
        self,
        q: Float[Tensor, "*heads n_q d"],
        k: Float[Tensor, "*heads n_k d"],
        q_positions: Int64[Tensor, "*q_batch n_q"],
        k_positions: Int64[Tensor, "*k_batch n_k"],
    ) -> Float[Tensor, "*heads n_q n_k"]:
        ids = self.ids(q_positions, k_positions)
        return mapped_scores(q, k, self._freqs.value, ids, layout=self.layout) * q.shape[-1] ** -0.5

    def slots(self) -> Slots:
        return Slots(content_bias=self, scale=0.0)
