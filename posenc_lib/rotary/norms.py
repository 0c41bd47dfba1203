"""A norm of queries and keys, before what positions do to them: QK-norm."""

from __future__ import annotations

import torch
from jaxtyping import Float, Real
from torch import Tensor, nn

from posenc_lib.border import arithmetic_dtype, border, content, function, positive, whole
from posenc_lib.border.scores import features_of, require_pair
from posenc_lib.slots import QueryKeyTransform


class QueryKeyNorm(nn.Module):
    r"""A weighted root-mean-square norm of each query and each key, and then a transform of slot 2.

    $$q \mapsto R_m\big(g \circ q / \textstyle\sqrt{|q|^2/d + \varepsilon}\big)$$

    The weights g, one for each of the d features and the same in all heads, are learned, separately for queries and
    keys. They start at 1. They belong to features: for the other layout, reorder them too,
    `convert_layout(norm.q_weight, 1, ...)`. The arithmetic is done in float32 at least.

    Refused: a q or k with another number of features, and a transform that does not return both q and k.

    Source: Henry et al. 2020 (arXiv:2010.04245), with RMSNorm for the norm: `Qwen3Attention` of transformers 5.23.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> from posenc_lib.rotary import Rotary
    >>> q = torch.tensor([[3.0, 4.0]])
    >>> QueryKeyNorm(2, Rotary(geometric_freqs(2)))(q, q, torch.tensor([0]), torch.tensor([0]))[0].detach()
    tensor([[0.8485, 1.1314]])
    """

    @border(d=whole(1), transform=function, eps=positive)
    def __init__(self, d: int, transform: QueryKeyTransform, eps: float = 1e-6) -> None:
        super().__init__()
        self.transform, self.eps = transform, float(eps)
        self.q_weight, self.k_weight = nn.Parameter(torch.ones(d)), nn.Parameter(torch.ones(d))

    def extra_repr(self) -> str:
        return f"d={len(self.q_weight)}, eps={self.eps:g}"

    @border(
        features_of("the norm", "q", "self.q_weight"),
        features_of("the norm", "k", "self.k_weight"),
        q=content(2),
        k=content(2),
    )
    def forward(
        self,
        q: Float[Tensor, "*q_heads n_q d"],
        k: Float[Tensor, "*k_heads n_k d"],
        q_positions: Real[Tensor, "*q_batch n_q"],
        k_positions: Real[Tensor, "*k_batch n_k"],
    ) -> tuple[Float[Tensor, "*q_heads n_q d"], Float[Tensor, "*k_heads n_k d"]]:
        q, k = self._normed(q, self.q_weight), self._normed(k, self.k_weight)
        return require_pair(self.transform(q, k, q_positions, k_positions), q, k)

    def _normed(self, x: Tensor, weight: Tensor) -> Tensor:
        wide = x.to(arithmetic_dtype(x))
        mean_square = wide.square().mean(-1, keepdim=True)
        return (wide * torch.rsqrt(mean_square + self.eps) * weight.to(wide.dtype)).to(x.dtype)
