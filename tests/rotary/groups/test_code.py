"""Groups of matrices: by another route, by hand, and where two vectors are parallel."""

from __future__ import annotations

import numpy as np
import scipy.linalg
import torch

from posenc_lib.rotary import exp_map, pair_generator, rank_two_exp
from tests.support.weights import normal


def by_eigenvectors(x, generator):
    """exp(xB) = V diag(exp(xλ)) V⁻¹, in complex numbers."""
    values, vectors = np.linalg.eig(generator.numpy())
    return torch.from_numpy((vectors @ np.diag(np.exp(x * values)) @ np.linalg.inv(vectors)).real)


def close(a, b, seed, rtol=1e-9, atol=1e-9):
    torch.testing.assert_close(a, b, rtol=rtol, atol=atol, msg=lambda text: f"seed {seed}: {text}")


def test_the_exponential_is_what_eigenvectors_give():
    places = torch.tensor([[-3.0], [0.0], [0.5], [7.0]], dtype=torch.float64)
    for seed in range(10):
        generator = normal(5, 5, seed=seed) / 5
        close(
            exp_map(places, generator[None]), torch.stack([by_eigenvectors(x.item(), generator) for x in places]), seed
        )


def test_several_axes_are_added_before_the_exponential():
    for seed in range(10):
        axes, places = normal(3, 4, 4, seed=seed), normal(2, 5, 3, seed=seed + 1)
        made = exp_map(places, axes)
        for b in range(2):
            for n in range(5):
                exponent = sum(places[b, n, a].item() * axes[a].numpy() for a in range(3))
                close(made[b, n], torch.from_numpy(scipy.linalg.expm(exponent)), seed)


def test_a_pair_by_hand():
    """Quarter turns with a decay of 1/2 a token: B = -ln 2 I + π/2 J."""
    generator = pair_generator(torch.tensor([torch.pi / 2], dtype=torch.float64), torch.tensor([2.0]).double().log())
    expected = torch.tensor([[[0.0, -0.5], [0.5, 0.0]], [[-0.25, 0.0], [0.0, -0.25]]], dtype=torch.float64)
    torch.testing.assert_close(exp_map(torch.tensor([[1], [2]]), generator[None]), expected, rtol=0, atol=1e-15)


def test_two_vectors_rotate_their_plane_and_nothing_else():
    for seed in range(10):
        a, b = normal(2, 6, seed=seed)
        s = (a.square().sum() * b.square().sum() - (a @ b) ** 2).sqrt()
        matrix = rank_two_exp(torch.tensor([3.0], dtype=torch.float64), a, b)[0]
        plane = torch.linalg.qr(torch.stack((b, a), -1)).Q  # orthonormal, the first along b up to its sign
        other = torch.linalg.qr(torch.cat((plane, normal(6, 4, seed=seed + 1)), -1)).Q[:, 2:]
        close(matrix @ other, other, seed, rtol=0, atol=1e-11)
        e1 = b / b.norm()
        e2 = torch.nn.functional.normalize(a - (a @ e1) * e1, dim=0)
        close(matrix @ e1, (3 * s).cos() * e1 + (3 * s).sin() * e2, seed, rtol=0, atol=1e-11)


def test_parallel_vectors_change_nothing_and_have_gradients():
    a = normal(5).requires_grad_()
    made = rank_two_exp(torch.tensor([4]), a, 2 * a.detach())
    torch.testing.assert_close(made[0], torch.eye(5, dtype=torch.float64), rtol=0, atol=1e-12)
    assert made.shape == (1, 5, 5)
