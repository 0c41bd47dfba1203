"""xPos: rotary encoding with decay. Queries shrink as keys grow, so that scores fall with the distance alone."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float, Real
from torch import Tensor, nn

from posenc_lib.border import (
    arithmetic_dtype,
    border,
    constant,
    content,
    even,
    finite,
    named,
    not_negative,
    one_of,
    positive,
    together,
    wide,
)
from posenc_lib.border.angles import require_fitting_angles
from posenc_lib.border.precision import register_exact
from posenc_lib.border.tensors import require_alike
from posenc_lib.border.values import require_all
from posenc_lib.pairs import Layout, described, join_pairs, position_angles, split_pairs
from posenc_lib.rotary.rotary import rotate

_FINITE_RATES = together(
    lambda gamma, scale_base: (math.log1p(gamma) - math.log(gamma)) / scale_base < math.inf,
    "scale_base must not be so small that rates overflow; got {scale_base}",
)
_LEARN = "call rotate and grow to learn"
_RATES = constant(_LEARN, not_negative("e^-rate is the factor of the score per token"))


@border(_FINITE_RATES, d=even, gamma=positive, scale_base=positive)
def xpos_rates(d: int, *, gamma: float = 0.4, scale_base: float = 512.0) -> Float[Tensor, "{d}//2"]:
    r"""How fast the score of each pair decays: the natural logarithm of its factor, per token.

    $$\rho_i = -\frac{\ln \zeta_i}{B}, \qquad \zeta_i = \frac{2i/d + \gamma}{1 + \gamma}$$

    B is `scale_base`: in B tokens, the score of pair i falls to $\zeta_i$ of what it was. The fastest pairs, i = 0
    first, decay most. The unit is 1 per token.

    Refused: an odd d, and a `scale_base` so small that a rate is infinite.

    Source: Sun et al. 2022 (arXiv:2212.10554), Algorithm 1, for ζ; γ = 0.4 and B = 512 are those of torchscale.

    >>> xpos_rates(4) * 512
    tensor([1.2528, 0.4418], dtype=torch.float64)
    """
    part = torch.arange(0, d, 2, dtype=torch.float64) / d
    return (math.log1p(gamma) - (part + gamma).log()) / scale_base


def _require_growth(exponents: Tensor, x: Tensor) -> None:
    require_fitting_angles(exponents, x, name="exponents")
    most = min(math.log(torch.finfo(x.dtype).max), -math.log(torch.finfo(x.dtype).tiny))
    rule = f"exponents must be at most {most:.1f} in size, or their factors leave the range of {x.dtype}"
    remedy = "Take a centre nearer to the positions, a larger scale_base, or a wider dtype"
    require_all(exponents, exponents.abs() <= most, rule, remedy)


@border(_require_growth, x=content(1), exponents=wide(1), layout=one_of(Layout))
def grow(
    x: Float[Tensor, "*heads d"], exponents: Float[Tensor, "*positions pairs"], *, layout: Layout = "interleaved"
) -> Float[Tensor, "*heads d"]:
    r"""Multiplies both features of each pair by $e^\eta$, where η is the pair's exponent.

    $$(a, b) \mapsto (e^{\eta} a,\; e^{\eta} b)$$

    Shapes and precision are those of `rotate`, with which it commutes. The inverse is `grow(x, -exponents)`.

    Refused: an odd d, exponents that do not fit x, and $e^{\pm\eta}$ out of the range of x's dtype (an assertion when
    compiled or on an accelerator).

    Source: Sun et al. 2022 (arXiv:2212.10554), Algorithm 1.

    >>> grow(torch.ones(4), torch.tensor([1.0, 2.0]).log())
    tensor([1., 1., 2., 2.])
    """
    dtype = arithmetic_dtype(x)
    first, second = split_pairs(x.to(dtype), layout)
    factor = exponents.exp().to(dtype)
    return join_pairs(first * factor, second * factor, layout).to(x.dtype)


class XPos(nn.Module):
    r"""xPos for slot 2: q and k are rotated by their positions; q is scaled down, and k up.

    $$\langle e^{-\rho(m-c)} R_m q,\; e^{\rho(n-c)} R_n k\rangle = e^{-\rho(m-n)}\,\langle R_{m-n}\,q, k\rangle$$

    There is one frequency, in radians per token, and one rate ρ, in 1 per token, for each pair, d/2 in all. The centre
    c cancels in every score, as long as queries and keys have the same one. It is part of the model and not of a call,
    so cached keys stay right. Set it to half the length, and the largest factor is the square root of what it is with
    0. For causal attention: scores with keys that come after the query grow with the distance.

    Refused: unequal numbers of rates and frequencies, a negative rate, positions that do not fit q or k, and positions
    so far from the centre that a factor is out of the range of q's or k's dtype.

    Source: Sun et al. 2022 (arXiv:2212.10554), Algorithm 1; the centre is torchscale's.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> q = k = torch.tensor([[1.0, 0.0, 0.0, 0.0]]).expand(3, 4)
    >>> xpos = XPos(geometric_freqs(4), xpos_rates(4), centre=1_000.0)
    >>> q, k = xpos(q, k, torch.arange(3) + 512, torch.arange(3))
    >>> (q * k).sum(-1)
    tensor([-0.2848, -0.2848, -0.2848])
    """

    @border(
        named(require_alike, "freqs", "rates"),
        freqs=constant(_LEARN),
        rates=_RATES,
        centre=finite,
        layout=one_of(Layout),
    )
    def __init__(
        self,
        freqs: Float[Tensor, " pairs"],
        rates: Float[Tensor, " pairs"],
        centre: float = 0.0,
        layout: Layout = "interleaved",
    ) -> None:
        super().__init__()
        register_exact(self, "freqs", freqs.double())
        register_exact(self, "rates", rates.double())
        self.centre, self.layout = float(centre), layout

    def extra_repr(self) -> str:
        return f"{described(self.freqs)}, centre={self.centre:g}, layout={self.layout!r}"

    @property
    def freqs(self) -> Float[Tensor, " pairs"]:
        return self._freqs.value

    @property
    def rates(self) -> Float[Tensor, " pairs"]:
        return self._rates.value

    def forward(
        self,
        q: Float[Tensor, "*q_heads n_q d"],
        k: Float[Tensor, "*k_heads n_k d"],
        q_positions: Real[Tensor, "*q_batch n_q"],
        k_positions: Real[Tensor, "*k_batch n_k"],
    ) -> tuple[Float[Tensor, "*q_heads n_q d"], Float[Tensor, "*k_heads n_k d"]]:
        return self._moved(q, q_positions, -1), self._moved(k, k_positions, 1)

    def _moved(self, x: Tensor, positions: Tensor, sign: int) -> Tensor:
        rotated = rotate(x, position_angles(positions, self.freqs), layout=self.layout)
        steps = positions.double() - self.centre
        return grow(rotated, sign * steps[..., None] * self.rates, layout=self.layout)
