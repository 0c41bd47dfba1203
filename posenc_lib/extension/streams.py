"""Positions inside a cache that forgets: it keeps the first tokens of a stream and the most recent ones.

`sink_ids` is a function from positions to ids [n_q, n_k], like the maps in `windows`; `sink_mask` says which keys are
still there.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from posenc_lib.border import border, from_zero, length, tokens, whole
from posenc_lib.border.positions import MAX_TOKEN
from posenc_lib.relative.distance import pair_distances

_TOKENS = from_zero("where the stream begins", tokens)
_STREAM = {"q_positions": _TOKENS, "k_positions": _TOKENS, "sinks": whole(0, MAX_TOKEN), "recent": length}


@border(**_STREAM)
def sink_ids(
    q_positions: Int64[Tensor, "*q_batch n_q"], k_positions: Int64[Tensor, "*k_batch n_k"], sinks: int, recent: int
) -> Int64[Tensor, "*batch n_q n_k"]:
    r"""StreamingLLM: the distance inside a cache that keeps the first S tokens and the R most recent ones.

    $$r(m, n) = \begin{cases} \min(m,\; S + R - 1) - n & n < S \\ m - n & n \ge S \end{cases}$$

    R counts the query's own token. Keys that `sink_mask` does not keep are no longer in the cache: mask them.

    Refused: negative positions.

    Source: Xiao et al. 2023 (arXiv:2309.17453), section 3.2; `kv_cache.py` and `pos_shift/modify_llama.py` of
    mit-han-lab/streaming-llm.

    >>> sink_ids(torch.tensor([9]), torch.arange(10), sinks=2, recent=3)
    tensor([[4, 3, 7, 6, 5, 4, 3, 2, 1, 0]])
    """
    back = pair_distances(q_positions, k_positions)
    forgotten = (q_positions - (sinks + recent - 1)).clamp(0)
    return torch.where(k_positions[..., None, :] < sinks, back - forgotten[..., :, None], back)


@border(**_STREAM)
def sink_mask(
    q_positions: Int64[Tensor, "*q_batch n_q"], k_positions: Int64[Tensor, "*k_batch n_k"], sinks: int, recent: int
) -> Bool[Tensor, "*batch n_q n_k"]:
    """True where the key is in the cache of StreamingLLM: one of the first `sinks`, or of the last `recent`.

    Arguments and errors are as in `sink_ids`.

    >>> sink_mask(torch.tensor([9]), torch.arange(10), sinks=2, recent=3).int()
    tensor([[1, 1, 0, 0, 0, 0, 0, 1, 1, 1]], dtype=torch.int32)
    """
    back = pair_distances(q_positions, k_positions)
    return (back >= 0) & ((k_positions[..., None, :] < sinks) | (back < recent))
