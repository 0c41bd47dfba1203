"""ALiBi: every token of distance costs a head the same amount of score. Nothing is learned, and no table ends.

A bias is f(m - n), where m - n says how many tokens back the key lies, as the paper's i - j does.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from posenc_lib.border import (
    border,
    constant,
    device,
    float_dtype,
    not_negative,
    per_pair,
    positive,
    shared,
    together,
    whole,
)
from posenc_lib.border.precision import register_exact
from posenc_lib.relative.distance import ScoreMod, distance_of, toeplitz_bias

_SLOPES = constant("detach them", not_negative("the minus sign is in the formula", per_pair("h", "one per head")))

_BOTH = together(
    lambda slopes, future_slopes: future_slopes is None or slopes.shape == future_slopes.shape,
    lambda slopes, future_slopes: (
        f"each head needs both slopes; got {len(slopes)} and {len(future_slopes)} future_slopes"
    ),
)


@border(h=whole(1), exponent=positive, dtype=float_dtype, device=device)
def alibi_slopes(
    h: int, exponent: float = 8.0, *, dtype: torch.dtype = torch.float32, device: torch.device | str | None = None
) -> Float[Tensor, "{h}"]:
    r"""One slope for each head, in score per token, falling geometrically to $2^{-\text{exponent}}$.

    $$s_k = 2^{-\text{exponent}\cdot k/h}, \qquad k = 1, \dots, h$$

    for h a power of two. For other h, the rule is that of the authors' code: the slopes of the largest power of two p
    below h, then the first h - p of those that 2p heads would add, k = 1, 3, 5, … . (The paper has the formula for all
    h; the models do not.) MPT calls the exponent `alibi_bias_max`.

    Refused: an h or an exponent that is not positive.

    Source: Press, Smith and Lewis 2022 (arXiv:2108.12409), section 3; `get_slopes` in the authors' repository
    (ofirpress/attention_with_linear_biases).

    >>> alibi_slopes(6)
    tensor([0.2500, 0.0625, 0.0156, 0.0039, 0.5000, 0.1250])
    """
    p = 1 << (int(h).bit_length() - 1)
    even, odd = (torch.arange(i, n, 2, device=device) for i, n in ((2, 2 * p + 1), (1, 2 * (h - p) + 1)))
    steps = torch.cat((even, odd)).double()
    return torch.pow(2.0, -exponent * steps / (2 * p)).to(dtype)


class Alibi(nn.Module):
    r"""The bias of slot 3 that falls linearly with the distance, at each head's own slope.

    $$B_{mn} = -s\,|m - n|$$

    The bias is added to the scores as it is: $1/\sqrt d$ scales $qk^\top$ alone. Without a causal mask this is the
    symmetric form; `future_slopes` gives keys after the query slopes of their own. Positions are [n], or [b, 1, n]
    where each sample has its own. The bias has the dtype of the slopes, which keep it whatever the module is cast to.
    The slopes are constants: the paper's authors saw no strong results with learned ones.

    Refused: slopes that are negative, not finite or require a gradient, and unequal numbers of `slopes` and
    `future_slopes`.

    Source: Press, Smith and Lewis 2022 (arXiv:2108.12409), section 3.

    >>> Alibi(torch.tensor([0.5]))(torch.arange(3), torch.arange(3))
    tensor([[[ 0.0000, -0.5000, -1.0000],
             [-0.5000,  0.0000, -0.5000],
             [-1.0000, -0.5000,  0.0000]]])
    """

    @border(_BOTH, slopes=_SLOPES, future_slopes=_SLOPES)
    def __init__(self, slopes: Float[Tensor, " h"], future_slopes: Float[Tensor, " h"] | None = None) -> None:
        super().__init__()
        both = slopes, slopes if future_slopes is None else future_slopes
        register_exact(self, "slopes", torch.stack(both))

    @property
    def slopes(self) -> Float[Tensor, "2 h"]:
        """The slopes for keys before the query, and for those after it."""
        return self._slopes.value

    def extra_repr(self) -> str:
        return f"h={self.slopes.shape[1]}"

    def bias_at(self, distances: Int[Tensor, "*batch"]) -> Float[Tensor, "h *batch"]:
        past, future = self.slopes.unflatten(1, (-1, *[1] * distances.ndim))
        return torch.where(distances > 0, -past * distances, future * distances)

    def forward(
        self, q_positions: Int[Tensor, "*q_batch n_q"], k_positions: Int[Tensor, "*k_batch n_k"]
    ) -> Float[Tensor, "*batch h n_q n_k"]:
        return toeplitz_bias(self.bias_at, q_positions, k_positions)

    @border(q_positions=shared, k_positions=shared)
    def score_mod(self, q_positions: Int[Tensor, " n_q"], k_positions: Int[Tensor, " n_k"]) -> ScoreMod:
        """The same for torch's `flex_attention`, computed for each score: no table is made, however far the texts."""
        (past, future), back = self.slopes, distance_of(q_positions, k_positions)
        # The lower of two lines: since no slope is negative, the future's is lower exactly after the query.
        return lambda score, sample, head, query, key: (
            score + torch.minimum(-past[head] * back(query, key), future[head] * back(query, key))
        )
