"""TUPE: places and tokens are untied, each with matrices of their own, and the class token's place is reset."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from posenc_lib.border import border, flag, function, tokens, whole
from posenc_lib.border.positions import require_one_batch
from posenc_lib.border.precision import full_precision
from posenc_lib.border.scores import equal_heads, require_fitting
from posenc_lib.border.tensors import require_made
from posenc_lib.slots import AttentionBias, PositionEmbedding, Slots


class TupeBias(nn.Module):
    r"""The product of the query's place with the key's place, as a bias; `slots()` is what `attention` takes.

    $$B_{mn} = \frac{(p_m U_q) \cdot (p_n U_k)}{\sqrt{2d}} + b_{mn}, \qquad
    B_{0n} = \theta_1, \quad B_{m0} = \theta_2 \;\; (m \ne 0)$$

    `embed` gives $p$, such as a learned table; `relative` gives $b$, such as `T5Bias` (without one this is the paper's
    TUPE-A, with one its TUPE-R). A class token at position 0 gets two numbers a head instead, `from_class` and
    `to_class`, which start at zero; `class_token=False` leaves position 0 as it is. All layers share one module.
    Positions are integers, [n], or [b, 1, n] where each sample has its own. The result has the dtype of $p\,U$.

    Refused: an h that does not divide d_model, an `embed` that gives another shape than [..., n, d_model], a `relative`
    that does not fit the scores, and what these two refuse themselves.

    Source: Ke, He and Liu 2021 (arXiv:2006.15595), section 3.

    >>> from posenc_lib.absolute import Sinusoidal, sinusoidal
    >>> bias = TupeBias(lambda positions: sinusoidal(positions, 8), d_model=8, h=2)
    >>> bias(torch.arange(3), torch.arange(5)).shape
    torch.Size([2, 3, 5])
    """

    @border(equal_heads, embed=function, d_model=whole(1), h=whole(1), relative=function, class_token=flag)
    def __init__(
        self,
        embed: PositionEmbedding,
        d_model: int,
        h: int,
        *,
        relative: AttentionBias | None = None,
        class_token: bool = True,
    ) -> None:
        super().__init__()
        self.embed, self.relative, self.h, self.class_token = embed, relative, h, class_token
        self.scale = (2 * d_model // h) ** -0.5
        self.to_queries = nn.Linear(d_model, d_model, bias=False)
        self.to_keys = nn.Linear(d_model, d_model, bias=False)
        self.from_class = nn.Parameter(torch.zeros(h, 1, 1))
        self.to_class = nn.Parameter(torch.zeros(h, 1, 1))

    def extra_repr(self) -> str:
        return f"d_model={self.to_keys.in_features}, h={self.h}, class_token={self.class_token}"

    def slots(self) -> Slots:
        """What `attention` takes: this bias, and the scale for two terms."""
        return Slots(bias=self, scale=self.scale)

    @border(require_one_batch, q_positions=tokens, k_positions=tokens)
    def forward(
        self, q_positions: Int[Tensor, "*q_batch n_q"], k_positions: Int[Tensor, "*k_batch n_k"]
    ) -> Float[Tensor, "*batch h n_q n_k"]:
        with full_precision(q_positions):
            bias = self._heads(self.to_queries, q_positions) @ self._heads(self.to_keys, k_positions).mT * self.scale
        if self.relative is not None:
            bias = bias + require_fitting("relative", self.relative(q_positions, k_positions), bias)
        if not self.class_token:
            return bias
        bias = torch.where((k_positions == 0)[..., None, :], self.to_class, bias)
        return torch.where((q_positions == 0)[..., :, None], self.from_class, bias)

    def _heads(self, linear: nn.Module, positions: Tensor) -> Tensor:
        """[h, n, d], or [b, h, n, d]"""
        positions = positions[:, 0] if positions.ndim == 3 else positions
        wanted = (*positions.shape, self.to_keys.in_features)
        needed = f"give d_model = {wanted[-1]} features for each position, {[*wanted]}"
        places = require_made("embed", self.embed(positions), wanted, needed=needed)
        return linear(places).unflatten(-1, (self.h, -1)).movedim(-2, -3)
