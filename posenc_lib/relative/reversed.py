"""A bias of the distance for torch's fused attention, as a view of one number for each distance: no table is written.

`toeplitz_bias` gives rows that shift to the right as the query moves on: no strides describe them. With the last query
first they shift to the left, and then one line of numbers, read from a place further on in each row, is all of it.
"""

from __future__ import annotations

from typing import Any

import torch  # noqa: F401  (for the example)
from jaxtyping import Float, Int
from torch import Tensor

from posenc_lib.border import border, function, known, shared
from posenc_lib.relative.distance import BiasAt, all_distances, bias_of, consecutive

__all__ = ["reversed_bias"]


def _consecutive(name: str, x: Any) -> Tensor:
    """The rule of positions between which rows of the bias are shifts of one another."""
    positions = known(shared)(name, x)
    if not consecutive(positions):
        raise ValueError(
            f"{name} must be consecutive, m, m + 1, …, or its rows are no shifts of one another: add toeplitz_bias"
        )
    return positions


@border(bias_at=function, q_positions=_consecutive, k_positions=_consecutive)
def reversed_bias(
    bias_at: BiasAt, q_positions: Int[Tensor, " n_q"], k_positions: Int[Tensor, " n_k"]
) -> Float[Tensor, "h n_q n_k"]:
    r"""The bias of each head with its queries in reverse, for positions m, m + 1, … on both sides.

    $$\text{out}_{in} = f(m_{n_q - 1 - i} - n)$$

    It holds n_q + n_k - 1 numbers a head, whatever n_q n_k is: a Hankel matrix, each of whose rows is the one before,
    shifted by one. torch's fused attention reads it as it is, once the queries are reversed too (on a CPU its fast
    kernel takes a mask of four axes only):

    `scaled_dot_product_attention(q.flip(-2), k, v, attn_mask=reversed_bias(f, m, n)[None]).flip(-2)`

    A causal mask goes into f, as -inf for negative distances. Make it outside graphs and transforms, since the
    positions decide how many numbers there are. Do not write into the result, whose rows share their numbers.

    Refused: positions that are not [n], or not consecutive.

    >>> reversed_bias(lambda back: back[None].float(), torch.arange(2), torch.arange(3))
    tensor([[[ 1.,  0., -1.],
             [ 0., -1., -2.]]])
    """
    return bias_of(bias_at, all_distances(q_positions, k_positions).flip(0)).unfold(-1, len(k_positions), 1)
