"""Groups of one parameter, as the contract takes them."""

import torch
from torch import Tensor

from posenc_lib import Slots
from posenc_lib.rotary import GroupTransform, exp_map, pair_generator, rank_two_exp, xpos_rates
from tests.contract.method import D, Method, freqs
from tests.support.weights import normal


def in_a_basis(generator: Tensor) -> Tensor:
    basis = torch.eye(len(generator), dtype=torch.float64) + normal(*generator.shape, seed=8) / 9
    return torch.linalg.solve(basis, generator @ basis)


def of_two_vectors(q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
    vectors = normal(D, seed=8), normal(D, seed=9)
    both = ((q, q_positions), (k, k_positions))
    return tuple((rank_two_exp(at, *vectors).to(x.dtype) @ x[..., None])[..., 0] for x, at in both)


METHODS = {
    "group": lambda: Method(
        (GroupTransform, exp_map, pair_generator),
        relative=True,
        slots=Slots(transform=GroupTransform(in_a_basis(pair_generator(freqs(), xpos_rates(D))))),
    ),
    "group of two vectors": lambda: Method((rank_two_exp,), relative=True, slots=Slots(transform=of_two_vectors)),
}
