"""Masks of attention, True where a query may attend: causal ones, and those for padded texts."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Int, Real
from torch import Tensor

from posenc_lib.border import border, counted, shaped, whole
from posenc_lib.border.scores import comparable, ordered
from posenc_lib.border.values import require_values

__all__ = ["causal_mask", "padding_mask"]


@border(comparable, q_positions=ordered, k_positions=ordered)
def causal_mask(
    q_positions: Real[Tensor, "*#batch n_q"], k_positions: Real[Tensor, "*#batch n_k"]
) -> Bool[Tensor, "*batch n_q n_k"]:
    """True where the key does not come after the query.

    Positions are [n], or [b, 1, n] where each sample has its own, in any dtype but half precision, bool and complex.

    >>> causal_mask(torch.arange(1, 3), torch.arange(3))
    tensor([[ True,  True, False],
            [ True,  True,  True]])
    """
    return k_positions[..., None, :] <= q_positions[..., :, None]


def _require_lengths(lengths: Tensor, n: int) -> None:
    rule = f"lengths must lie between 1 and n = {n}"
    require_values((lengths >= 1) & (lengths <= n), rule, lambda bad: f"{rule}; got {lengths.tolist()}", wait=True)


_ONE_AXIS = shaped(
    counted("lengths count keys"),
    lambda shape: len(shape) == 1,
    "[b], one for each sequence",
    "Pass a mask to attention as it is",
)


@border(_require_lengths, lengths=_ONE_AXIS, n=whole())
def padding_mask(lengths: Int[Tensor, " b"], n: int) -> Bool[Tensor, "b 1 1 {n}"]:
    """True for the first `lengths[i]` of the n keys of sequence i, in every head and for every query.

    >>> padding_mask(torch.tensor([1, 3]), 3).squeeze()
    tensor([[ True, False, False],
            [ True,  True,  True]])

    For texts that are padded on the left, flip the mask, and count the positions of each text from 0:

    >>> n, lengths = 3, torch.tensor([1, 3])
    >>> real = padding_mask(lengths, n).flip(-1)
    >>> positions = torch.arange(n) - (n - lengths)[:, None, None]  # [b, 1, n]
    >>> positions[0]
    tensor([[-2, -1,  0]])

    Under a causal mask the queries of the padding then see no key, which attention refuses. Let them see all keys, and
    drop their outputs; a table, which has no row for their positions, takes `positions.clamp(min=0)`.

    >>> mask = causal_mask(positions, positions) & real | ~real.mT

    Refused: lengths outside 1 … n, since in an empty sequence there is nothing to attend to. On a GPU the check waits
    for the lengths; compiled, it is an assertion.
    """
    return (torch.arange(n, device=lengths.device) < lengths[:, None])[:, None, None, :]
