"""xPos: rotary encoding with decay. Queries shrink as keys grow, so that scores fall with the distance alone."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float, Real
from torch import Tensor, nn

from posenc_lib.border.angles import require_fitting_angles
from posenc_lib.border.precision import register_constant
from posenc_lib.border.tensors import arithmetic_dtype
from posenc_lib.inputs import (
    require_even,
    require_finite,
    require_freqs,
    require_layout,
    require_positions,
    require_positive,
    require_values,
    require_wide,
)
from posenc_lib.pairs import Layout, join_pairs, position_angles, split_pairs
from posenc_lib.rotary.rotary import rotate


def xpos_rates(d: int, *, gamma: float = 0.4, scale_base: float = 512.0) -> Float[Tensor, "{d}//2"]:
    r"""How fast the score of each pair decays: the natural logarithm of its factor, per token.

    $$\rho_i = -\frac{\ln \zeta_i}{B}, \qquad \zeta_i = \frac{2i/d + \gamma}{1 + \gamma}$$

    B is `scale_base`: in B tokens, the score of pair i falls to $\zeta_i$ of what it was. The fastest pairs, i = 0
    first, decay most. The unit is 1 per token.

    Raises `ValueError` if d is not even and positive, if gamma or `scale_base` is not positive and finite, or
    if `scale_base` is so small that a rate is infinite; `TypeError` if they are no numbers.

    Source: Sun et al. 2022 (arXiv:2212.10554), Algorithm 1, for ζ; γ = 0.4 and B = 512 are those of torchscale.

    >>> xpos_rates(4) * 512
    tensor([1.2528, 0.4418], dtype=torch.float64)
    """
    require_even(d)
    require_positive(gamma=gamma, scale_base=scale_base)
    if (math.log1p(gamma) - math.log(gamma)) / scale_base == math.inf:
        raise ValueError(f"scale_base must not be so small that rates overflow; got {scale_base}")
    part = torch.arange(0, d, 2, dtype=torch.float64) / d
    return (math.log1p(gamma) - (part + gamma).log()) / scale_base


def grow(
    x: Float[Tensor, "*heads d"], exponents: Float[Tensor, "*positions pairs"], *, layout: Layout = "interleaved"
) -> Float[Tensor, "*heads d"]:
    r"""Multiplies both features of each pair by $e^\eta$, where η is the pair's exponent.

    $$(a, b) \mapsto (e^{\eta} a,\; e^{\eta} b)$$

    Shapes and precision are those of `rotate`, which it commutes with. The inverse is `grow(x, -exponents)`.

    Raises `TypeError` if x is not floating point or the exponents are not float32 or float64; `ValueError` if d is odd
    or not positive, the layout is unknown, the exponents do not fit x, or $e^{\pm\eta}$ is out of the range
    of x's dtype (compiled and on an accelerator an assertion).

    Source: Sun et al. 2022 (arXiv:2212.10554), Algorithm 1.

    >>> grow(torch.ones(4), torch.tensor([1.0, 2.0]).log())
    tensor([1., 1., 2., 2.])
    """
    wide = arithmetic_dtype(x)
    pairs = split_pairs(x.to(wide), layout)
    require_fitting_angles(exponents, pairs[0])
    _require_range(exponents, x.dtype)
    factor = exponents.exp().to(wide)
    return join_pairs(*(part * factor for part in pairs), layout).to(x.dtype)


class XPos(nn.Module):
    r"""xPos for slot 2: q and k are rotated by their positions; q is scaled down, and k up.

    $$\langle e^{-\rho(m-c)} R_m q,\; e^{\rho(n-c)} R_n k\rangle = e^{-\rho(m-n)}\,\langle R_{m-n}\,q, k\rangle$$

    One frequency `freqs` and one rate ρ a pair, d/2 in all: radians and 1 per token. The centre c cancels in every
    score, so long as queries and keys have the same one. It is part of the model and not of a call: keys of a cache
    stay right. Set it to half the length, and the largest factor is the square root of what it is with 0.
    For causal attention: scores with keys that come after the query grow with the distance.

    Raises `ValueError` if `freqs` or `rates` is not [d/2], requires a gradient or is not finite, if they differ in
    length or a rate is negative, if the centre is not finite, if positions do not fit q or k or are beyond 2**40, or if
    they lie so far from the centre that a factor is out of the range of q's or k's dtype; `TypeError` if `freqs` or
    `rates` is not float32 or float64, for positions in half precision or bool, or if q or k is not floating point.

    Source: Sun et al. 2022 (arXiv:2212.10554), Algorithm 1; the centre is torchscale's.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> q = k = torch.tensor([[1.0, 0.0, 0.0, 0.0]]).expand(3, 4)
    >>> xpos = XPos(geometric_freqs(4), xpos_rates(4), centre=1_000.0)
    >>> q, k = xpos(q, k, torch.arange(3) + 512, torch.arange(3))
    >>> (q * k).sum(-1)
    tensor([-0.2848, -0.2848, -0.2848])
    """

    def __init__(
        self,
        freqs: Float[Tensor, " pairs"],
        rates: Float[Tensor, " pairs"],
        centre: float = 0.0,
        layout: Layout = "interleaved",
    ) -> None:
        super().__init__()
        require_layout(layout)
        require_freqs(freqs)
        _require_rates(rates, len(freqs))
        require_finite(centre=centre)
        for name, constant in {"freqs": freqs, "rates": rates}.items():
            register_constant(self, name, constant, "call rotate and grow to learn")
        self.centre, self.layout = float(centre), layout

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
        require_positions(positions)
        rotated = rotate(x, position_angles(positions, self.freqs), layout=self.layout)
        steps = positions.double() - self.centre
        return grow(rotated, sign * steps[..., None] * self.rates, layout=self.layout)


def _require_rates(rates: Tensor, pairs: int) -> None:
    require_wide(rates=rates)
    if rates.shape != (pairs,):
        raise ValueError(f"rates must be [d/2], one for each of the {pairs} freqs; got {list(rates.shape)}")
    rule = "rates must be finite and not negative: e^-rate is the factor of the score per token"
    require_values((rates >= 0) & rates.isfinite(), rule, lambda bad: f"{rule}; got {rates[bad][0].item()}", wait=True)


def _require_range(exponents: Tensor, dtype: torch.dtype) -> None:
    limits = torch.finfo(dtype)
    most = min(math.log(limits.max), -math.log(limits.tiny))
    rule = f"exponents must be at most {most:.1f} in size, or their factors leave the range of {dtype}"
    said = "Take a centre nearer to the positions, a larger scale_base, or a wider dtype"
    require_values(exponents.abs() <= most, rule, lambda bad: f"{rule}; got {exponents[bad][0].item():.1f}. {said}")
