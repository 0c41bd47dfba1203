"""Groups of one parameter, as the contract takes them."""

import torch
from torch import Tensor

from posenc_lib import Slots
from posenc_lib.rotary import GroupTransform, exp_map, pair_generator, rank_two_exp, xpos_rates
from tests.contract.method import D, Given, Method, freqs
from tests.support.weights import normal


def in_a_basis(generator: Tensor) -> Tensor:
    basis = torch.eye(len(generator), dtype=torch.float64) + normal(*generator.shape, seed=8) / 9
    return torch.linalg.solve(basis, generator @ basis)


def of_two_vectors(
    a: Tensor, b: Tensor, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor
) -> tuple[Tensor, Tensor]:
    maps = (rank_two_exp(at, a.double(), b.double()) for at in (q_positions, k_positions))
    return tuple((each * x[..., None, :]).sum(-1).to(x.dtype) for each, x in zip(maps, (q, k), strict=True))


def group() -> Method:
    generator = in_a_basis(pair_generator(freqs(), xpos_rates(D)))
    slots = Slots(transform=GroupTransform(generator))
    return Method((GroupTransform, exp_map, pair_generator), relative=True, slots=slots)


def group_of_two_vectors() -> Method:
    slots = Slots(transform=Given(of_two_vectors, normal(D, seed=8), normal(D, seed=9)))
    return Method((rank_two_exp,), relative=True, slots=slots)


METHODS = {"group": group, "group of two vectors": group_of_two_vectors}
ARGUMENTS = {
    "GroupTransform": lambda: [{"generator": pair_generator(freqs(), xpos_rates(D))}],
    "exp_map": lambda: [
        {"coordinates": torch.arange(4)[:, None], "generators": pair_generator(freqs(), xpos_rates(D))[None]}
    ],
}
