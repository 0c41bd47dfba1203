"""Say in one sentence what the method does, and what it learns."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from posenc_lib.border import border, whole
from posenc_lib.relative.distance import ScoreMod, score_mod, toeplitz_bias

# The example: a slope that each head learns. Put your method in its place, and delete these lines. What to copy from:
# - a bias that learns: T5Bias; with constants, which stay exact: Alibi; that reads queries or keys: ShawKeys;
# - vectors added to the embeddings: sinusoidal, a function, and Learned; frequencies for Rotary: proportional_freqs;
# - a map of distances: leaky_rerope_ids. What every slot takes, `Slots` says. The letters: book/notation.md.
# What learns is an nn.Parameter, and starts as in the paper, or where it does nothing. Positions are arguments, and the
# signature gives the shapes: the tests enforce them. No `if` on the values of a tensor: torch.vmap and the meta device
# have none. What is asked of an argument stands above the function, as a rule of posenc_lib.border; so does what
# several must satisfy together, `together(…)`.
# A function with the name of this file would hide it: then the file begins with an underscore. Every public name is
# exported by its room (make lists writes that), unless an __all__ here says otherwise; what most users need goes into
# posenc_lib/__init__.py as well.


class CLASS(nn.Module):
    r"""Say in one sentence what it adds to the scores.

    $$B^{(h)}_{mn} = -s_h\,|m - n|$$

    Each head learns its slope $s_h$, which starts at 1. Positions are integers, [n], or [b, 1, n] where each sample has
    its own. The result is float32 at least, since half precision would lose the distances.

    Source: authors and year (arXiv number), section.

    >>> CLASS(h=1)(torch.arange(3), torch.arange(3)).detach()
    tensor([[[ 0., -1., -2.],
             [-1.,  0., -1.],
             [-2., -1.,  0.]]])
    """

    @border(h=whole(1))
    def __init__(self, h: int) -> None:
        super().__init__()
        self.slopes = nn.Parameter(torch.ones(h))

    def bias_at(self, distances: Int[Tensor, "*batch"]) -> Float[Tensor, "h *batch"]:
        """For each head and distance, in tokens back."""
        wide = torch.promote_types(self.slopes.dtype, torch.float32)
        # A product, not a tensordot: autocast would put that into half precision.
        return self.slopes.to(wide).reshape(-1, *[1] * distances.ndim) * -distances.abs()

    def forward(
        self, q_positions: Int[Tensor, "*q_batch n_q"], k_positions: Int[Tensor, "*k_batch n_k"]
    ) -> Float[Tensor, "*batch h n_q n_k"]:
        return toeplitz_bias(self.bias_at, q_positions, k_positions)

    def score_mod(self, q_positions: Int[Tensor, " n_q"], k_positions: Int[Tensor, " n_k"]) -> ScoreMod:
        """The same for torch's `flex_attention`, which makes no table."""
        return score_mod(self.bias_at, q_positions, k_positions)
