"""PoPE: the words give lengths, and the positions give angles."""

from __future__ import annotations

from functools import partial

import torch
from jaxtyping import Float, Real
from torch import Tensor, nn
from torch.nn import functional as F

from posenc_lib.border import (
    Relation,
    arithmetic_dtype,
    border,
    constant,
    content,
    per_pair,
    places,
    together,
    whole,
    wide,
)
from posenc_lib.border.angles import require_angles
from posenc_lib.border.positions import require_fitting_positions
from posenc_lib.border.precision import register_exact
from posenc_lib.pairs import join_pairs, position_angles
from posenc_lib.slots import Slots

_FREQS = constant("call polar to learn them", per_pair("d", "one for each feature of a head"))


@border(Relation(("angles", "x"), partial(require_angles, per_feature=1)), x=content(1), angles=wide(1))
def polar(x: Float[Tensor, "*heads d"], angles: Float[Tensor, "*positions d"]) -> Float[Tensor, "*heads 2*d"]:
    r"""Each feature becomes a point in the plane: the feature gives its length, the angle its direction.

    $$x_c \mapsto \mu_c\,(\cos\varphi_c,\; \sin\varphi_c), \qquad \mu_c = \ln(1 + e^{x_c})$$

    x is [..., n, d]. The angles are in radians, [n, d] where all batches and heads share them, and otherwise have as
    many axes as x. Of the 2d features, the first d belong to the cosines. The result has x's dtype; the arithmetic is
    done in float32 for half-precision x.

    Refused: angles that do not fit x or are not finite (an assertion when compiled or on an accelerator).

    Source: Gopalakrishnan et al. 2025 (arXiv:2509.10534).

    >>> polar(torch.tensor([0.0, 100.0]), torch.tensor([0.0, torch.pi / 6]))
    tensor([ 0.6931, 86.6025,  0.0000, 50.0000])
    """
    dtype = arithmetic_dtype(x)
    length = F.softplus(x.to(dtype), threshold=40)  # beyond, e^-x is below the rounding of float64
    return join_pairs(length * angles.cos().to(dtype), length * angles.sin().to(dtype), "half").to(x.dtype)


_HEADS = together(
    lambda x, phases: (x.shape[-3], x.shape[-1]) == phases.shape,
    lambda x, phases: f"q and k must be [..., h, n, d] with h, d = {[*phases.shape]}; got {list(x.shape)}",
)


class PoPE(nn.Module):
    r"""PoPE for slot 2: the words give q and k their lengths, and the positions give them their angles.

    $$\sum_c \mu(q_c)\,\mu(k_c)\, \cos\big((m - n)\,\theta_c - \delta_c\big), \qquad \mu(x) = \ln(1 + e^x)$$

    There is one frequency for each feature, d in all, in radians per position: `geometric_freqs(2 * d)` gives the
    paper's. They are constants. `phases` holds the learned $\delta$, [h, d], which are added to the angles of the keys
    and start at 0. q and k are [..., h, n, d] and come out with 2d features. The scale stays $1/\sqrt d$: take
    `slots()`.

    Refused: a q or k with another number of heads or features, and positions that do not fit.

    Source: Gopalakrishnan et al. 2025 (arXiv:2509.10534). Released code also clamps the phases to [-2π, 0]; here they
    are free, since cosines repeat, and a phase that a step takes out of the interval would not learn any more.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> q = k = torch.zeros(1, 3, 4)
    >>> q, k = PoPE(geometric_freqs(8), 1)(q, k, torch.arange(3), torch.arange(3) + 1_000)
    >>> (q * k).sum(-1).detach()
    tensor([[0.5410, 0.5410, 0.5410]])
    """

    @border(freqs=_FREQS, h=whole(1))
    def __init__(self, freqs: Float[Tensor, " d"], h: int) -> None:
        super().__init__()
        register_exact(self, "freqs", freqs.double())
        self.phases = nn.Parameter(torch.zeros(h, len(freqs), device=freqs.device))

    @property
    def freqs(self) -> Float[Tensor, " d"]:
        return self._freqs.value

    def extra_repr(self) -> str:
        return "h={}, d={}".format(*self.phases.shape)

    def slots(self) -> Slots:
        return Slots(transform=self, scale=len(self.freqs) ** -0.5)

    @border(
        _HEADS.of("q", "self.phases"),
        _HEADS.of("k", "self.phases"),
        Relation(("q_positions", "q"), require_fitting_positions),
        Relation(("k_positions", "k"), require_fitting_positions),
        q=content(3),
        k=content(3),
        q_positions=places,
        k_positions=places,
    )
    def forward(
        self,
        q: Float[Tensor, "*q_heads n_q d"],
        k: Float[Tensor, "*k_heads n_k d"],
        q_positions: Real[Tensor, "*q_batch n_q"],
        k_positions: Real[Tensor, "*k_batch n_k"],
    ) -> tuple[Float[Tensor, "*q_heads n_q 2*d"], Float[Tensor, "*k_heads n_k 2*d"]]:
        return polar(q, self._angles(q, q_positions)), polar(k, self._angles(k, k_positions, self.phases))

    def _angles(self, x: Tensor, positions: Tensor, phases: Tensor | None = None) -> Tensor:
        angles = position_angles(positions, self.freqs)
        if phases is None:
            return angles
        angles = angles + phases[:, None].double()
        return angles[(None,) * (x.ndim - angles.ndim)]
