"""Maps of distances: which id the rotation of a score gets, where the query is at m and the key at n.

The plain map is m - n. Here near keys keep it, and far ones get an id that training has shown. Each map is a function
from positions to ids [n_q, n_k]; `mapped_scores` rotates by any of them, one score at a time. The maps are made for
causal attention: a key after its query keeps m - n, and a mask should hide it.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Float64, Int64, Real
from torch import Tensor, nn

from posenc_lib.attention import Slots
from posenc_lib.inputs import (
    broadcasts,
    full_precision,
    register_constant,
    require_finite,
    require_floating,
    require_function,
    require_tensor,
    require_values,
    require_whole,
)
from posenc_lib.pairs import Layout, position_angles, require_layout
from posenc_lib.relative.distance import group_numbers, pair_distances, token_positions
from posenc_lib.rotary.rotary import require_freqs, rotate

IdMap = Callable[[Tensor, Tensor], Tensor]
"""From the positions of queries and keys to the id of each pair."""


def rerope_ids(
    q_positions: Int64[Tensor, "*q_batch n_q"], k_positions: Int64[Tensor, "*k_batch n_k"], window: int
) -> Int64[Tensor, "*batch n_q n_k"]:
    r"""ReRoPE: the distance, clipped at the window w.

    $$r(m, n) = \min(m - n,\; w)$$

    Positions are [n], or [b, 1, n] where each sample has its own, here and in the other maps.

    Raises `ValueError` if the window is not positive, or positions do not fit each other; `TypeError` if the window or
    the positions are not integers.

    Source: Su 2023 (kexue.fm/archives/9708); `rerope_patch.py` of bojone/rerope.

    >>> rerope_ids(torch.tensor([5]), torch.arange(6), window=3)
    tensor([[3, 3, 3, 2, 1, 0]])
    """
    require_whole(least=1, window=window)
    return pair_distances(q_positions, k_positions).clamp(max=int(window))


def leaky_rerope_ids(
    q_positions: Int64[Tensor, "*q_batch n_q"], k_positions: Int64[Tensor, "*k_batch n_k"], window: int, factor: float
) -> Float64[Tensor, "*batch n_q n_k"]:
    r"""Leaky ReRoPE: beyond the window w the id grows by 1/s a token. No integer, so in float64.

    $$r(m, n) = \begin{cases} m - n & m - n < w \\ w + (m - n - w)/s & \text{else} \end{cases}$$

    `factor` is s: 1 changes nothing, and a large one gives ReRoPE.

    Raises `ValueError` if the window is not positive, the factor is below 1 or not finite, or positions do not fit each
    other; `TypeError` if the window or the positions are not integers, or the factor is no number.

    Source: Su 2023 (kexue.fm/archives/9708); `leaky_rerope_patch.py` of bojone/rerope.

    >>> leaky_rerope_ids(torch.tensor([5]), torch.arange(6), window=3, factor=2.0)
    tensor([[4.0000, 3.5000, 3.0000, 2.0000, 1.0000, 0.0000]], dtype=torch.float64)
    """
    require_whole(least=1, window=window)
    require_finite(factor=factor)
    if factor < 1:
        raise ValueError(f"factor must be at least 1, or far ids grow faster than distances; got {factor}")
    back = pair_distances(q_positions, k_positions)
    return torch.where(back < window, back.double(), window + (back - window).double() / float(factor))


def self_extend_ids(
    q_positions: Int64[Tensor, "*q_batch n_q"], k_positions: Int64[Tensor, "*k_batch n_k"], window: int, group: int
) -> Int64[Tensor, "*batch n_q n_k"]:
    r"""Self-Extend: beyond the window w, groups of G positions are counted in the place of tokens.

    $$r(m, n) = \begin{cases} m - n & m - n < w \\
    \lfloor m/G \rfloor - \lfloor n/G \rfloor + w - \lfloor w/G \rfloor & \text{else} \end{cases}$$

    Groups lie at fixed places in the text, so this is no function of m - n.

    Raises `ValueError` if the window or the group is not positive, or positions do not fit each other; `TypeError` if
    any of them is no integer.

    Source: Jin et al. 2024 (arXiv:2401.01325), section 3.2 and the pseudocode in the appendix. The authors' code
    subtracts the quotient w/G as it is where the pseudocode has its floor: the same where G divides w.

    >>> self_extend_ids(torch.tensor([7]), torch.arange(8), window=4, group=2)
    tensor([[5, 5, 4, 4, 3, 2, 1, 0]])
    """
    require_whole(least=1, window=window, group=group)
    window, group = int(window), int(group)
    back = pair_distances(q_positions, k_positions)
    groups_back = pair_distances(group_numbers(q_positions, group), group_numbers(k_positions, group))
    return torch.where(back < window, back, groups_back + window - window // group)


def dual_chunk_ids(
    q_positions: Int64[Tensor, "*q_batch n_q"], k_positions: Int64[Tensor, "*k_batch n_k"], chunk: int, local: int
) -> Int64[Tensor, "*batch n_q n_k"]:
    r"""Dual chunk attention: keys keep one position each, and a query has three, by how many chunks back the key lies.

    $$r(m, n) = -(n \bmod s) + \begin{cases} m \bmod s & \text{same chunk} \\
    \min(m \bmod s + s,\; c) & \text{next chunk} \\ \min(2s - 1,\; c) & \text{farther} \end{cases}$$

    `chunk` is c, the largest id, and `local` is l; the text is cut into chunks of s = c - l tokens.

    Raises `ValueError` if `local` is negative or not below `chunk`, or positions do not fit each other; `TypeError` if
    any of them is no integer.

    Source: An et al. 2024 (arXiv:2402.17463), section 3; `chunkllama_attn_replace.py` of HKUNLP/ChunkLlama, and
    `dual_chunk_rope.py` of vLLM.

    >>> dual_chunk_ids(torch.tensor([13]), torch.arange(14), chunk=6, local=2)
    tensor([[6, 5, 4, 3, 6, 5, 4, 3, 5, 4, 3, 2, 1, 0]])
    """
    require_whole(chunk=chunk, local=local)
    if not 0 <= local < chunk:
        raise ValueError(f"local must be from 0 to chunk - 1, so that a chunk has tokens; got {local} and {chunk}")
    chunk, size = int(chunk), int(chunk - local)
    back = pair_distances(q_positions, k_positions)
    chunks_back = pair_distances(group_numbers(q_positions, size), group_numbers(k_positions, size))
    place = token_positions(q_positions).remainder(size)[..., :, None]
    farther = torch.where(chunks_back == 1, (place + size).clamp(max=chunk), min(2 * size - 1, chunk))
    far = farther - token_positions(k_positions).remainder(size)[..., None, :]
    return torch.where(chunks_back <= 0, back, far)


def sink_ids(
    q_positions: Int64[Tensor, "*q_batch n_q"], k_positions: Int64[Tensor, "*k_batch n_k"], sinks: int, recent: int
) -> Int64[Tensor, "*batch n_q n_k"]:
    r"""StreamingLLM: the distance inside a cache that keeps the first S tokens and the R most recent ones.

    $$r(m, n) = \begin{cases} \min(m,\; S + R - 1) - n & n < S \\ m - n & n \ge S \end{cases}$$

    R counts the query's own token. Keys that `sink_mask` does not keep are no longer in the cache: mask them.

    Raises `ValueError` if `sinks` is negative, `recent` is not positive, a position is negative, or positions do not
    fit each other; `TypeError` if any of them is no integer.

    Source: Xiao et al. 2023 (arXiv:2309.17453), section 3.2; `kv_cache.py` and `pos_shift/modify_llama.py` of
    mit-han-lab/streaming-llm.

    >>> sink_ids(torch.tensor([9]), torch.arange(10), sinks=2, recent=3)
    tensor([[4, 3, 7, 6, 5, 4, 3, 2, 1, 0]])
    """
    first = _require_stream(q_positions, k_positions, sinks, recent)
    back = pair_distances(q_positions, k_positions)
    return torch.where(first, back - (token_positions(q_positions)[..., :, None] - (sinks + recent - 1)).clamp(0), back)


def sink_mask(
    q_positions: Int64[Tensor, "*q_batch n_q"], k_positions: Int64[Tensor, "*k_batch n_k"], sinks: int, recent: int
) -> Bool[Tensor, "*batch n_q n_k"]:
    """True where the key is in the cache of StreamingLLM: one of the first `sinks`, or of the `recent` last ones.

    Arguments and errors as in `sink_ids`.

    >>> sink_mask(torch.tensor([9]), torch.arange(10), sinks=2, recent=3).int()
    tensor([[1, 1, 0, 0, 0, 0, 0, 1, 1, 1]], dtype=torch.int32)
    """
    first = _require_stream(q_positions, k_positions, sinks, recent)
    back = pair_distances(q_positions, k_positions)
    return (back >= 0) & (first | (back < recent))


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
    >>> from posenc_lib.attention import attention
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


def _require_stream(q_positions: Tensor, k_positions: Tensor, sinks: int, recent: int) -> Bool[Tensor, "*batch 1 n_k"]:
    """Checks the arguments of a stream; True for the keys that are sinks."""
    require_whole(least=0, sinks=sinks)
    require_whole(least=1, recent=recent)
    for name, positions in {"q_positions": q_positions, "k_positions": k_positions}.items():
        given = token_positions(positions)
        rule = f"{name} must count from 0, where the stream begins"
        require_values(given >= 0, rule, lambda bad, rule=rule, given=given: f"{rule}; got {given[bad][0].item()}")
    return token_positions(k_positions)[..., None, :] < sinks
