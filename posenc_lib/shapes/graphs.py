"""Places in a graph: waves on it, walks back to where they began, steps between two nodes. Positions number the nodes.

A graph is its adjacency, [n, n]: how strong the edge between two nodes is, 1 or 0 where there are no weights.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from posenc_lib.border import (
    border,
    counted,
    each,
    flag,
    function,
    not_negative,
    shaped,
    shared,
    table,
    together,
    tokens,
    whole,
)
from posenc_lib.border.positions import require_one_batch
from posenc_lib.border.precision import register_exact
from posenc_lib.border.values import require_all, require_values
from posenc_lib.relative.distance import ScoreMod

Network = Callable[[Tensor], Tensor]
"""From vectors to vectors; a module, if it is to learn."""

_GRAPH = not_negative(
    "it says how strong an edge is",
    shaped(table(2), lambda shape: len(shape) == 2 and shape[0] == shape[1] > 0, "[n, n], one row and column a node"),
)
_TABLE = shaped(table(2), lambda shape: len(shape) == 2 and 0 not in shape, "[nodes, features]")
_NODES = counted("nodes are numbered")
_STEPS = whole(1, 1_024, beyond="each is a product of matrices")
_FEW = together(
    lambda adjacency, k: k < len(adjacency), "k must be below the number of nodes; got {k} for adjacency {adjacency}"
)
_SQUARE = shaped(counted("edges are counted"), lambda shape: len(shape) == 2 and shape[0] == shape[1] > 0, "[n, n]")
_PATHS = each(lambda paths: paths >= -1, "paths count edges, or are -1 where there is none")


def _require_edges(adjacency: Tensor) -> None:
    require_values(
        adjacency.sum(-1) > 0,
        "every node needs an edge",
        lambda bad: f"every node needs an edge, or a walk cannot leave it; node {int(bad.nonzero()[0])} has none",
        wait=True,
    )


def _require_undirected(adjacency: Tensor) -> None:
    same = adjacency == adjacency.mT
    rule = "an edge must be as strong both ways: for waves take adjacency + adjacency.mT, which forgets directions"
    require_all(adjacency, same, rule, wait=True)


def _require_connected(adjacency: Tensor) -> None:
    require_values(
        _steps(adjacency) >= 0,
        "the graph must be in one piece",
        lambda bad: (
            f"the graph must be in one piece; from node {bad.nonzero()[0, 0]} no path leads to {bad.nonzero()[0, 1]}. "
            "Give each piece waves of its own: else the first ones only say which piece a node is in"
        ),
        wait=True,
    )


@border(_require_edges, _require_undirected, adjacency=_GRAPH, normalised=flag)
def laplacian(adjacency: Float[Tensor, "n n"], *, normalised: bool = True) -> Float[Tensor, "n n"]:
    r"""By how much a node exceeds its neighbours: the matrix whose eigenvectors are the waves of a graph.

    $$L = I - D^{-1/2} A D^{-1/2}, \qquad \text{or } D - A \text{ where it is not normalised}$$

    D is diagonal, with the sum of the weights of each node's edges.

    Refused: weights that are negative or differ between the two ways of an edge, and a node without an edge.

    Source: Dwivedi and Bresson 2020 (arXiv:2012.09699), Laplacian positional encodings, the normalised form.

    >>> laplacian(torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]), normalised=False)
    tensor([[ 1., -1.,  0.],
            [-1.,  2., -1.],
            [ 0., -1.,  1.]])
    """
    return _laplacian(adjacency, normalised)


@border(_FEW, _require_edges, _require_undirected, _require_connected, adjacency=_GRAPH, k=whole(1), normalised=flag)
def laplacian_eigenvectors(
    adjacency: Float[Tensor, "n n"], k: int, *, normalised: bool = True
) -> tuple[Float[Tensor, "{k}"], Float[Tensor, "n {k}"]]:
    r"""The k smoothest waves of a graph, as orthonormal columns, and their eigenvalues, which say how rough they are.

    $$L u_i = \lambda_i u_i, \qquad 0 = \lambda_0 < \lambda_1 \le \dots \le \lambda_k$$

    The wave of $\lambda_0$ says nothing and is left out. The sign of a wave is the solver's choice, and so is the basis
    where eigenvalues are equal. Computed in float64; the results have the dtype of the adjacency.

    Refused: as in `laplacian`; a graph in several pieces, and k that is not below the number of nodes.

    Source: Dwivedi and Bresson 2020 (arXiv:2012.09699), Laplacian positional encodings.

    >>> square = torch.ones(4, 4) - torch.eye(4) - torch.eye(4).flip(0)
    >>> laplacian_eigenvectors(square, 3, normalised=False)[0]
    tensor([2., 2., 4.])
    """
    values, vectors = torch.linalg.eigh(_laplacian(adjacency.double(), normalised))
    return values[1 : k + 1].to(adjacency.dtype), vectors[:, 1 : k + 1].to(adjacency.dtype)


@border(_require_edges, _require_undirected, _require_connected, adjacency=_GRAPH)
def resistance_coordinates(adjacency: Float[Tensor, "n n"]) -> Float[Tensor, "n axes"]:
    r"""A point for each node, such that the squared distance of two is the resistance between them.

    $$z_m = \Big(\frac{u_{1,m}}{\sqrt{\lambda_1}}, \dots, \frac{u_{n-1,m}}{\sqrt{\lambda_{n-1}}}\Big), \qquad
    |z_m - z_n|^2 = R_{mn}$$

    Edges are wires that conduct as much as their weight, and $\lambda_i$, $u_i$ are those of $D - A$. A graph of n
    nodes needs n - 1 axes. On a path $R_{mn} = |m - n|$.

    Refused: as in `laplacian_eigenvectors`.

    Source: Klein and Randić 1993 (doi:10.1007/BF01164627) for the resistance.

    >>> z = resistance_coordinates(torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]))
    >>> torch.cdist(z, z).square().round(decimals=4)
    tensor([[0., 1., 2.],
            [1., 0., 1.],
            [2., 1., 0.]])
    """
    values, vectors = torch.linalg.eigh(_laplacian(adjacency.double(), normalised=False))
    return (vectors[:, 1:] * values[1:].rsqrt()).to(adjacency.dtype)


@border(_require_edges, adjacency=_GRAPH, steps=_STEPS)
def walk_probabilities(adjacency: Float[Tensor, "n n"], steps: int) -> Float[Tensor, "n n {steps}"]:
    r"""How likely a random walk from one node is at another, after 0, 1, …, steps - 1 steps.

    $$(P^0, P^1, \dots, P^{\text{steps} - 1})_{mn}, \qquad P = D^{-1} A$$

    The walk leaves a node by one of its edges, in proportion to their weights; edges may have a direction, from the row
    to the column.

    Refused: negative weights, and a node without an edge.

    Source: Ma et al. 2023 (arXiv:2305.17589), the relative random walk probabilities of GRIT; `add_full_rrwp` in the
    authors' repository.

    >>> walk_probabilities(torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]), 3)[0]
    tensor([[1.0000, 0.0000, 0.5000],
            [0.0000, 1.0000, 0.0000],
            [0.0000, 0.0000, 0.5000]])
    """
    step = adjacency.double() / adjacency.double().sum(-1, keepdim=True)
    powers = [torch.eye(len(step), dtype=step.dtype, device=step.device)]
    for _ in range(steps - 1):
        powers.append(powers[-1] @ step)
    return torch.stack(powers, dim=-1).to(adjacency.dtype)


@border(steps=_STEPS)
def return_probabilities(adjacency: Float[Tensor, "n n"], steps: int) -> Float[Tensor, "n {steps}"]:
    r"""How likely a random walk is back where it began, after 1, 2, …, steps steps.

    $$(P_{mm}, (P^2)_{mm}, \dots, (P^{\text{steps}})_{mm}), \qquad P = D^{-1} A$$

    Refused: as in `walk_probabilities`.

    Source: Dwivedi et al. 2022 (arXiv:2110.07875), the random walk encoding. $(A D^{-1})^k$ has the same diagonal.

    >>> return_probabilities(torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]), 4)
    tensor([[0.0000, 0.5000, 0.0000, 0.5000],
            [0.0000, 1.0000, 0.0000, 1.0000],
            [0.0000, 0.5000, 0.0000, 0.5000]])
    """
    return walk_probabilities(adjacency, steps + 1).diagonal().T[:, 1:]


@border(adjacency=_GRAPH)
def shortest_paths(adjacency: Float[Tensor, "n n"]) -> Int[Tensor, "n n"]:
    r"""How many edges the shortest path from a row's node to a column's has, and -1 where there is none.

    Every weight above 0 is one edge; edges may have a direction.

    Refused: negative weights.

    >>> shortest_paths(torch.tensor([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0] * 4]))
    tensor([[ 0,  1,  2, -1],
            [ 2,  0,  1, -1],
            [ 1,  2,  0, -1],
            [-1, -1, -1,  0]])
    """
    return _steps(adjacency)


class NodeEncoding(nn.Module):
    r"""Slot 1: the numbers that a table has for each node, through a learned matrix.

    $$p_m = U_m W, \qquad U \in \mathbb{R}^{n \times k}, \quad W \in \mathbb{R}^{k \times d_\text{model}}$$

    The table holds eigenvectors, return probabilities or both side by side; it is a constant. W is `weight`.

    Refused: a position that is no row of the table.

    Source: Dwivedi and Bresson 2020 (arXiv:2012.09699), Laplacian positional encodings, without an offset.

    >>> encoding = NodeEncoding(torch.tensor([[1.0], [-1.0]]), d_model=2)
    >>> _ = encoding.load_state_dict({"weight": torch.tensor([[3.0, 4.0]])})
    >>> encoding(torch.tensor([1, 0, 1])).detach()
    tensor([[-3., -4.],
            [ 3.,  4.],
            [-3., -4.]])
    """

    @border(table=_TABLE, d_model=whole(1))
    def __init__(self, table: Float[Tensor, "nodes k"], d_model: int) -> None:
        super().__init__()
        register_exact(self, "table", table)
        self.weight = nn.Parameter(nn.init.xavier_uniform_(torch.empty(table.shape[1], d_model)))

    def extra_repr(self) -> str:
        return "k={}, d_model={}".format(*self.weight.shape)

    @border(positions=_NODES)
    def forward(self, positions: Int[Tensor, "*batch n"]) -> Float[Tensor, "*batch n d_model"]:
        _require_nodes(positions, len(self._table.value))
        return F.embedding(positions, self._table.value.to(self.weight.dtype) @ self.weight)


class SignInvariant(nn.Module):
    r"""Slot 1: waves whose signs do not matter, since each enters with both.

    $$p_m = \rho\big(\varphi(u_1) + \varphi(-u_1), \dots, \varphi(u_k) + \varphi(-u_k)\big)_m$$

    `phi` takes the waves as [k, n, 1] and gives [k, n, c]. It may let nodes exchange what they know; one that treats
    each node alone sees only the size of its entry. `rho` takes [n, k c] and gives [n, d_model].

    Refused: a position that is no node.

    Source: Lim et al. 2023 (arXiv:2202.13013), SignNet; the form in `deepsigns.py` of the authors' repository.

    >>> waves = torch.tensor([[0.5], [-0.5], [2.0]])
    >>> encoding = SignInvariant(waves, phi=torch.square, rho=torch.nn.Identity())
    >>> encoding(torch.arange(3))
    tensor([[0.5000],
            [0.5000],
            [8.0000]])
    """

    @border(vectors=_TABLE, phi=function, rho=function)
    def __init__(self, vectors: Float[Tensor, "nodes k"], phi: Network, rho: Network) -> None:
        super().__init__()
        register_exact(self, "vectors", vectors)
        self.phi, self.rho = phi, rho

    @border(positions=_NODES)
    def forward(self, positions: Int[Tensor, "*batch n"]) -> Float[Tensor, "*batch n d_model"]:
        waves = self._vectors.value.T[..., None]
        _require_nodes(positions, waves.shape[1])
        dtype = next((p.dtype for p in self.parameters()), waves.dtype)
        both = self.phi(waves.to(dtype)) + self.phi(-waves.to(dtype))
        return F.embedding(positions, self.rho(both.movedim(0, -2).flatten(-2)))


class PathBias(nn.Module):
    r"""Slot 3: a learned number for each number of edges between two nodes, as Graphormer has it.

    $$B^{(h)}_{mn} = b^{(h)}_{\min(\delta(m, n),\; \text{reach})}$$

    `paths` are those of `shortest_paths`, with -1 where there is none, which has a number of its own. `table` is
    [h, reach + 2]: for 0 … reach edges, and then for no path. It starts at 0. Positions are [n], or [b, 1, n] where
    each sample has its own.

    Refused: a position that is no node, and paths below -1.

    Source: Ying et al. 2021 (arXiv:2106.05234), the spatial encoding; clipped at `reach`, where the table ends.

    >>> bias = PathBias(torch.tensor([[0, 1, 2, -1], [1, 0, 1, -1], [2, 1, 0, -1], [-1, -1, -1, 0]]), h=1, reach=1)
    >>> _ = bias.load_state_dict({"table": torch.tensor([[5.0, 6.0, -7.0]])})
    >>> bias(torch.tensor([0]), torch.arange(4)).detach()
    tensor([[[ 5.,  6.,  6., -7.]]])
    """

    @border(_PATHS, paths=_SQUARE, h=whole(1), reach=whole(1))
    def __init__(self, paths: Int[Tensor, "nodes nodes"], h: int, reach: int) -> None:
        super().__init__()
        register_exact(self, "rows", torch.where(paths < 0, reach + 1, paths.clamp(max=reach)))
        self.table = nn.Parameter(torch.zeros(h, reach + 2))

    def extra_repr(self) -> str:
        return f"h={len(self.table)}, reach={self.table.shape[1] - 2}"

    @border(require_one_batch, q_positions=tokens, k_positions=tokens)
    def forward(
        self, q_positions: Int[Tensor, "*q_batch n_q"], k_positions: Int[Tensor, "*k_batch n_k"]
    ) -> Float[Tensor, "*batch h n_q n_k"]:
        rows = self._rows_of(q_positions, k_positions)
        return F.embedding(rows.squeeze(1) if rows.ndim == 4 else rows, self.table.T).movedim(-1, -3)

    @border(q_positions=shared, k_positions=shared)
    def score_mod(self, q_positions: Int[Tensor, " n_q"], k_positions: Int[Tensor, " n_k"]) -> ScoreMod:
        """The same for torch's `flex_attention`, looked up for each score."""
        rows, numbers = self._rows_of(q_positions, k_positions), self.table
        return lambda score, sample, head, query, key: score + numbers[head, rows[query, key]]

    def _rows_of(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        for positions in (q_positions, k_positions):
            _require_nodes(positions, len(self._rows.value))
        return self._rows.value[q_positions[..., :, None], k_positions[..., None, :]]


def _laplacian(adjacency: Tensor, normalised: bool) -> Tensor:
    degrees = adjacency.sum(-1)
    plain = degrees.diag() - adjacency
    return plain * degrees.rsqrt() * degrees.rsqrt()[:, None] if normalised else plain


def _steps(adjacency: Tensor) -> Tensor:
    """One node after another may lie on the way (Floyd and Warshall)."""
    far = len(adjacency)
    steps = torch.where(adjacency > 0, 1, far) * (1 - torch.eye(far, dtype=torch.int64, device=adjacency.device))
    for way in range(far):
        steps = torch.minimum(steps, steps[:, way, None] + steps[way])
    return torch.where(steps < far, steps, -1)


def _require_nodes(positions: Tensor, n: int) -> None:
    require_all(positions, (positions >= 0) & (positions < n), f"the graph has nodes 0 … {n - 1}", wait=True)
