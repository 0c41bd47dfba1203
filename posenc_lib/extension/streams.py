"""Positions inside a cache that forgets: it keeps the first tokens of a stream and the most recent ones.

Like the maps in `windows`, a function from positions to ids [n_q, n_k]; and the mask that says what is still there.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from posenc_lib.inputs import require_values, require_whole
from posenc_lib.relative.distance import pair_distances, token_positions


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


def _require_stream(q_positions: Tensor, k_positions: Tensor, sinks: int, recent: int) -> Bool[Tensor, "*batch 1 n_k"]:
    """Checks the arguments of a stream; True for the keys that are sinks."""
    require_whole(least=0, sinks=sinks)
    require_whole(least=1, recent=recent)
    for name, positions in {"q_positions": q_positions, "k_positions": k_positions}.items():
        given = token_positions(positions)
        rule = f"{name} must count from 0, where the stream begins"
        require_values(given >= 0, rule, lambda bad, rule=rule, given=given: f"{rule}; got {given[bad][0].item()}")
    return token_positions(k_positions)[..., None, :] < sinks
