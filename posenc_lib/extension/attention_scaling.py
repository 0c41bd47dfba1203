"""Factors on the scores that grow with the number of keys, against the thinning of attention in long texts."""

from __future__ import annotations

from collections.abc import Callable
from math import log

import torch
from jaxtyping import Float, Int, Real
from torch import Tensor, nn

from posenc_lib.border import border, content, finite, from_zero, function, length, places
from posenc_lib.border.positions import require_fitting_positions
from posenc_lib.border.scores import require_pair
from posenc_lib.border.values import require_no_nan
from posenc_lib.extension.interpolation import length_with_logarithm
from posenc_lib.slots import QueryKeyTransform

_COUNTED = from_zero("as the keys do that a query sees", places)


@border(positions=_COUNTED, trained_length=length_with_logarithm)
def log_n(positions: Int[Tensor, "*batch n"], trained_length: int) -> Float[Tensor, "*batch n"]:
    r"""The factor for a causal query at each position m, which sees n = m + 1 keys: 1 up to the trained length L.

    $$f_m = \max\!\left(1, \frac{\ln(m+1)}{\ln L}\right)$$

    The result is in float64. Positions count from 0.

    Refused: a trained length below 2, and negative positions; on a GPU the check waits for them, and compiled it is an
    assertion in the graph.

    Source: Su 2021 (kexue.fm/archives/8823); in this form in Qwen's code, as LogN-Scaling (arXiv:2309.16609).

    >>> log_n(torch.tensor([0, 7, 63]), 8)
    tensor([1., 1., 2.], dtype=torch.float64)
    """
    return ((positions.double() + 1).log() / log(trained_length)).clamp(min=1)


@border(positions=_COUNTED, step=length, strength=finite)
def log_steps(positions: Int[Tensor, "*batch n"], step: int, strength: float) -> Float[Tensor, "*batch n"]:
    r"""The factor of Ministral 3: one constant for each block of `step` positions, which grows slowly.

    $$f_m = 1 + \beta \ln\!\left(1 + \left\lfloor \frac{m}{\text{step}} \right\rfloor\right)$$

    The result is in float64. Llama 4 has m + 1 in place of m: pass `positions + 1`.

    Refused: negative positions.

    Source: transformers, `get_llama_4_attn_scale` of Ministral 3, and `Llama4TextAttention`.

    >>> log_steps(torch.tensor([0, 7, 8, 16]), step=8, strength=1.0)
    tensor([1.0000, 1.0000, 1.6931, 2.0986], dtype=torch.float64)
    """
    return 1 + strength * torch.log1p(positions.double().div(step).floor())


class ScaledQueries(nn.Module):
    r"""Multiplies each query by a factor of its position, after a transform of slot 2 if one is given.

    $$q_m \mapsto f_m\,q_m, \qquad \text{so} \quad \langle f_m q_m, k_n\rangle = f_m\,\langle q_m, k_n\rangle$$

    Keys stay as they are, so that cached keys stay right. The results have the dtype of q. Positions are [n], or have
    as many axes as q without its last, such as [b, 1, n].

    Refused: a factor that does not fit q or is not floating point, and a transform that does not return both q and k.

    >>> scaled = ScaledQueries(lambda positions: log_n(positions, 8))
    >>> q, k = scaled(torch.ones(2, 1), torch.ones(2, 1), torch.tensor([7, 63]), torch.tensor([7, 63]))
    >>> q.flatten(), k.flatten()
    (tensor([1., 2.]), tensor([1., 1.]))
    """

    @border(factor=function, transform=function)
    def __init__(self, factor: Callable[[Tensor], Tensor], transform: QueryKeyTransform | None = None) -> None:
        super().__init__()
        self.factor, self.transform = factor, transform

    @border(q=content(2), k=content(2))
    def forward(
        self,
        q: Float[Tensor, "*q_heads n_q d"],
        k: Float[Tensor, "*k_heads n_k d"],
        q_positions: Real[Tensor, "*q_batch n_q"],
        k_positions: Real[Tensor, "*k_batch n_k"],
    ) -> tuple[Float[Tensor, "*q_heads n_q d"], Float[Tensor, "*k_heads n_k d"]]:
        if self.transform is not None:
            q, k = require_pair(self.transform(q, k, q_positions, k_positions), q, k)
        factors = require_no_nan("the factor", content(1)("the factors", self.factor(q_positions)))
        require_fitting_positions(factors, q, "the factors")
        return (q * factors[..., None]).to(q.dtype), k  # the factors are float64: rounded once
