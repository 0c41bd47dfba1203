"""What a layer may see, as a bias of slot 3: so that each layer of a model can have its own, beside its rotation.

One value for each layer says all of it: `Slots(transform=Rotary(freqs), bias=SlidingWindow(4096))` is a local layer
with rotation, and `Slots()` a global one without.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from posenc_lib.border import border, length
from posenc_lib.relative.distance import group_numbers, pair_distances


class SlidingWindow(nn.Module):
    r"""The bias of slot 3 that masks every key that is `width` or more tokens away.

    $$B_{mn} = 0 \text{ if } |m - n| < w, \text{ and } -\infty \text{ otherwise}$$

    Under a causal mask a query sees the last w tokens, its own among them, so w - 1 is the largest distance. Positions
    are [n], or [b, 1, n] where each sample has its own; the bias is [n_q, n_k] or [b, 1, n_q, n_k], for all heads.

    Source: Beltagy, Peters and Cohan 2020 (arXiv:2004.05150), section 3.1, who count the tokens on both sides;
    `sliding_window_overlay` in transformers 5.23, which counts as here.

    >>> SlidingWindow(2)(torch.arange(3), torch.arange(3))
    tensor([[0., 0., -inf],
            [0., 0., 0.],
            [-inf, 0., 0.]])
    """

    @border(width=length)
    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width

    def extra_repr(self) -> str:
        return f"width={self.width}"

    def forward(
        self, q_positions: Int[Tensor, "*q_batch n_q"], k_positions: Int[Tensor, "*k_batch n_k"]
    ) -> Float[Tensor, "*batch n_q n_k"]:
        return _shut_out(pair_distances(q_positions, k_positions).abs() >= self.width)


class Chunked(nn.Module):
    r"""The bias of slot 3 that masks every key of another chunk, in a text that is cut every `size` positions.

    $$B_{mn} = 0 \text{ if } \lfloor m/c \rfloor = \lfloor n/c \rfloor, \text{ and } -\infty \text{ otherwise}$$

    The first tokens of a chunk see hardly any others, and no stack of such layers sees further: unlike a window it
    depends on where a text begins. Positions and result as in `SlidingWindow`.

    Source: `chunked_overlay` in transformers 5.23, for Llama 4.

    >>> Chunked(2)(torch.arange(3), torch.arange(3))
    tensor([[0., 0., -inf],
            [0., 0., -inf],
            [-inf, -inf, 0.]])
    """

    @border(size=length)
    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size

    def extra_repr(self) -> str:
        return f"size={self.size}"

    def forward(
        self, q_positions: Int[Tensor, "*q_batch n_q"], k_positions: Int[Tensor, "*k_batch n_k"]
    ) -> Float[Tensor, "*batch n_q n_k"]:
        chunks = group_numbers(q_positions, self.size), group_numbers(k_positions, self.size)
        return _shut_out(pair_distances(*chunks) != 0)


def _shut_out(hidden: Bool[Tensor, "*batch n_q n_k"]) -> Float[Tensor, "*batch n_q n_k"]:
    return torch.zeros_like(hidden, dtype=torch.float32).masked_fill(hidden, float("-inf"))
