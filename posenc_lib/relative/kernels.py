"""Biases that are kernels of the distance: KERPLE's logarithm and power, Sandwich's cosines, BAM's free exponent.

Each is a function of |m - n|, so the weights of a shifted text are the same. ALiBi is the power with the exponent 1.
"""

from __future__ import annotations

from typing import Any, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from posenc_lib.border import (
    border,
    constant,
    distances,
    each,
    float_dtype,
    one_of,
    per_pair,
    shaped,
    table,
    together,
    whole,
)
from posenc_lib.border.precision import register_exact
from posenc_lib.border.values import require_all
from posenc_lib.relative.distance import ScoreMod, score_mod, toeplitz_bias

Kernel = Literal["log", "power"]

LEAST = 0.01
"""The authors of KERPLE clamp their numbers here."""

_EACH = per_pair("h", "one per head")


def _positive(name: str, x: Any) -> Tensor:
    require_all(x, _EACH(name, x) > 0, f"{name} must be positive", wait=True)
    return x


_BOTH = together(
    lambda r1, r2: r1.shape == r2.shape, lambda r1, r2: f"each head needs both; got {len(r1)} r1 and {len(r2)} r2"
)
_TO_2 = each(
    lambda r2, kernel: (r2 <= 2) | (kernel == "log"),
    "r2 must be at most 2: a greater power of the distance is no kernel",
    wait=True,
)
_HEADS = shaped(table(), lambda shape: len(shape) == 1 and shape[0] > 0, "[h], one number per head")
_DEFINED = each(lambda r2: r2 >= 0, "r2 must not be negative, or some distances have no finite bias")


@border(_BOTH, _DEFINED, r1=_HEADS, r2=_HEADS, distances=distances)
def log_kernel(
    r1: Float[Tensor, " h"], r2: Float[Tensor, " h"], distances: Int[Tensor, "*batch"]
) -> Float[Tensor, "h *batch"]:
    r"""KERPLE's logarithm of the distance, in score for each head and distance.

    $$f(t) = -r_1 \ln(1 + r_2\,|t|)$$

    Distances are in tokens, of either sign. For small $r_2$ it is ALiBi's line with the slope $r_1 r_2$.

    Refused: a negative $r_2$, numbers that are not finite, and more of one than of the other.

    Source: Chi, Fan, Ramadge and Rudnicky 2022 (arXiv:2205.09921), corollary 1(b) with the inner exponent 1;
    `ParallelKerpleLog` in their code.

    >>> log_kernel(torch.tensor([2.0]), torch.tensor([1.0]), torch.tensor([0, 1, 3, -3]))
    tensor([[-0.0000, -1.3863, -2.7726, -2.7726]])
    """
    return -_each(r1, distances) * torch.log1p(_each(r2, distances) * distances.abs())


@border(_BOTH, _DEFINED, r1=_HEADS, r2=_HEADS, distances=distances)
def power_kernel(
    r1: Float[Tensor, " h"], r2: Float[Tensor, " h"], distances: Int[Tensor, "*batch"]
) -> Float[Tensor, "h *batch"]:
    r"""KERPLE's power of the distance, in score for each head and distance.

    $$f(t) = -r_1\,|t|^{r_2}$$

    Distances are in tokens, of either sign. With $r_2 = 1$ it is ALiBi; above $r_2 = 2$ it is no kernel any more.

    Refused: as in `log_kernel`.

    Source: Chi, Fan, Ramadge and Rudnicky 2022 (arXiv:2205.09921), corollary 1(a); `ParallelKerplePower` in their code.

    >>> power_kernel(torch.tensor([0.5]), torch.tensor([2.0]), torch.tensor([0, 1, 3, -3]))
    tensor([[-0.0000, -0.5000, -4.5000, -4.5000]])
    """
    return -_each(r1, distances) * distances.abs() ** _each(r2, distances)


@border(h=whole(1), kernel=one_of(Kernel))
def kerple_start(h: int, kernel: Kernel = "log") -> tuple[Float[Tensor, " {h}"], Float[Tensor, " {h}"]]:
    """The numbers $r_1$ and $r_2$ with which training begins, drawn by torch's generator for each head.

    They are uniform from 0 to 2 for the factor of the logarithm and for the exponent, from 0 to 1 for the other two;
    a number below 0.01 becomes 0.01, as in the authors' code.

    Source: `megatron/mpu/layers.py` in the repository of Chi, Fan, Ramadge and Rudnicky (chijames/KERPLE).

    >>> [r.shape for r in kerple_start(8)]
    [torch.Size([8]), torch.Size([8])]
    """
    to_2, to_1 = (2 * torch.rand(h)).clamp(LEAST), torch.rand(h).clamp(LEAST)
    return (to_2, to_1) if kernel == "log" else (to_1, to_2)


class Kerple(nn.Module):
    r"""A bias from one of KERPLE's two kernels, with two numbers that each head learns.

    $$B_{mn} = -r_1 \ln(1 + r_2\,|m - n|) \quad \text{or} \quad B_{mn} = -r_1\,|m - n|^{r_2}$$

    It starts with the numbers given, such as `kerple_start(h)` or those of a checkpoint, and is added to scores that
    are already divided by $\sqrt d$. What is stored, and learned, are $\ln r_1$ and $\ln r_2$, or for the exponent
    $\ln\frac{r_2}{2 - r_2}$, so that no step of training can leave the range; the authors store $r_1$ and $r_2$
    and clamp them at 0.01, and the exponent at 2. Positions are integers, [n], or [b, 1, n] where each sample has
    its own. The result is float32 at least.

    Refused: another kernel; numbers that are not positive; an exponent above 2; more of one than of the other.

    Source: Chi, Fan, Ramadge and Rudnicky 2022 (arXiv:2205.09921), corollary 1.

    >>> kerple = Kerple(torch.tensor([2.0]), torch.tensor([1.0]))
    >>> kerple(torch.tensor([3]), torch.arange(4)).detach()
    tensor([[[-2.7726, -2.1972, -1.3863, -0.0000]]])
    """

    @border(_BOTH, _TO_2, r1=_positive, r2=_positive, kernel=one_of(Kernel))
    def __init__(self, r1: Float[Tensor, " h"], r2: Float[Tensor, " h"], kernel: Kernel = "log") -> None:
        super().__init__()
        self.kernel = kernel
        self.log_r1 = nn.Parameter(r1.detach().log())
        self.raw_r2 = nn.Parameter(r2.detach().log() if kernel == "log" else (r2.detach() / 2).logit())

    @property
    def r1(self) -> Float[Tensor, " h"]:
        return _wide(self.log_r1).exp()

    @property
    def r2(self) -> Float[Tensor, " h"]:
        raw = _wide(self.raw_r2)
        return raw.exp() if self.kernel == "log" else 2 * raw.sigmoid()

    def extra_repr(self) -> str:
        return f"h={len(self.log_r1)}, kernel={self.kernel!r}"

    def bias_at(self, distances: Int[Tensor, "*batch"]) -> Float[Tensor, "h *batch"]:
        """For each head and distance, in tokens."""
        return (log_kernel if self.kernel == "log" else power_kernel)(self.r1, self.r2, distances)

    def forward(
        self, q_positions: Int[Tensor, "*q_batch n_q"], k_positions: Int[Tensor, "*k_batch n_k"]
    ) -> Float[Tensor, "*batch h n_q n_k"]:
        return toeplitz_bias(self.bias_at, q_positions, k_positions)

    def score_mod(self, q_positions: Int[Tensor, " n_q"], k_positions: Int[Tensor, " n_k"]) -> ScoreMod:
        return score_mod(self.bias_at, q_positions, k_positions)


class Sandwich(nn.Module):
    r"""The bias that is the inner product of two sinusoidal position vectors, less what a vector has with itself.

    $$B^{(j)}_{mn} = \frac{h}{8j}\,\Big(p_m \cdot p_n - \frac d2\Big)
    = \frac{h}{8j} \sum_{i=0}^{d/2-1} \big(\cos (m - n)\theta_i - 1\big), \qquad j = 1, \dots, h$$

    Nothing is learned. `freqs` are the $\theta_i$, such as `geometric_freqs(128)`; d is twice their number, and need
    not be a head's. Angles are computed in float64 from exact frequencies, whatever the module is cast to, and the bias
    is cast to `dtype` at the end (None: torch's default dtype). NeMo counts i from 1: its frequencies are smaller by
    $10000^{-2/d}$.

    Refused: frequencies that are not finite or require a gradient, and fewer than one head.

    Source: Chi, Fan, Rudnicky and Ramadge 2023 (arXiv:2212.10356); the constants are those of NeMo,
    `SandwichRelativePositionEmbedding`.

    >>> Sandwich(torch.tensor([1.0, 0.01]), h=2)(torch.tensor([3]), torch.arange(4))
    tensor([[[-0.4976, -0.3541, -0.1149, -0.0000]],
    <BLANKLINE>
            [[-0.2488, -0.1770, -0.0575, -0.0000]]])
    """

    @border(freqs=constant("detach them", per_pair()), h=whole(1), dtype=float_dtype)
    def __init__(self, freqs: Float[Tensor, " pairs"], h: int, *, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        self.h, self.dtype = h, dtype or torch.get_default_dtype()
        register_exact(self, "freqs", freqs)

    @property
    def freqs(self) -> Float[Tensor, " pairs"]:
        return self._freqs.value

    def extra_repr(self) -> str:
        return f"d={2 * len(self.freqs)}, h={self.h}"

    def bias_at(self, distances: Int[Tensor, "*batch"]) -> Float[Tensor, "h *batch"]:
        half_angles = distances[..., None] * self.freqs.double() / 2
        factors = self.h / (8 * torch.arange(1, self.h + 1, dtype=torch.float64, device=distances.device))
        return torch.tensordot(factors, -2 * (half_angles.sin() ** 2).sum(-1), dims=0).to(self.dtype)

    def forward(
        self, q_positions: Int[Tensor, "*q_batch n_q"], k_positions: Int[Tensor, "*k_batch n_k"]
    ) -> Float[Tensor, "*batch h n_q n_k"]:
        return toeplitz_bias(self.bias_at, q_positions, k_positions)

    def score_mod(self, q_positions: Int[Tensor, " n_q"], k_positions: Int[Tensor, " n_k"]) -> ScoreMod:
        return score_mod(self.bias_at, q_positions, k_positions)


class Bam(nn.Module):
    r"""The power with an exponent that each head learns, of either sign: a generalised Gaussian on the positions.

    $$B_{mn} = -e^{\alpha}\,(|m - n| + \varepsilon)^{\beta}, \qquad \varepsilon = 10^{-5}$$

    Both numbers start at 0, where the bias is the constant -1 and does nothing. With $\beta = 1$ it is ALiBi's line
    with the slope $e^\alpha$, less a constant. A head with $\beta < 0$ cannot see the query's own token, and looks far.
    The authors' offset μ, which they keep at 0 by default, and their factor on the scores are not part of it.
    Positions are integers, [n], or [b, 1, n] where each sample has its own. The result is float32 at least.

    Refused: fewer than one head.

    Source: Bianchessi, Aguirre, Barros and Kupssinskü 2026 (arXiv:2505.22842); `AttentionPrior` in their code.

    >>> bam = Bam(h=1)
    >>> _ = bam.load_state_dict({"alpha": torch.tensor([0.0]), "beta": torch.tensor([-1.0])})
    >>> bam(torch.tensor([4]), torch.arange(4)).detach()
    tensor([[[-0.2500, -0.3333, -0.5000, -1.0000]]])
    """

    @border(h=whole(1))
    def __init__(self, h: int) -> None:
        super().__init__()
        self.alpha, self.beta = nn.Parameter(torch.zeros(h)), nn.Parameter(torch.zeros(h))

    def extra_repr(self) -> str:
        return f"h={len(self.alpha)}"

    def bias_at(self, distances: Int[Tensor, "*batch"]) -> Float[Tensor, "h *batch"]:
        alpha, beta = (_each(_wide(x), distances) for x in (self.alpha, self.beta))
        return -alpha.exp() * (distances.abs().to(beta) + 1e-5) ** beta

    def forward(
        self, q_positions: Int[Tensor, "*q_batch n_q"], k_positions: Int[Tensor, "*k_batch n_k"]
    ) -> Float[Tensor, "*batch h n_q n_k"]:
        return toeplitz_bias(self.bias_at, q_positions, k_positions)

    def score_mod(self, q_positions: Int[Tensor, " n_q"], k_positions: Int[Tensor, " n_k"]) -> ScoreMod:
        return score_mod(self.bias_at, q_positions, k_positions)


def _wide(numbers: Tensor) -> Tensor:
    """In float32 at least: half precision would lose the distances."""
    return numbers.to(torch.promote_types(numbers.dtype, torch.float32))


def _each(numbers: Tensor, distances: Tensor) -> Tensor:
    """One number a head, at each distance."""
    return numbers.unflatten(0, (-1, *[1] * distances.ndim))
