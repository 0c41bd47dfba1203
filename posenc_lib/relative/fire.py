"""FIRE: a small network reads how far back a key lies, as a fraction of all that its query can see.

Distances and lengths are measured by a logarithm, and a text shorter than a learned threshold counts as long as that.
So up to the threshold the bias is a function of the distance; beyond it each query has its own ruler.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from posenc_lib.border import border, satisfying, tokens, whole
from posenc_lib.border.positions import require_one_batch
from posenc_lib.border.precision import full_precision
from posenc_lib.relative.distance import steps_back

C, THRESHOLD, WIDTH = 0.1, 512.0, 32
"""Those with which the published code starts."""

_NUMBER = satisfying(lambda x: 2**-40 <= x <= 2**40, "between 2**-40 and 2**40, so that no ratio overflows")


@border(require_one_batch, q_positions=tokens, k_positions=tokens, c=_NUMBER, threshold=_NUMBER)
def fire_ratio(
    q_positions: Int[Tensor, "*q_batch n_q"],
    k_positions: Int[Tensor, "*k_batch n_k"],
    c: float = C,
    threshold: float = THRESHOLD,
) -> Float[Tensor, "*batch n_q n_k"]:
    r"""What FIRE's network reads: the distance of each key as a fraction, from 0 to 1, of what its query can see.

    $$\rho_{mn} = \frac{\psi(|m - n|)}{\psi(\max(L, m))}, \qquad \psi(x) = \ln(1 + cx)$$

    Positions are integers counted from 0, [n], or [b, 1, n] where each sample has its own. L is `threshold`, in tokens.
    The result is float64. It is at most 1 for keys that are not after the query, nor before position 0.

    Refused: c or a threshold outside 2**-40 … 2**40, where ratios could overflow.

    Source: Li et al. 2023 (arXiv:2310.04418).

    >>> fire_ratio(torch.tensor([3, 8]), torch.tensor([0, 2, 3]), c=1.0, threshold=3.0)
    tensor([[1.0000, 0.5000, 0.0000],
            [1.0000, 0.8856, 0.8155]], dtype=torch.float64)
    """
    numbers = torch.tensor([c, threshold], dtype=torch.float64, device=q_positions.device)
    return _ratio(q_positions, k_positions, *numbers)


class Fire(nn.Module):
    r"""A bias from a network of one hidden layer, which reads the distance as a fraction of what the query can see.

    $$B_{mn} = f\Big(\frac{\psi(|m - n|)}{\psi(\max(L, m))}\Big), \qquad \psi(x) = \ln(1 + cx)$$

    f is `out(relu(hidden(x)))`, with an output for each head; c and L are shared by the heads. The layers start as
    torch's do. What is stored and learned are $\ln c$ and $\ln L$, so that no step of training can make them negative;
    the published code stores c and a factor on 512, uses their absolute values, and adds $10^{-6}$ to the denominator,
    which is not needed while L is positive. Positions are integers counted from 0, [n], or [b, 1, n] where each sample
    has its own. The result is float32 at least, and `width` numbers are held for each pair of positions. For keys after
    the query the ratio can be above 1.

    Refused: fewer than one head or hidden unit; c or a threshold outside 2**-40 … 2**40.

    Source: Li et al. 2023 (arXiv:2310.04418); the constants are those of `FIRE` in the repository mcleish7/arithmetic.

    >>> fire = Fire(h=1, width=1, c=1.0, threshold=3.0)
    >>> line = {"hidden.weight": 1.0, "hidden.bias": 0.0, "out.weight": -2.0, "out.bias": 0.0}
    >>> for name, number in line.items():
    ...     _ = fire.get_parameter(name).data.fill_(number)
    >>> fire(torch.tensor([3]), torch.arange(4)).detach()
    tensor([[[-2.0000, -1.5850, -1.0000,  0.0000]]])
    """

    @border(h=whole(1), width=whole(1), c=_NUMBER, threshold=_NUMBER)
    def __init__(self, h: int, width: int = WIDTH, *, c: float = C, threshold: float = THRESHOLD) -> None:
        super().__init__()
        self.hidden, self.out = nn.Linear(1, width), nn.Linear(width, h)
        self.log_c = nn.Parameter(torch.tensor([float(c)]).log())
        self.log_threshold = nn.Parameter(torch.tensor([float(threshold)]).log())

    @property
    def c(self) -> Float[Tensor, "1"]:
        return _wide(self.log_c).exp()

    @property
    def threshold(self) -> Float[Tensor, "1"]:
        return _wide(self.log_threshold).exp()

    def bias_at(self, ratio: Float[Tensor, "*batch"]) -> Float[Tensor, "*batch h"]:
        """The network: for each ratio one number a head."""
        with full_precision(ratio):
            hidden = F.linear(ratio[..., None], _wide(self.hidden.weight), _wide(self.hidden.bias)).relu()
            return F.linear(hidden, _wide(self.out.weight), _wide(self.out.bias))

    @border(require_one_batch, q_positions=tokens, k_positions=tokens)
    def forward(
        self, q_positions: Int[Tensor, "*q_batch n_q"], k_positions: Int[Tensor, "*k_batch n_k"]
    ) -> Float[Tensor, "*batch h n_q n_k"]:
        ratio = _ratio(q_positions, k_positions, self.c, self.threshold)
        return self.bias_at(ratio.squeeze(1) if ratio.ndim == 4 else ratio).movedim(-1, -3)


def _ratio(q_positions: Tensor, k_positions: Tensor, c: Tensor, threshold: Tensor) -> Tensor:
    seen = torch.maximum(q_positions.to(threshold.dtype), threshold)
    return torch.log1p(c * steps_back(q_positions, k_positions).abs()) / torch.log1p(c * seen)[..., :, None]


def _wide(numbers: Tensor) -> Tensor:
    """In float32 at least: half precision would lose the distances."""
    return numbers.to(torch.promote_types(numbers.dtype, torch.float32))
