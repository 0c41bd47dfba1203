"""Rotary scores at the ids of any map of distances: as a function, and as a bias for the slots of attention."""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float, Int64, Real
from torch import Tensor, nn

from posenc_lib.border import arithmetic_dtype, border, constant, content, freqs, function, one_of, places, together
from posenc_lib.border.precision import full_precision, register_exact
from posenc_lib.border.tensors import broadcasts
from posenc_lib.pairs import Layout, described, position_angles
from posenc_lib.rotary.rotary import rotate
from posenc_lib.slots import Slots

IdMap = Callable[[Tensor, Tensor], Tensor]
"""From the positions of queries and keys to the id of each pair."""


_ONE_TEXT = together(
    lambda q, k: q.shape[:-2] == k.shape[:-2] and q.shape[-1] == k.shape[-1],
    "q and k may differ in their length n only; got {q} and {k}",
)
_FOR_EACH_SCORE = together(
    lambda q, k, ids: ids.shape[-2:] == _scores(q, k)[-2:] and broadcasts(ids.shape, _scores(q, k), 2),
    lambda q, k, ids: f"ids must be [n_q, n_k] or broadcast to the scores, {[*_scores(q, k)]}; got {[*ids.shape]}",
)


@border(_ONE_TEXT, _FOR_EACH_SCORE, q=content(2), k=content(2), freqs=freqs, ids=places, layout=one_of(Layout))
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

    The ids are [n_q, n_k], or have as many axes as q, such as [b, 1, n_q, n_k]. The scores are not divided by anything.
    The function holds d numbers for each score, and shows what a faster way has to give. Scores are computed in float32
    at least.

    Refused: q, k, freqs and ids that do not fit each other.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> mapped_scores(torch.ones(1, 4), torch.ones(2, 4), geometric_freqs(4), torch.tensor([[0, 2]]))
    tensor([[4.0000, 1.1673]])
    """
    pairs = _scores(q, k)
    dtype = torch.promote_types(arithmetic_dtype(q), k.dtype)
    with full_precision(q):
        angles = position_angles(ids, freqs.double()).reshape(*[1] * (len(pairs) - ids.ndim), *ids.shape, len(freqs))
        turned = rotate(q.to(dtype)[..., :, None, :].expand(*pairs, -1), angles, layout=layout)
        return (turned * k.to(dtype)[..., None, :, :]).sum(-1)


class MappedRotary(nn.Module):
    r"""Rotary scores at the ids of any map, as a `ContentBias`; `slots()` puts them in place of the products.

    $$\text{score}_{mn} = \langle R_{r(m, n)}\, q_m,\; k_n \rangle / \sqrt d$$

    `ids` is a function of the positions of queries and keys, such as one of the maps in `windows` with its numbers
    filled in. The slots' scale is 0, so the plain products do not count.

    >>> from functools import partial
    >>> from posenc_lib import attention
    >>> from posenc_lib.extension import rerope_ids
    >>> from posenc_lib.pairs import geometric_freqs
    >>> slots = MappedRotary(geometric_freqs(4), partial(rerope_ids, window=2)).slots()
    >>> attention(torch.ones(3, 4), torch.ones(3, 4), torch.ones(3, 1), slots).flatten()
    tensor([1., 1., 1.])
    """

    @border(freqs=constant("call mapped_scores to learn them"), ids=function, layout=one_of(Layout))
    def __init__(self, freqs: Float[Tensor, " pairs"], ids: IdMap, layout: Layout = "interleaved") -> None:
        super().__init__()
        self.ids, self.layout = ids, layout
        register_exact(self, "freqs", freqs.double())

    @property
    def freqs(self) -> Float[Tensor, " pairs"]:
        return self._freqs.value

    def extra_repr(self) -> str:
        return f"{described(self.freqs)}, layout={self.layout!r}"

    def forward(
        self,
        q: Float[Tensor, "*heads n_q d"],
        k: Float[Tensor, "*heads n_k d"],
        q_positions: Int64[Tensor, "*q_batch n_q"],
        k_positions: Int64[Tensor, "*k_batch n_k"],
    ) -> Float[Tensor, "*heads n_q n_k"]:
        ids = self.ids(q_positions, k_positions)
        return mapped_scores(q, k, self.freqs, ids, layout=self.layout) * q.shape[-1] ** -0.5

    def slots(self) -> Slots:
        return Slots(content_bias=self, scale=0.0)


def _scores(q: Tensor, k: Tensor) -> tuple[int, ...]:
    return (*q.shape[:-1], k.shape[-2])
