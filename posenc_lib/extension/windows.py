"""Maps of distances: which id the rotation of a score gets, where the query is at m and the key at n.

The plain map is m - n. Here, near keys keep this distance, and far ones get an id that training has shown. Each map is
a function from positions to ids [n_q, n_k]; `mapped_scores` rotates by any of them, one score at a time. The maps are
made for causal attention: a key after its query keeps m - n, so mask it.
"""

from __future__ import annotations

import torch
from jaxtyping import Float64, Int64
from torch import Tensor

from posenc_lib.border import border, length, satisfying, together, tokens, whole
from posenc_lib.border.numbers import bounded
from posenc_lib.border.positions import MAX_TOKEN
from posenc_lib.relative.distance import group_numbers, pair_distances

_ROOM = together(
    lambda chunk, local: local < chunk,
    "local must be from 0 to chunk - 1, so that a chunk has tokens; got {local} and {chunk}",
)
_SLOWER = satisfying(lambda x: x >= 1 and bounded(x), "at least 1 and finite, or far ids grow faster than distances")


@border(window=length)
def rerope_ids(
    q_positions: Int64[Tensor, "*q_batch n_q"], k_positions: Int64[Tensor, "*k_batch n_k"], window: int
) -> Int64[Tensor, "*batch n_q n_k"]:
    r"""ReRoPE: the distance, clipped at the window w.

    $$r(m, n) = \min(m - n,\; w)$$

    Positions are [n], or [b, 1, n] where each sample has its own, here and in the other maps.

    Source: Su 2023 (kexue.fm/archives/9708); `rerope_patch.py` of bojone/rerope.

    >>> rerope_ids(torch.tensor([5]), torch.arange(6), window=3)
    tensor([[3, 3, 3, 2, 1, 0]])
    """
    return pair_distances(q_positions, k_positions).clamp(max=int(window))


@border(window=length, factor=_SLOWER)
def leaky_rerope_ids(
    q_positions: Int64[Tensor, "*q_batch n_q"], k_positions: Int64[Tensor, "*k_batch n_k"], window: int, factor: float
) -> Float64[Tensor, "*batch n_q n_k"]:
    r"""Leaky ReRoPE: beyond the window w the id grows by 1/f a token, so it is no integer, and in float64.

    $$r(m, n) = \begin{cases} m - n & m - n < w \\ w + (m - n - w)/f & \text{else} \end{cases}$$

    `factor` is f: 1 changes nothing, and a large one gives ReRoPE.

    Refused: a factor below 1.

    Source: Su 2023 (kexue.fm/archives/9708); `leaky_rerope_patch.py` of bojone/rerope.

    >>> leaky_rerope_ids(torch.tensor([5]), torch.arange(6), window=3, factor=2.0)
    tensor([[4.0000, 3.5000, 3.0000, 2.0000, 1.0000, 0.0000]], dtype=torch.float64)
    """
    back = pair_distances(q_positions, k_positions)
    return torch.where(back < window, back.double(), window + (back - window).double() / float(factor))


@border(window=length, group=length)
def self_extend_ids(
    q_positions: Int64[Tensor, "*q_batch n_q"], k_positions: Int64[Tensor, "*k_batch n_k"], window: int, group: int
) -> Int64[Tensor, "*batch n_q n_k"]:
    r"""Self-Extend: beyond the window w, groups of G positions are counted instead of tokens.

    $$r(m, n) = \begin{cases} m - n & m - n < w \\
    \lfloor m/G \rfloor - \lfloor n/G \rfloor + w - \lfloor w/G \rfloor & \text{else} \end{cases}$$

    Groups lie at fixed places in the text, so the id is no function of m - n.

    Source: Jin et al. 2024 (arXiv:2401.01325), section 3.2 and the pseudocode in the appendix. The authors' code
    subtracts the quotient w/G itself where the pseudocode has its floor: the two agree where G divides w.

    >>> self_extend_ids(torch.tensor([7]), torch.arange(8), window=4, group=2)
    tensor([[5, 5, 4, 4, 3, 2, 1, 0]])
    """
    window, group = int(window), int(group)
    back = pair_distances(q_positions, k_positions)
    groups_back = pair_distances(group_numbers(q_positions, group), group_numbers(k_positions, group))
    return torch.where(back < window, back, groups_back + window - window // group)


@border(_ROOM, q_positions=tokens, k_positions=tokens, chunk=length, local=whole(0, MAX_TOKEN))
def dual_chunk_ids(
    q_positions: Int64[Tensor, "*q_batch n_q"], k_positions: Int64[Tensor, "*k_batch n_k"], chunk: int, local: int
) -> Int64[Tensor, "*batch n_q n_k"]:
    r"""Dual chunk attention: a key keeps one position, and a query has three, by how many chunks back the key lies.

    $$r(m, n) = -(n \bmod s) + \begin{cases} m \bmod s & \text{same chunk} \\
    \min(m \bmod s + s,\; c) & \text{next chunk} \\ \min(2s - 1,\; c) & \text{farther} \end{cases}$$

    `chunk` is c, the largest id, and `local` is l; the text is cut into chunks of s = c - l tokens.

    Refused: a `local` that is not below `chunk`.

    Source: An et al. 2024 (arXiv:2402.17463), section 3; `chunkllama_attn_replace.py` of HKUNLP/ChunkLlama, and
    `dual_chunk_rope.py` of vLLM.

    >>> dual_chunk_ids(torch.tensor([13]), torch.arange(14), chunk=6, local=2)
    tensor([[6, 5, 4, 3, 6, 5, 4, 3, 5, 4, 3, 2, 1, 0]])
    """
    chunk, size = int(chunk), int(chunk - local)
    back = pair_distances(q_positions, k_positions)
    chunks_back = pair_distances(group_numbers(q_positions, size), group_numbers(k_positions, size))
    place = q_positions.remainder(size)[..., :, None]
    farther = torch.where(chunks_back == 1, (place + size).clamp(max=chunk), min(2 * size - 1, chunk))
    far = farther - k_positions.remainder(size)[..., None, :]
    return torch.where(chunks_back <= 0, back, far)
