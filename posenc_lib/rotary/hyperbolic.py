"""Hyperbolic rotations: a group of one parameter that stretches where a rotation turns."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from posenc_lib.border import border, each, freqs, named
from posenc_lib.border.tensors import require_alike

_BOUNDED = each(
    lambda rates, freqs: rates >= freqs.abs(),
    "each rate must be at least as large as its frequency, or scores grow without end with the distance",
    wait=True,
)


@border(named(require_alike, "freqs", "rates"), _BOUNDED, freqs=freqs, rates=freqs)
def hyperbolic_generator(
    freqs: Float[Tensor, " pairs"], rates: Float[Tensor, " pairs"]
) -> Float[Tensor, "2*pairs 2*pairs"]:
    r"""The generator of hyperbolic rotation with decay, for `GroupTransform`: a block for each pair of neighbours.

    $$B = \operatorname{diag}_i \begin{pmatrix} -\rho_i & \theta_i \\ \theta_i & -\rho_i \end{pmatrix}, \qquad
    e^{tB} = \operatorname{diag}_i\; e^{-\rho_i t} \begin{pmatrix} \cosh \theta_i t & \sinh \theta_i t \\
    \sinh \theta_i t & \cosh \theta_i t \end{pmatrix}$$

    Both per token. With this generator the key gets the inverse of the query's map, as the score needs to be relative;
    keys grow with their position, so texts must be short or counted from their middle.

    Refused: a rate below its frequency, and another number of rates than of frequencies.

    Source: Dai et al. 2025 (arXiv:2509.05218), HoPE, by its abstract; the map is the classical one.

    >>> hyperbolic_generator(torch.tensor([1.0]), torch.tensor([1.5]))
    tensor([[-1.5000,  1.0000],
            [ 1.0000, -1.5000]])
    """
    swap = torch.tensor([[0, 1], [1, 0]], dtype=freqs.dtype, device=freqs.device)
    same = torch.eye(2, dtype=freqs.dtype, device=freqs.device)
    return torch.block_diag(*(f * swap - r * same for f, r in zip(freqs, rates, strict=True)))
