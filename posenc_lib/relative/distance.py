"""Scores that depend on the distance alone: a line of numbers, one a distance, spread along the diagonals.

The distance is that from the query to the key, n - m: negative for the past. Between consecutive positions it takes
n_q + n_k - 1 values, so a bias needs O(n) numbers a head, whatever n_q n_k is.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from posenc_lib.pairs import is_integer

BiasAt = Callable[[Int[Tensor, "*batch"]], Float[Tensor, "h *batch"]]
"""From distances to one number a head for each of them."""

ScoreMod = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]
"""(score, sample, head, query, key) -> score, for torch's `flex_attention`."""


def toeplitz_bias(
    bias_at: BiasAt, q_positions: Int[Tensor, "*q_batch n_q"], k_positions: Int[Tensor, "*k_batch n_k"]
) -> Float[Tensor, "*batch h n_q n_k"]:
    r"""The bias $B_{mn} = f(n - m)$ of each head, for any positions.

    Positions are [n], or [b, 1, n] where each sample has its own; the result is [h, n_q, n_k], or [b, h, n_q, n_k].
    Between consecutive positions f is computed once for each distance.

    Raises `TypeError` if positions are not integers, `ValueError` if they are neither [n] nor [b, 1, n].

    >>> toeplitz_bias(lambda distance: -distance.abs()[None].float(), torch.arange(2), torch.arange(3))
    tensor([[[-0., -1., -2.],
             [-1., -0., -1.]]])
    """
    q_positions, k_positions = token_positions(q_positions), token_positions(k_positions)
    if consecutive(q_positions) and consecutive(k_positions):
        line = bias_at(all_distances(q_positions, k_positions))
        # Windows of n_k distances, each one further right than the last; and rows go left, since n - m falls with m.
        return line.unfold(-1, len(k_positions), 1).flip(-2)
    distances = pair_distances(q_positions, k_positions)
    return bias_at(distances.squeeze(1) if distances.ndim == 4 else distances).movedim(0, -3)


def score_mod(bias_at: BiasAt, q_positions: Int[Tensor, " n_q"], k_positions: Int[Tensor, " n_k"]) -> ScoreMod:
    r"""The same bias for `flex_attention`, which adds it to each score as it computes it: no [h, n_q, n_k] is made.

    Holds one number a head for every distance from the smallest to the largest. Positions are [n].

    Raises `TypeError` if positions are not integers, `ValueError` if they are not [n], or if there are none.

    >>> mod = score_mod(lambda distance: -distance.abs()[None].float(), torch.arange(2), torch.arange(3))
    >>> mod(torch.tensor(10.0), *torch.tensor([0, 0, 0, 2]))
    tensor(8.)
    """
    q_positions, k_positions = shared_positions(q_positions), shared_positions(k_positions)
    distances = all_distances(q_positions, k_positions)
    line, place = bias_at(distances), distance_of(q_positions, k_positions, above=distances[0])
    return lambda score, sample, head, query, key: score + line[head, place(query, key)]


def distance_of(
    q_positions: Int[Tensor, " n_q"], k_positions: Int[Tensor, " n_k"], *, above: Int[Tensor, ""] | int = 0
) -> Callable[[Tensor, Tensor], Tensor]:
    """From the numbers of a query and a key, not their positions, to their distance, less `above`.

    For a `score_mod`, which asks it for every score. Between consecutive positions no position is looked up.
    """
    if consecutive(q_positions) and consecutive(k_positions):
        first = k_positions[0] - q_positions[0] - above
        return lambda query, key: key - query + first
    return lambda query, key: k_positions[key] - q_positions[query] - above


def pair_distances(
    q_positions: Int[Tensor, "*q_batch n_q"], k_positions: Int[Tensor, "*k_batch n_k"]
) -> Int[Tensor, "*batch n_q n_k"]:
    """The distance from each query to each key."""
    return token_positions(k_positions)[..., None, :] - token_positions(q_positions)[..., :, None]


def all_distances(q_positions: Int[Tensor, " n_q"], k_positions: Int[Tensor, " n_k"]) -> Int[Tensor, " distances"]:
    """All distances from the smallest to the largest."""
    (first_q, last_q), (first_k, last_k) = q_positions.aminmax(), k_positions.aminmax()
    return torch.arange(first_k - last_q, last_k - first_q + 1, device=q_positions.device)


def consecutive(positions: Int[Tensor, "*batch n"]) -> bool:
    """Whether they are m, m + 1, … . The answer depends on values, for which a compiled graph would have to stop."""
    if positions.ndim != 1 or not len(positions) or torch.compiler.is_compiling():
        return False
    return bool((positions.diff() == 1).all())


def token_positions(positions: Tensor) -> Int[Tensor, "..."]:
    """The positions as int64, in which distances cannot overflow; refused if no integers, or of another shape."""
    if not is_integer(positions.dtype):
        raise TypeError(
            f"a distance between tokens is an integer, so positions must be integers; got {positions.dtype}"
        )
    if positions.ndim != 1 and (positions.ndim != 3 or positions.shape[1] != 1):
        raise ValueError(
            f"positions must be [n], or [b, 1, n] where each sample has its own; got {list(positions.shape)}"
        )
    return positions.long()


def shared_positions(positions: Tensor) -> Int[Tensor, " n"]:
    """The same for a `score_mod`, which takes one row of positions for all samples."""
    positions = token_positions(positions)
    if positions.ndim != 1 or not len(positions):
        raise ValueError(f"score_mod needs positions [n] that all samples share; got {list(positions.shape)}")
    return positions
