"""Points in space: features by a loop, frequencies in order, harmonics by quadrature."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional as F

from posenc_lib.shapes import euclidean_bias, fourier_features, gaussian_freqs, octave_freqs, spherical_harmonics
from tests.support.weights import normal

TIGHT = {"rtol": 0, "atol": 1e-12}


def test_features_are_what_a_loop_gives():
    points, freqs = normal(2, 4, 3), normal(3, 5, seed=1)
    made = fourier_features(points, freqs)
    for b in range(2):
        for n in range(4):
            angles = [sum(points[b, n, a].item() * freqs[a, i].item() for a in range(3)) for i in range(5)]
            by_loop = [wave(angle) / math.sqrt(5) for wave in (math.cos, math.sin) for angle in angles]
            torch.testing.assert_close(made[b, n], made.new_tensor(by_loop), **TIGHT)


def test_octaves_stand_one_by_one_with_an_axis_each():
    freqs = octave_freqs(3, 2, dtype=torch.float64)
    expected = [[1, 0, 2, 0, 4, 0], [0, 1, 0, 2, 0, 4]]
    torch.testing.assert_close(freqs, math.pi * torch.tensor(expected, dtype=torch.float64), **TIGHT)
    assert octave_freqs(3, 2, start=1.0).tolist() == expected


def test_random_frequencies_have_the_spread_that_was_asked_for():
    freqs = gaussian_freqs(100_000, 2, 7.0, generator=torch.Generator().manual_seed(0))
    assert freqs.shape == (2, 100_000)
    assert freqs.dtype == torch.float32
    assert freqs.std(dim=1).tolist() == pytest.approx([7.0, 7.0], rel=0.01)
    assert freqs.mean(dim=1).abs().max() < 0.1
    assert abs(torch.corrcoef(freqs)[0, 1]) < 0.02


def test_float32_features_have_float64_angles():
    freqs, points = octave_freqs(10, 1), torch.tensor([[0.7]])
    exact = fourier_features(points.double(), freqs.double())
    torch.testing.assert_close(fourier_features(points, freqs), exact.float(), rtol=0, atol=1e-7)


def test_harmonics_are_orthonormal_on_the_sphere():
    """By a quadrature that is exact for these degrees: Gauss along the axis, equal steps around it."""
    import numpy as np

    heights, shares = (torch.from_numpy(x) for x in np.polynomial.legendre.leggauss(8))
    around = torch.arange(16, dtype=torch.float64) * math.pi / 8
    radius = (1 - heights**2).sqrt()[:, None]
    x, y, z = radius * around.cos(), radius * around.sin(), heights[:, None].expand(8, 16)
    code = spherical_harmonics(torch.stack((x, y, z), dim=-1), 5)
    products = torch.einsum("z,zae,zaf->ef", shares * math.pi / 8, code, code)
    torch.testing.assert_close(products, torch.eye(36, dtype=torch.float64), **TIGHT)


def test_the_first_degrees_are_the_coordinates_and_their_products():
    x, y, z = p = F.normalize(normal(3), dim=-1)
    first, second = math.sqrt(3 / (4 * math.pi)), math.sqrt(15 / (4 * math.pi))
    of_z = (3 * z**2 - 1) / (2 * math.sqrt(3))
    expected = [first * y, first * z, first * x]
    expected += [second * f for f in (x * y, y * z, of_z, x * z, (x**2 - y**2) / 2)]
    made = spherical_harmonics(p, 2)
    torch.testing.assert_close(made[1:], torch.stack(expected), **TIGHT)
    assert made[0].item() == pytest.approx(1 / math.sqrt(4 * math.pi))


def test_a_pole_has_one_code_and_a_gradient():
    pole = torch.tensor([0.0, 0.0, 1.0], dtype=torch.float64, requires_grad=True)
    code = spherical_harmonics(pole, 3)
    code.sum().backward()
    assert pole.grad.isfinite().all()
    near = F.normalize(pole.detach() + torch.tensor([1e-6, -1e-6, 0.0]), dim=-1)
    torch.testing.assert_close(spherical_harmonics(near, 3), code.detach(), rtol=0, atol=1e-4)


def test_the_bias_is_what_a_loop_gives():
    q_points, k_points, slopes = normal(2, 3), normal(4, 3, seed=1), torch.tensor([0.5, 2.0], dtype=torch.float64)
    by_loop = [[[-s * math.dist(p, k) for k in k_points.tolist()] for p in q_points.tolist()] for s in slopes.tolist()]
    made = euclidean_bias(q_points, k_points, slopes)
    torch.testing.assert_close(made, made.new_tensor(by_loop), **TIGHT)


def test_equal_points_have_a_gradient():
    points = torch.ones(2, 3, dtype=torch.float64, requires_grad=True)
    euclidean_bias(points, points, torch.ones(1, dtype=torch.float64)).sum().backward()
    assert points.grad.eq(0).all()
