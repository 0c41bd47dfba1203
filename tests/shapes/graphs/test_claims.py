"""What the chapter proves about graphs, verified in numbers on the library's code."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from posenc_lib import rotate, sinusoidal
from posenc_lib.rotary import axes_angles
from posenc_lib.shapes import (
    SignInvariant,
    laplacian,
    laplacian_eigenvectors,
    resistance_coordinates,
    return_probabilities,
    walk_probabilities,
)
from tests.support.weights import normal

TIGHT = {"rtol": 0, "atol": 1e-10}
seeds = st.integers(0, 1_000)


def ring(n):
    step = torch.eye(n, dtype=torch.float64).roll(1, 0)
    return step + step.T if n > 2 else step


def path(n):
    step = torch.ones(n - 1, dtype=torch.float64).diag(1)
    return step + step.T


def random_graph(seed, n=9):
    """A path, so that it is in one piece, and some other edges."""
    more = (normal(n, n, seed=seed) > 0.8).triu(2).double()
    return path(n) + more + more.T


@pytest.mark.claim("graphs.ring")
@given(st.integers(3, 30), st.integers(-9, 9), st.floats(-7, 7))
def test_a_ring_has_the_sinusoid_at_every_phase(n, k, alpha):
    theta = 2 * math.pi * k / n
    u = (torch.arange(n).double() * theta - alpha).cos()
    L = laplacian(ring(n), normalised=False)
    torch.testing.assert_close(L @ u, (2 - 2 * math.cos(theta)) * u, **TIGHT)


@pytest.mark.claim("graphs.ring")
def test_the_solvers_pair_and_the_sinusoids_span_the_same_plane():
    n = 16
    for k in range(1, n // 2):
        pair = laplacian_eigenvectors(ring(n), 2 * k, normalised=False)[1][:, -2:]
        base = (n / (2 * math.pi * k)) ** 2  # the second of two pairs then turns by 2πk/n
        theirs = sinusoidal(torch.arange(n), 4, base=base, dtype=torch.float64)[:, 2:] * (2 / n) ** 0.5
        torch.testing.assert_close(pair @ pair.T, theirs @ theirs.T, **TIGHT)


@pytest.mark.claim("graphs.path")
@given(st.integers(2, 30), st.integers(0, 40))
def test_a_path_has_the_cosine_transform(n, k):
    theta = math.pi * k / n
    w = ((torch.arange(n) + 0.5).double() * theta).cos()
    L = laplacian(path(n), normalised=False)
    torch.testing.assert_close(L @ w, (2 - 2 * math.cos(theta)) * w, **TIGHT)


@pytest.mark.claim("graphs.path")
def test_the_normalised_waves_of_a_path_are_others():
    w = ((torch.arange(8) + 0.5).double() * math.pi / 8).cos()
    image = laplacian(path(8)) @ w
    assert (image / w).diff().abs().max() > 0.01


@pytest.mark.claim("graphs.orthogonal")
@given(seeds)
def test_waves_of_different_eigenvalues_are_orthogonal(seed):
    L = laplacian(random_graph(seed))
    values, vectors = (x.real for x in torch.linalg.eig(L))  # the solver that promises nothing
    apart = (values[:, None] - values).abs() > 1e-6
    assert (vectors.T @ vectors)[apart].abs().max() < 1e-9


@pytest.mark.claim("graphs.orthogonal")
def test_and_of_the_same_they_need_not_be():
    """Two phases of one wave; which pair a solver picks differs from one processor to another."""
    angle = math.pi / 6
    u, v = ((torch.arange(12).double() * angle - phase).cos() for phase in (0, 1))
    for wave in (u, v):
        torch.testing.assert_close(laplacian(ring(12), normalised=False) @ wave, (2 - 2 * math.cos(angle)) * wave)
    assert u @ v == pytest.approx(6 * math.cos(1))


@pytest.mark.claim("graphs.projector")
@given(seeds, st.integers(1, 4))
def test_a_projector_does_not_see_the_basis(seed, k):
    V = laplacian_eigenvectors(random_graph(seed), k)[1]
    Q = torch.linalg.qr(normal(k, k, seed=seed))[0]
    torch.testing.assert_close((V @ Q) @ (V @ Q).T, V @ V.T, **TIGHT)


@pytest.mark.claim("graphs.projector")
@given(st.integers(3, 20), st.data())
def test_on_a_ring_it_is_a_cosine_of_the_distance(n, data):
    k = data.draw(st.integers(1, (n - 1) // 2))
    V = laplacian_eigenvectors(ring(n), 2 * k, normalised=False)[1][:, -2:]
    nodes = torch.arange(n).double()
    cosine = ((nodes[:, None] - nodes) * 2 * math.pi * k / n).cos()
    torch.testing.assert_close(V @ V.T * n / 2, cosine, **TIGHT)


@given(seeds)
def test_no_sign_of_a_wave_is_seen(seed):
    V, nodes = laplacian_eigenvectors(random_graph(seed), 3)[1], torch.arange(9)
    phi = nn.Sequential(nn.Linear(1, 5), nn.Tanh()).double()
    signs = normal(3, seed=seed).sign()
    flipped = SignInvariant(V * signs, phi, nn.Identity())(nodes)
    torch.testing.assert_close(flipped, SignInvariant(V, phi, nn.Identity())(nodes), **TIGHT)


@pytest.mark.claim("graphs.symmetry")
@given(seeds)
def test_alike_nodes_have_the_same_walks(seed):
    half = random_graph(seed, 5)
    A = torch.block_diag(half, half)  # twice the same, with a bridge between any two twins
    A[0, 5] = A[5, 0] = 1
    pi = (torch.arange(10) + 5) % 10
    walks = walk_probabilities(A, 6)
    torch.testing.assert_close(walks[pi][:, pi], walks, **TIGHT)
    torch.testing.assert_close(return_probabilities(A, 6)[:5], return_probabilities(A, 6)[5:], **TIGHT)


@pytest.mark.claim("graphs.symmetry")
def test_on_a_ring_nobody_is_told_apart_by_walks_and_everybody_by_waves():
    walks = return_probabilities(ring(9), 12)
    torch.testing.assert_close(walks, walks[:1].expand(9, -1), **TIGHT)
    waves = laplacian_eigenvectors(ring(9), 2)[1]
    assert torch.pdist(waves).min() > 0.1


@pytest.mark.claim("graphs.bipartite")
@given(seeds, st.integers(1, 6), st.integers(1, 6))
def test_between_two_sides_odd_steps_never_lead_back(seed, left, right):
    across = normal(left, right, seed=seed).abs()
    A = torch.zeros(left + right, left + right, dtype=torch.float64)
    A[:left, left:], A[left:, :left] = across, across.T
    back = return_probabilities(A, 9)
    assert (back[:, ::2] == 0).all()
    assert (back[:, 1::2] > 0).all()


@pytest.mark.claim("graphs.flip")
@given(seeds, st.floats(-9, 9))
def test_a_flipped_wave_changes_the_score(seed, omega):
    q, k = normal(2, 9, 2, seed=seed)
    u = laplacian_eigenvectors(random_graph(seed), 1)[1]
    freqs = torch.tensor([[omega]], dtype=torch.float64)
    right, turned = (rotate(q, axes_angles(s * u, freqs)) @ rotate(k, axes_angles(s * u, freqs)).T for s in (1, -1))
    across = q[:, 1:] * k[:, 0] - q[:, :1] * k[:, 1]
    torch.testing.assert_close(turned - right, 2 * (omega * (u - u.T)).sin() * across, **TIGHT)


@pytest.mark.claim("graphs.resistance")
@given(seeds, st.floats(0.3, 2))
def test_the_mean_over_frequencies_falls_with_the_resistance(seed, sigma):
    """By quadrature: Gauss and Hermite's nodes for each axis, since the mean of a product is the product of means."""
    A, sides = random_graph(seed, 5), torch.eye(5, dtype=torch.float64)
    points = resistance_coordinates(A)
    nodes, weights = (torch.from_numpy(x) for x in hermite(40))
    apart = points[:, None] - points
    means = torch.einsum("...f,f->...", (1j * sigma * apart[..., None] * nodes).exp(), weights / weights.sum() + 0j)
    current = sides[:, None] - sides
    resistance = (current @ torch.linalg.pinv(laplacian(A, normalised=False)) * current).sum(-1)
    torch.testing.assert_close(means.prod(-1).real, (-(sigma**2) * resistance / 2).exp(), **TIGHT)


def hermite(n):
    import numpy as np

    return np.polynomial.hermite_e.hermegauss(n)
