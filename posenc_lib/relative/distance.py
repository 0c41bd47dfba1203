"""Scores that depend on the distance alone: one value per distance, repeated along the diagonals.

The query is at m, the key at n, and the distance is m - n: how many tokens back the key lies, so it is positive for the
past. Between consecutive positions it takes n_q + n_k - 1 values, so a bias needs O(n) numbers a head, whatever n_q n_k
is.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from posenc_lib.inputs import MAX_NUMBERS, can_decide, integers, require_function, require_readable, require_tensor

__all__ = ["score_mod", "toeplitz_bias"]

BiasAt = Callable[[Int[Tensor, "*batch"]], Float[Tensor, "h *batch"]]
"""From distances, in tokens back, to one value per head for each of them."""

ScoreMod = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]
"""(score, sample, head, query, key) -> score, for torch's `flex_attention`."""


def toeplitz_bias(
    bias_at: BiasAt, q_positions: Int[Tensor, "*q_batch n_q"], k_positions: Int[Tensor, "*k_batch n_k"]
) -> Float[Tensor, "*batch h n_q n_k"]:
    r"""The bias $B_{mn} = f(m - n)$ of each head, for any positions.

    Positions are [n], or [b, 1, n] where each sample has its own; the result is [h, n_q, n_k], or [b, h, n_q, n_k].
    Between consecutive positions f is computed once for each distance.

    Raises `TypeError` if positions are not integers; `ValueError` if they are neither [n] nor [b, 1, n], or 2**62 or
    more in size.

    >>> toeplitz_bias(lambda back: back[None].float(), torch.tensor([5]), torch.tensor([3, 5, 6]))
    tensor([[[ 2.,  0., -1.]]])
    """
    q_positions, k_positions = token_positions(q_positions), token_positions(k_positions)
    require_function(bias_at=bias_at)
    require_one_batch(q_positions, k_positions)
    if consecutive(q_positions) and consecutive(k_positions):
        line = bias_at(all_distances(q_positions, k_positions))
        # Windows of n_k distances, each one further back than the last; and flipped, since m - n falls with n.
        return line.unfold(-1, len(k_positions), 1).flip(-1)
    distances = pair_distances(q_positions, k_positions)
    return bias_at(distances.squeeze(1) if distances.ndim == 4 else distances).movedim(0, -3)


def score_mod(bias_at: BiasAt, q_positions: Int[Tensor, " n_q"], k_positions: Int[Tensor, " n_k"]) -> ScoreMod:
    r"""The same bias for `flex_attention`, which adds it to each score as it computes it: no [h, n_q, n_k] is made.

    Holds one value per head for every distance from the smallest to the largest. Positions are [n]. Make it outside of
    graphs and transforms: the positions say how many numbers there are.

    Raises `TypeError` if positions are not integers; `ValueError` if they are not [n], if there are none, if they are
    2**62 or more in size, on the meta device and under `torch.vmap`, or if there are more than 2**24 distances from the
    smallest to the largest.

    >>> mod = score_mod(lambda back: back[None].float(), torch.tensor([5]), torch.tensor([3, 5, 6]))
    >>> mod(torch.tensor(10.0), *torch.tensor([0, 0, 0, 2]))
    tensor(9.)
    """
    q_positions, k_positions = shared_positions(q_positions), shared_positions(k_positions)
    require_function(bias_at=bias_at)
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
        first = q_positions[0] - k_positions[0] - above
        return lambda query, key: query - key + first
    return lambda query, key: q_positions[query] - k_positions[key] - above


def pair_distances(
    q_positions: Int[Tensor, "*q_batch n_q"], k_positions: Int[Tensor, "*k_batch n_k"]
) -> Int[Tensor, "*batch n_q n_k"]:
    """How many tokens back each key lies from each query: m - n.

    >>> pair_distances(torch.tensor([5]), torch.tensor([3, 5, 6]))
    tensor([[ 2,  0, -1]])
    """
    q_positions, k_positions = token_positions(q_positions), token_positions(k_positions)
    require_one_batch(q_positions, k_positions)
    return q_positions[..., :, None] - k_positions[..., None, :]


def fitting_distances(
    q_positions: Int[Tensor, "*q_batch n_q"], k_positions: Int[Tensor, "*k_batch n_k"], **lengths: tuple[Tensor, int]
) -> Int[Tensor, "*batch n_q n_k"]:
    """The same, for positions that belong to tensors: `q=(q, -2)` says that axis -2 of q has a position for each."""
    for (name, (x, axis)), positions in zip(lengths.items(), (q_positions, k_positions), strict=True):
        require_length(name, x, token_positions(positions), axis)
    return pair_distances(q_positions, k_positions)


def require_length(name: str, x: Tensor, positions: Tensor, axis: int = -2) -> None:
    """One position for each query or key: one for all would be broadcast without a word."""
    batch = x.shape[: max(x.ndim - 3, 0)] or (1,)
    if positions.shape[-1] != x.shape[axis] or (positions.ndim == 3 and positions.shape[0] not in (1, batch[0])):
        raise ValueError(
            f"there must be one position for each of the {x.shape[axis]} tokens in {name} {list(x.shape)}; "
            f"got positions {list(positions.shape)}"
        )


def all_distances(
    q_positions: Int[Tensor, " n_q"], k_positions: Int[Tensor, " n_k"], width: int = 16
) -> Int[Tensor, " distances"]:
    """All distances from the smallest to the largest; refused if a table of `width` numbers for each gets too large."""
    require_readable(q_positions + k_positions[:1])
    (first_q, last_q), (first_k, last_k) = q_positions.aminmax(), k_positions.aminmax()
    distances = last_q - first_k - (first_q - last_k) + 1
    if not torch.compiler.is_compiling() and not 0 < distances <= MAX_NUMBERS // width:
        raise ValueError(
            f"a number is held for every distance from {first_q - last_k} to {last_q - first_k}, and they must be at "
            f"most {MAX_NUMBERS // width}; got {distances if distances > 0 else 'more than 2**63'}. Move the texts "
            "closer together, or add the bias itself, which needs no more than n_q × n_k numbers"
        )
    return torch.arange(first_q - last_k, last_q - first_k + 1, device=q_positions.device)


def consecutive(positions: Int[Tensor, "*batch n"]) -> bool:
    """Whether they are m, m + 1, … . The answer depends on values, for which a compiled graph would have to stop."""
    if positions.ndim != 1 or not len(positions) or not can_decide(positions):
        return False
    return bool((positions.diff() == 1).all())


def token_positions(positions: Tensor) -> Int[Tensor, "..."]:
    """The positions as int64, in which distances cannot overflow; refused if no integers, or of another shape."""
    positions = integers(positions, "a distance between tokens is an integer")
    if positions.ndim != 1 and (positions.ndim != 3 or positions.shape[1] != 1):
        raise ValueError(
            f"positions must be [n], or [b, 1, n] where each sample has its own; got {list(positions.shape)}"
        )
    return positions


def group_numbers(positions: Tensor, size: int) -> Int[Tensor, "..."]:
    """Which group of `size` positions each one lies in; the one that begins at 0 has the number 0."""
    return token_positions(positions).div(size, rounding_mode="floor")


def require_one_batch(q_positions: Tensor, k_positions: Tensor) -> None:
    """[b, 1, n] beside [c, 1, n] has no meaning."""
    b, c = (p.shape[0] if p.ndim == 3 else 1 for p in (q_positions, k_positions))
    if b != c and 1 not in (b, c):
        raise ValueError(
            f"q_positions {[*q_positions.shape]} are for {b} samples and k_positions {[*k_positions.shape]} for {c}: "
            "they must be as many, or shared"
        )


def distances_of(distances: Tensor) -> Int[Tensor, "..."]:
    """Distances as int64: a narrower integer would wrap where a row is counted from the far end."""
    return integers(distances, "a distance is a number of tokens", "distances")


def shared_positions(positions: Tensor, x: Tensor | None = None) -> Int[Tensor, " n"]:
    """The same for a `score_mod`, which takes one row of positions for all samples; x has a token for each."""
    positions = token_positions(positions)
    if positions.ndim != 1 or not len(positions):
        raise ValueError(f"score_mod needs positions [n] that all samples share; got {list(positions.shape)}")
    if x is not None:
        require_tensor(x=x)
        if x.ndim != 4:
            raise ValueError(f"flex_attention takes q and k as [b, h, n, d]; got {list(x.shape)}")
        require_length("x", x, positions)
    return positions
