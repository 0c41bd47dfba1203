"""Factors on the scores that grow with the number of keys, against the thinning of attention in long texts."""

from __future__ import annotations

from collections.abc import Callable
from math import log

import torch
from jaxtyping import Float, Int, Real
from torch import Tensor, nn

from posenc_lib.inputs import (
    broadcasts,
    require_finite,
    require_floating,
    require_function,
    require_positions,
    require_tensor,
    require_values,
    require_whole,
)
from posenc_lib.slots import QueryKeyTransform


def log_n(positions: Int[Tensor, "*batch n"], trained_length: int) -> Float[Tensor, "*batch n"]:
    r"""The factor for a causal query at each position m, which sees n = m + 1 keys: 1 up to the trained length L.

    $$f_m = \max\!\left(1, \frac{\ln(m+1)}{\ln L}\right)$$

    In float64. Positions count from 0.

    Raises `ValueError` if the trained length is below 2, or for positions that are negative, not finite
    or beyond 2**40; `TypeError` for positions in half precision or bool, or a trained length that is no integer.
    On a GPU this waits for the positions; compiled, it is an assertion in the graph.

    Source: Su 2021 (kexue.fm/archives/8823); in this form in Qwen's code, as LogN-Scaling (arXiv:2309.16609).

    >>> log_n(torch.tensor([0, 7, 63]), 8)
    tensor([1., 1., 2.], dtype=torch.float64)
    """
    _require_from_zero(positions)
    require_whole(trained_length=trained_length)
    if trained_length < 2:
        raise ValueError(
            f"trained_length must be at least 2: the factor divides by its logarithm; got {trained_length}"
        )
    return ((positions.double() + 1).log() / log(trained_length)).clamp(min=1)


def log_steps(positions: Int[Tensor, "*batch n"], step: int, strength: float) -> Float[Tensor, "*batch n"]:
    r"""The factor of Ministral 3: one constant for each block of `step` positions, slowly growing.

    $$f_m = 1 + \beta \ln\!\left(1 + \left\lfloor \frac{m}{\text{step}} \right\rfloor\right)$$

    In float64. Llama 4 has the same with m + 1 for m: pass `positions + 1`.

    Raises `ValueError` if the step is not positive, if the strength is not finite, or for positions that are negative,
    not finite or beyond 2**40; `TypeError` for positions in half precision or bool, a step that is no integer, or a
    strength that is no number.

    Source: transformers, `get_llama_4_attn_scale` of Ministral 3, and `Llama4TextAttention`.

    >>> log_steps(torch.tensor([0, 7, 8, 16]), step=8, strength=1.0)
    tensor([1.0000, 1.0000, 1.6931, 2.0986], dtype=torch.float64)
    """
    _require_from_zero(positions)
    require_whole(step=step)
    require_finite(strength=strength)
    if step < 1:
        raise ValueError(f"step must be positive; got {step}")
    return 1 + strength * torch.log1p(positions.double().div(step).floor())


class ScaledQueries(nn.Module):
    r"""Multiplies each query by a factor of its position, after a transform of slot 2 if one is given.

    $$q_m \mapsto f_m\,q_m, \qquad \text{so} \quad \langle f_m q_m, k_n\rangle = f_m\,\langle q_m, k_n\rangle$$

    Keys stay as they are, so that a cache of keys stays right. Results have the dtype of q. Positions are [n], or have
    an axis for each of q's but the last, such as [b, 1, n].

    Raises `ValueError` if the factor does not fit q; `TypeError` if q is not floating point, or the factor no tensor.

    >>> scaled = ScaledQueries(lambda positions: log_n(positions, 8))
    >>> q, k = scaled(torch.ones(2, 1), torch.ones(2, 1), torch.tensor([7, 63]), torch.tensor([7, 63]))
    >>> q.flatten(), k.flatten()
    (tensor([1., 2.]), tensor([1., 1.]))
    """

    def __init__(self, factor: Callable[[Tensor], Tensor], transform: QueryKeyTransform | None = None) -> None:
        super().__init__()
        require_function(factor=factor, **({} if transform is None else {"transform": transform}))
        self.factor, self.transform = factor, transform

    def forward(
        self,
        q: Float[Tensor, "*q_heads n_q d"],
        k: Float[Tensor, "*k_heads n_k d"],
        q_positions: Real[Tensor, "*q_batch n_q"],
        k_positions: Real[Tensor, "*k_batch n_k"],
    ) -> tuple[Float[Tensor, "*q_heads n_q d"], Float[Tensor, "*k_heads n_k d"]]:
        require_floating(axes=2, q=q, k=k)
        if self.transform is not None:
            q, k = self.transform(q, k, q_positions, k_positions)
        factor = self.factor(q_positions)
        _require_fitting(factor, q)
        return (q * factor[..., None]).to(q.dtype), k  # the factor is float64: rounded once


def _require_fitting(factor: Tensor, q: Tensor) -> None:
    require_tensor(factor=factor)
    given, rows = factor.shape, q.shape[:-1]
    # Only these two ranks: [b, n] beside [b, h, n] would be taken for one row per head wherever b = h.
    if not broadcasts(given, rows, 1):
        raise ValueError(
            f"the factor must be [n], or have an axis for each of q's but the last, as {[*rows[:-2], 1, rows[-1]]} has;"
            f" got {list(given)} for q {list(q.shape)}"
        )


def _require_from_zero(positions: Tensor) -> None:
    require_positions(positions)
    require_values(
        positions.double() >= 0,
        "positions start at 0",
        lambda bad: (
            f"positions count the keys that a query sees, so they start at 0; got {positions[bad].min().item()}"
        ),
        wait=True,
    )
