"""The same from networkx and scipy; from torch_geometric and GRIT as kept values."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from scipy.fft import dct

from posenc_lib.shapes import (
    laplacian,
    laplacian_eigenvectors,
    resistance_coordinates,
    return_probabilities,
    shortest_paths,
    walk_probabilities,
)

ORACLE = json.loads((Path(__file__).parents[2] / "oracles" / "graphs_pyg_grit.json").read_text())
GRAPHS = {
    "karate": nx.karate_club_graph(),  # with weights
    "petersen": nx.petersen_graph(),
    "tree": nx.balanced_tree(2, 3),
    "grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 5)),
}
TIGHT = {"rtol": 0, "atol": 1e-10}


def adjacency(graph):
    return torch.from_numpy(nx.to_numpy_array(graph))


@pytest.fixture(params=GRAPHS)
def graph(request):
    return GRAPHS[request.param]


def test_networkx_has_the_same_laplacians(graph):
    plain, normalised = (torch.from_numpy(make(graph).toarray()).double() for make in MATRICES)
    torch.testing.assert_close(laplacian(adjacency(graph), normalised=False), plain, **TIGHT)
    torch.testing.assert_close(laplacian(adjacency(graph)), normalised, **TIGHT)


MATRICES = nx.laplacian_matrix, nx.normalized_laplacian_matrix


def test_networkx_has_the_same_smoothest_wave():
    """Its Fiedler vector, up to the sign, of a graph on which it is alone."""
    wave = torch.from_numpy(nx.fiedler_vector(GRAPHS["karate"], seed=0, tol=1e-12, method="tracemin_lu"))
    ours = laplacian_eigenvectors(adjacency(GRAPHS["karate"]), 1, normalised=False)[1][:, 0]
    torch.testing.assert_close((wave @ ours).abs(), torch.ones((), dtype=torch.float64), rtol=0, atol=1e-8)


def test_networkx_has_the_same_resistances(graph):
    points = resistance_coordinates(adjacency(graph))
    theirs = nx.resistance_distance(graph, weight="weight", invert_weight=False)
    ours = (points[:, None] - points).square().sum(-1)
    for m, row in theirs.items():
        for n, resistance in row.items():
            assert ours[m, n].item() == pytest.approx(resistance, abs=1e-8)


def test_networkx_has_the_same_paths(graph):
    ours = shortest_paths(adjacency(graph))
    for m, row in nx.all_pairs_shortest_path_length(graph):
        assert ours[m].tolist() == [row[n] for n in range(len(graph))]


def test_networkx_knows_no_path_between_two_pieces():
    two = nx.disjoint_union(nx.path_graph(2), nx.path_graph(2))
    assert not nx.has_path(two, 0, 2)
    assert shortest_paths(adjacency(two)).tolist() == [[0, 1, -1, -1], [1, 0, -1, -1], [-1, -1, 0, 1], [-1, -1, 1, 0]]


def test_scipys_cosine_transform_has_the_waves_of_a_path():
    rows = dct(np.eye(9), type=2, norm="ortho", axis=0)  # row k is wave k
    waves = laplacian_eigenvectors(adjacency(nx.path_graph(9)), 8, normalised=False)[1]
    torch.testing.assert_close(waves.T.abs(), torch.from_numpy(rows[1:]).abs(), **TIGHT)


# --- kept values


def kept(name):
    return torch.tensor(ORACLE[name], dtype=torch.float64)


@pytest.fixture
def seven():
    return adjacency(nx.from_edgelist(ORACLE["edges"]).to_undirected())[ORDER][:, ORDER]


ORDER = [list(nx.from_edgelist(ORACLE["edges"])).index(node) for node in range(7)]


def test_torch_geometric_has_the_same_waves_up_to_signs(seven):
    ours = laplacian_eigenvectors(seven, 4)[1]
    signs = (ours * kept("laplacian")).sum(0).sign()
    torch.testing.assert_close(ours * signs, kept("laplacian"), rtol=0, atol=2e-6)


def test_torch_geometric_has_the_same_return_probabilities(seven):
    torch.testing.assert_close(return_probabilities(seven, 5), kept("walks"), rtol=0, atol=2e-6)


def test_torch_geometric_leaves_the_weights_out_above_the_line():
    """With weights of 1/2, each of the two edges counts 1/(1/2 + 1/2), and so a row sums to 2."""
    triangle = adjacency(nx.complete_graph(3))
    powers = torch.stack([torch.linalg.matrix_power(triangle, k).diagonal() for k in (1, 2, 3)], dim=-1)
    torch.testing.assert_close(kept("half_weights"), powers, **TIGHT)
    torch.testing.assert_close(return_probabilities(triangle / 2, 3), return_probabilities(triangle, 3), **TIGHT)
    assert return_probabilities(triangle / 2, 3).max() == 0.5


def test_torch_geometrics_waves_were_not_orthogonal_by_default():
    assert ORACLE["largest_product_by_default"] == pytest.approx(0.65, abs=0.005)  # as the page says
    waves = laplacian_eigenvectors(adjacency(nx.cycle_graph(12)), 6)[1]
    torch.testing.assert_close(waves.T @ waves, torch.eye(6, dtype=torch.float64), **TIGHT)


def test_grit_has_the_same_walks_and_finds_the_paths_in_them(seven):
    by_column_and_row = kept("relative").transpose(0, 1)  # "the framework of GRIT performing right-mul"
    torch.testing.assert_close(walk_probabilities(seven, 4), by_column_and_row, rtol=0, atol=2e-6)
    assert shortest_paths(seven).tolist() == ORACLE["spd"]
    first = (walk_probabilities(seven, 5) > 0).int().argmax(-1)
    assert first.tolist() == ORACLE["spd"]
