"""Graphs: each part by another route in float64, and what it learns."""

from __future__ import annotations

import itertools

import pytest
import torch
from torch import nn

from posenc_lib.shapes import (
    NodeEncoding,
    PathBias,
    SignInvariant,
    laplacian,
    laplacian_eigenvectors,
    resistance_coordinates,
    return_probabilities,
    shortest_paths,
    walk_probabilities,
)
from tests.shapes.graphs.method import graph
from tests.support.weights import normal

TIGHT = {"rtol": 0, "atol": 1e-12}


def weighted(n=7):
    """All edges, each with another weight."""
    weights = normal(n, n, seed=3).abs()
    return (weights + weights.T).fill_diagonal_(0)


def test_the_laplacian_says_how_far_a_node_stands_out():
    A, u = weighted(), normal(7, seed=5)
    by_loop = [sum(A[m, n] * (u[m] - u[n]) for n in range(7)) for m in range(7)]
    torch.testing.assert_close(laplacian(A, normalised=False) @ u, torch.stack(by_loop), **TIGHT)


def test_the_normalised_laplacian_divides_by_the_roots_of_both_degrees():
    A = weighted()
    by_loop = [[int(m == n) - A[m, n] / (A[m].sum() * A[n].sum()).sqrt() for n in range(7)] for m in range(7)]
    torch.testing.assert_close(laplacian(A), torch.tensor(by_loop, dtype=torch.float64), **TIGHT)


@pytest.mark.parametrize("normalised", [True, False])
def test_waves_are_orthonormal_eigenvectors_from_smooth_to_rough(normalised):
    A = weighted()
    values, vectors = laplacian_eigenvectors(A, 4, normalised=normalised)
    torch.testing.assert_close(laplacian(A, normalised=normalised) @ vectors, vectors * values, **TIGHT)
    torch.testing.assert_close(vectors.T @ vectors, torch.eye(4, dtype=torch.float64), **TIGHT)
    assert (values.diff() >= 0).all()
    assert values[0] > 1e-3
    every = torch.linalg.eigvalsh(laplacian(A, normalised=normalised))
    torch.testing.assert_close(values, every[1:5], **TIGHT)


def test_the_paper_has_the_normalised_one():
    torch.testing.assert_close(
        laplacian_eigenvectors(graph(), 3)[0], laplacian_eigenvectors(graph(), 3, normalised=True)[0]
    )
    assert not torch.allclose(laplacian(graph()), laplacian(graph(), normalised=False))


def test_a_walk_is_the_sum_over_all_its_ways():
    A, m, n = weighted(5), 0, 3
    step = A / A.sum(-1, keepdim=True)
    ways = itertools.product(range(5), repeat=2)
    by_ways = sum(step[m, a] * step[a, b] * step[b, n] for a, b in ways)
    walks = walk_probabilities(A, 4)
    assert walks[m, n, 3].item() == pytest.approx(by_ways.item(), abs=1e-12)
    torch.testing.assert_close(walks.sum(1), torch.ones(5, 4, dtype=torch.float64), **TIGHT)
    torch.testing.assert_close(walks[..., 0], torch.eye(5, dtype=torch.float64), **TIGHT)


def test_a_walk_follows_directions():
    one_way = torch.eye(4, dtype=torch.float64).roll(1, 1)  # from m to m + 1
    assert walk_probabilities(one_way, 3)[0, :, 2].tolist() == [0, 0, 1, 0]


def test_return_probabilities_begin_with_one_step():
    A = weighted(5)
    assert (return_probabilities(A, 3)[:, 0] == 0).all()
    for k in (1, 2, 3):
        power = torch.linalg.matrix_power(A / A.sum(-1, keepdim=True), k)
        torch.testing.assert_close(return_probabilities(A, 3)[:, k - 1], power.diagonal(), **TIGHT)


def test_squared_distances_are_resistances():
    A, nodes = weighted(), torch.arange(7)
    inverse = torch.linalg.pinv(laplacian(A, normalised=False))
    by_inverse = inverse.diagonal()[:, None] + inverse.diagonal() - 2 * inverse
    points = resistance_coordinates(A)
    squares = (points[nodes, None] - points).square().sum(-1)
    torch.testing.assert_close(squares, by_inverse, **TIGHT)


def test_a_node_gets_its_row_through_a_matrix():
    table, encoding = normal(5, 3), NodeEncoding(normal(5, 3), 4).double()
    torch.testing.assert_close(encoding(torch.tensor([[4, 0], [2, 2]]))[0, 0], table[4] @ encoding.weight, **TIGHT)


def test_waves_enter_with_both_signs_side_by_side():
    vectors, phi = normal(5, 2), nn.Sequential(nn.Linear(1, 3), nn.Tanh()).double()
    rho = nn.Linear(6, 4).double()
    made = SignInvariant(vectors, phi, rho)(torch.tensor([3]))
    both = [phi(vectors[3, i : i + 1]) + phi(-vectors[3, i : i + 1]) for i in range(2)]
    torch.testing.assert_close(made[0], rho(torch.cat(both)), **TIGHT)


def test_paths_have_a_row_each_up_to_the_reach_and_one_for_none():
    paths = torch.tensor([[0, 1, 2, 3, -1]] * 5)
    bias = PathBias(paths, 2, reach=2).double()
    bias.table.data = torch.tensor([[0.0, 1, 2, 9], [5, 6, 7, 8]]).double()
    assert bias(torch.tensor([1]), torch.arange(5))[:, 0].tolist() == [[0, 1, 2, 2, 9], [5, 6, 7, 7, 8]]
    bias(torch.tensor([1]), torch.tensor([2, 3]))[1].sum().backward()
    assert bias.table.grad.tolist() == [[0, 0, 0, 0], [0, 0, 2, 0]]


def test_directions_count_for_paths():
    one_way = torch.eye(4, dtype=torch.float64).roll(1, 1)
    assert shortest_paths(one_way)[0].tolist() == [0, 1, 2, 3]


def test_a_weak_edge_is_an_edge():
    assert shortest_paths(0.01 * graph(6)).equal(shortest_paths(graph(6)))
