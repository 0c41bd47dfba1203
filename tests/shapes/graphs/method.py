"""Places in a graph, as the contract takes them: a ring with a chord, whose nodes are the positions."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from posenc_lib import Slots, rotate
from posenc_lib.rotary import axes_angles
from posenc_lib.shapes import (
    NodeEncoding,
    PathBias,
    SignInvariant,
    laplacian_eigenvectors,
    resistance_coordinates,
    return_probabilities,
    shortest_paths,
)
from tests.contract.method import D_MODEL, D, H, Method
from tests.support.weights import normal

NODES, WAVES, WIDTH, REACH = 24, 4, 6, 6


def graph(n: int = NODES) -> Tensor:
    step = torch.eye(n).roll(1, 0)
    chord = torch.zeros(n, n)
    chord[0, n // 3] = 1
    return (step + step.T + chord + chord.T).double()


def waves() -> Tensor:
    return laplacian_eigenvectors(graph(), WAVES)[1]


def either_sign() -> SignInvariant:
    phi = nn.Sequential(nn.Linear(1, WIDTH, bias=False), nn.GELU())
    return SignInvariant(waves(), phi, nn.Linear(WAVES * WIDTH, D_MODEL, bias=False))


def by_resistance() -> Method:
    points, freqs = resistance_coordinates(graph()), normal(NODES - 1, D // 2, seed=4)

    def angles(positions: Tensor) -> Tensor:
        return axes_angles(points.to(positions.device)[positions.long()], freqs.to(positions.device))

    def transform(q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        return rotate(q, angles(q_positions)), rotate(k, angles(k_positions))

    return Method((resistance_coordinates, axes_angles), relative=False, slots=Slots(transform=transform))


METHODS = {
    "graphs": lambda: Method(
        (laplacian_eigenvectors, NodeEncoding), relative=False, embedding=NodeEncoding(waves(), D_MODEL)
    ),
    "graphs, walks": lambda: Method(
        (return_probabilities, NodeEncoding),
        relative=False,
        embedding=NodeEncoding(return_probabilities(graph(), WAVES), D_MODEL),
    ),
    "graphs, either sign": lambda: Method((SignInvariant,), relative=False, embedding=either_sign()),
    "graphs, paths": lambda: Method(
        (PathBias, shortest_paths), relative=False, slots=Slots(bias=PathBias(shortest_paths(graph()), H, reach=REACH))
    ),
    "graphs, resistance": by_resistance,
}
NO_METHOD = {
    "laplacian": "the matrix whose eigenvectors are the waves",
    "walk_probabilities": "a list of numbers for each pair of nodes, which GRIT's own attention reads",
}
SMALL = {"adjacency": graph(6).float()}
ARGUMENTS = {
    "NodeEncoding": lambda: [{"table": normal(6, 3).float()}],
    "PathBias": lambda: [{"paths": shortest_paths(graph(6)), "reach": 2}],
    "PathBias.forward": lambda: [{"q_positions": torch.arange(4), "k_positions": torch.arange(6)}],
    "SignInvariant": lambda: [
        {"vectors": normal(6, 3).float(), "phi": torch.square, "rho": nn.Linear(3, D_MODEL).requires_grad_(False)}
    ],
    "laplacian": lambda: [SMALL],
    "laplacian_eigenvectors": lambda: [{**SMALL, "k": 2}],
    "resistance_coordinates": lambda: [SMALL],
    "return_probabilities": lambda: [SMALL],
    "shortest_paths": lambda: [SMALL],
    "walk_probabilities": lambda: [SMALL],
}
