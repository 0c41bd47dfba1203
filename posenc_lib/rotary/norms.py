"""A norm of queries and keys, before what positions do to them: QK-norm."""

from __future__ import annotations

import torch
from jaxtyping import Float, Real
from torch import Tensor, nn

from posenc_lib.border.tensors import arithmetic_dtype
from posenc_lib.inputs import require_floating, require_function, require_positive, require_whole
from posenc_lib.slots import QueryKeyTransform


class QueryKeyNorm(nn.Module):
    r"""Root-mean-square norm of each query and of each key, weighted, and then a transform of slot 2.

    $$q \mapsto R_m\big(g \circ q / \textstyle\sqrt{|q|^2/d + \varepsilon}\big)$$

    The weights g, one for each of the d features and the same in all heads, are learned, those of keys apart from those
    of queries. They start at 1. They belong to features: for the other layout reorder them too,
    `convert_layout(norm.q_weight, 1, ...)`. The arithmetic is done in float32 at least.

    Raises `ValueError` if d or eps is not positive, or if q or k has another number of features; `TypeError` if the
    transform cannot be called, or q or k is not floating point.

    Source: Henry et al. 2020 (arXiv:2010.04245), with RMSNorm for the norm: `Qwen3Attention` of transformers 5.23.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> from posenc_lib.rotary import Rotary
    >>> q = torch.tensor([[3.0, 4.0]])
    >>> QueryKeyNorm(2, Rotary(geometric_freqs(2)))(q, q, torch.tensor([0]), torch.tensor([0]))[0].detach()
    tensor([[0.8485, 1.1314]])
    """

    def __init__(self, d: int, transform: QueryKeyTransform, eps: float = 1e-6) -> None:
        super().__init__()
        require_whole(d=d, least=1)
        require_function(transform=transform)
        require_positive(eps=eps)
        self.transform, self.eps = transform, float(eps)
        self.q_weight, self.k_weight = nn.Parameter(torch.ones(d)), nn.Parameter(torch.ones(d))

    def forward(
        self,
        q: Float[Tensor, "*q_heads n_q d"],
        k: Float[Tensor, "*k_heads n_k d"],
        q_positions: Real[Tensor, "*q_batch n_q"],
        k_positions: Real[Tensor, "*k_batch n_k"],
    ) -> tuple[Float[Tensor, "*q_heads n_q d"], Float[Tensor, "*k_heads n_k d"]]:
        require_floating(axes=2, q=q, k=k)
        q, k = self._normed(q, self.q_weight), self._normed(k, self.k_weight)
        return self.transform(q, k, q_positions, k_positions)

    def _normed(self, x: Tensor, weight: Tensor) -> Tensor:
        if x.shape[-1] != len(weight):
            raise ValueError(f"the norm has d = {len(weight)} weights; got {list(x.shape)}, so {x.shape[-1]} features")
        wide = x.to(arithmetic_dtype(x))
        mean_square = wide.square().mean(-1, keepdim=True)
        return (wide * torch.rsqrt(mean_square + self.eps) * weight.to(wide.dtype)).to(x.dtype)
