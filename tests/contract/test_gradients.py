"""Gradients of every method reach all that they should, and nothing that is made on the way is too large."""

from __future__ import annotations

import torch
from torch.autograd import gradcheck

from posenc_lib import attention
from tests.contract.layer import X
from tests.contract.method import D, H
from tests.contract.methods import every, having
from tests.support.memory import Largest
from tests.support.weights import normal


def leaves(n: int) -> list[torch.Tensor]:
    return [normal(H, n, D, seed=seed).requires_grad_() for seed in range(3)]


@every
def test_gradients_of_queries_keys_values_and_all_parameters_are_right(method):
    """The parameters are changed in place, so that the method sees it."""
    inputs, positions = (*leaves(5), *method.slots.parameters()), torch.tensor([3, 0, 1, 2, 8])

    def run(q, k, v, *_):
        return attention(q, k, v, method.slots, q_positions=positions, k_positions=positions)

    assert gradcheck(run, inputs, fast_mode=True)
    grads = torch.autograd.grad(run(*inputs).square().sum(), inputs)
    assert all(grad.any() for grad in grads)


@having(lambda method: method.embedding is not None or method.embed is not None)
def test_gradients_of_the_embeddings_are_right(method):
    x, positions = X[:5].clone().requires_grad_(), torch.tensor([3, 0, 1, 2, 8])
    parameters = [p for p in method.parameters if p.requires_grad]
    assert gradcheck(lambda x, *_: method.embedded(x, positions), (x, *parameters), fast_mode=True)


@having(lambda method: not method.per_pair)
def test_no_tensor_has_queries_keys_and_features(method):
    """Nor has a gradient. The most is a number for each query and distance, or a matrix for each token."""
    n = 24
    with Largest() as largest:
        attention(*leaves(n), method.slots).sum().backward()
    assert H * n * n <= largest.numbers <= max(2 * H * n * n, H * n * D * D) < D * H * n * n


@having(lambda method: method.per_pair)
def test_d_numbers_for_each_pair_are_seen(method):
    with Largest() as largest:
        attention(*leaves(24), method.slots)
    assert largest.numbers >= D * H * 24 * 24
