"""Positions as a group: queries are multiplied by exp(mB), keys by its inverse transpose.

Rotations, decay, and biases that grow with the distance are this one map with different matrices B.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Real
from torch import Tensor, nn

from posenc_lib.border import (
    Relation,
    arithmetic_dtype,
    border,
    constant,
    content,
    freqs,
    named,
    per_pair,
    places,
    shaped,
    table,
)
from posenc_lib.border.positions import require_axes, require_fitting_positions
from posenc_lib.border.precision import full_precision, register_exact
from posenc_lib.border.scores import features_of
from posenc_lib.border.tensors import require_alike
from posenc_lib.border.values import require_finite_values

_VECTOR = per_pair("d", "a number for each feature")


_MATRIX = shaped(table(2), lambda shape: len(shape) == 2 and shape[0] == shape[1] > 0, "[d, d]")
_MATRICES = shaped(table(2), lambda shape: len(shape) == 3 and shape[1] == shape[2] and 0 not in shape, "[axes, d, d]")


@border(named(require_axes, "coordinates", "generators"), coordinates=places, generators=_MATRICES)
def exp_map(
    coordinates: Real[Tensor, "*batch n axes"], generators: Float[Tensor, "axes d d"]
) -> Float[Tensor, "*batch n d d"]:
    r"""The matrix of each position: the exponential of the generators, weighted by the coordinates.

    $$G(x) = \exp\Big(\sum_a x_a B_a\Big)$$

    The generators are one matrix for each axis, per unit of its coordinate. With one axis G is a group,
    $G(m)\,G(n) = G(m + n)$; with several axes it is one only if the generators commute. Computed in float64, and cast
    to the dtype of the generators.

    Refused: unequal numbers of generators and coordinates, and a matrix that overflows (an assertion when compiled or
    on an accelerator).

    Source: for one axis Zhang et al. 2025 (arXiv:2512.07805), GRAPE; for several axes with skew generators Ostmeier et
    al. 2024 (arXiv:2406.10322), LieRE.

    >>> exp_map(torch.tensor([[2]]), torch.tensor([[[0.0, 3.0], [0.0, 0.0]]]))
    tensor([[[1., 6.],
             [0., 1.]]])
    """
    with full_precision(generators):
        exponent = torch.einsum("...a,ade->...de", coordinates.double(), generators.double())
        matrices = torch.linalg.matrix_exp(exponent).to(generators.dtype)
    require_finite_values(**{"exp of the generators, times the coordinates,": matrices})
    return matrices


class GroupTransform(nn.Module):
    r"""The map of slot 2 that one matrix B generates: q by exp(mB), k by the inverse transpose of exp(nB).

    $$\langle e^{mB} q,\; e^{-nB^\top} k\rangle = \langle e^{(m-n)B}\, q,\, k\rangle$$

    The generator is [d, d], per token. A skew generator gives rotations, the same for queries and keys. The generator
    is a constant, and stays float64 whatever dtype the module is cast to. The module is for study: `Rotary` and `XPos`
    do without matrices.

    Refused: a q or k with another number of features, positions that do not fit, and a matrix that overflows.

    Source: Zhang et al. 2025 (arXiv:2512.07805); the transposed inverse is what makes scores relative.

    >>> bias = GroupTransform(torch.tensor([[0.0, -0.5], [0.0, 0.0]]))  # ALiBi with slope 1/2
    >>> q, k = bias(torch.tensor([[0.0, 1.0]]), torch.tensor([[1.0, 0.0]]), torch.tensor([12]), torch.tensor([2]))
    >>> (q * k).sum().item()
    -5.0
    """

    @border(generator=constant("call exp_map to learn", _MATRIX))
    def __init__(self, generator: Float[Tensor, "d d"]) -> None:
        super().__init__()
        register_exact(self, "generator", generator.double())

    def extra_repr(self) -> str:
        return f"d={len(self.generator)}"

    @property
    def generator(self) -> Float[Tensor, "d d"]:
        return self._generator.value

    @border(
        features_of("the generator", "q", "self.generator"),
        features_of("the generator", "k", "self.generator"),
        Relation(("q_positions", "q"), require_fitting_positions),
        Relation(("k_positions", "k"), require_fitting_positions),
        q=content(2),
        k=content(2),
        q_positions=places,
        k_positions=places,
    )
    def forward(
        self,
        q: Float[Tensor, "*q_heads n_q d"],
        k: Float[Tensor, "*k_heads n_k d"],
        q_positions: Real[Tensor, "*q_batch n_q"],
        k_positions: Real[Tensor, "*k_batch n_k"],
    ) -> tuple[Float[Tensor, "*q_heads n_q d"], Float[Tensor, "*k_heads n_k d"]]:
        return self._moved(q, q_positions, self.generator), self._moved(k, k_positions, -self.generator.T)

    def _moved(self, x: Tensor, positions: Tensor, generator: Tensor) -> Tensor:
        matrices = exp_map(positions[..., None], generator[None])
        with full_precision(x):
            moved = (matrices @ x.to(generator.dtype)[..., None]).squeeze(-1)
        return moved.to(arithmetic_dtype(x)).to(x.dtype)


@border(named(require_alike, "freqs", "rates"), freqs=freqs, rates=freqs)
def pair_generator(freqs: Float[Tensor, " pairs"], rates: Float[Tensor, " pairs"]) -> Float[Tensor, "2*pairs 2*pairs"]:
    r"""The generator of rotation with decay: one block for each pair of neighbouring features.

    $$B = \operatorname{diag}_i \begin{pmatrix} -\rho_i & -\theta_i \\ \theta_i & -\rho_i \end{pmatrix}$$

    With rates of 0 it generates the rotary encoding, and otherwise xPos. Frequencies are in radians per token, rates in
    1 per token.

    Refused: unequal numbers of rates and frequencies.

    >>> pair_generator(torch.tensor([1.0]), torch.tensor([0.5]))
    tensor([[-0.5000, -1.0000],
            [ 1.0000, -0.5000]])
    """
    scaled = torch.eye(2, dtype=rates.dtype, device=rates.device)
    quarter = torch.tensor([[0, -1], [1, 0]], dtype=freqs.dtype, device=freqs.device)
    return torch.block_diag(*(f * quarter - r * scaled for f, r in zip(freqs, rates, strict=True)))


@border(named(require_alike, "a", "b"), positions=places, a=_VECTOR, b=_VECTOR)
def rank_two_exp(
    positions: Real[Tensor, "*batch n"], a: Float[Tensor, " d"], b: Float[Tensor, " d"]
) -> Float[Tensor, "*batch n d d"]:
    r"""The rotations that $L = ab^\top - ba^\top$ generates, in closed form: GRAPE's multiplicative map.

    $$e^{nL} = I + \frac{\sin ns}{s}\, L + \frac{1 - \cos ns}{s^2}\, L^2, \qquad s^2 = |a|^2|b|^2 - (a \cdot b)^2$$

    The plane of a and b is rotated by ns, counter-clockwise from b to a, and what is at right angles to it stays. Where
    a and b are parallel, s and L are 0 and all matrices are the identity. Computed in float64; the result has a's
    dtype.

    Refused: a and b of different length.

    Source: Zhang et al. 2025 (arXiv:2512.07805), GRAPE; Rodrigues' formula.

    >>> rank_two_exp(torch.tensor([1]), torch.tensor([0.0, torch.pi / 2]), torch.tensor([1.0, 0.0])).round().abs()
    tensor([[[0., 1.],
             [1., 0.]]])
    """
    dtype, a, b = a.dtype, a.double(), b.double()
    with full_precision(a):
        plane = torch.outer(a, b) - torch.outer(b, a)
        s = (plane.square().sum() / 2).sqrt()
        x = positions.double()[..., None, None]
        # sinc is sin(πz)/(πz): it has a value where s is 0, and so has its square.
        sin, cos = x * torch.sinc(x * s / torch.pi), x.square() / 2 * torch.sinc(x * s / 2 / torch.pi).square()
        return (torch.eye(len(a), dtype=a.dtype, device=a.device) + sin * plane + cos * (plane @ plane)).to(dtype)
