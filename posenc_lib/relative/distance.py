"""Scores that depend on the distance alone: one value per distance, repeated along the diagonals.

The query is at m, the key at n, and the distance is m - n: how many tokens back the key lies, so it is positive for the
past. Between consecutive positions it takes n_q + n_k - 1 values, so a bias needs O(n) numbers a head, whatever n_q n_k
is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from posenc_lib.border import border, content, function, shared, tensor, tokens, whole
from posenc_lib.border.positions import require_one_batch
from posenc_lib.border.values import can_decide, require_readable

MAX_DISTANCES, MAX_NUMBERS = 2**24, 2**28
"""How long a table over all distances may be where few positions have a wide gap, and of how many numbers: 2 GB in
float64."""

buckets = whole(2, 1024, beyond="where one begins is found among exact integers, which grow with their number")
"""The rule for a number of buckets of distances."""

__all__ = ["score_mod", "toeplitz_bias"]

BiasAt = Callable[[Int[Tensor, "*batch"]], Float[Tensor, "h *batch"]]
"""From distances, in tokens back, to one value per head for each of them."""

ScoreMod = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]
"""(score, sample, head, query, key) -> score, for torch's `flex_attention`."""


@border(require_one_batch, bias_at=function, q_positions=tokens, k_positions=tokens)
def toeplitz_bias(
    bias_at: BiasAt, q_positions: Int[Tensor, "*q_batch n_q"], k_positions: Int[Tensor, "*k_batch n_k"]
) -> Float[Tensor, "*batch h n_q n_k"]:
    r"""The bias $B_{mn} = f(m - n)$ of each head, for any positions.

    Positions are [n], or [b, 1, n] where each sample has its own; the result is [h, n_q, n_k], or [b, h, n_q, n_k].
    Between consecutive positions f is computed once for each distance.

    Refused: a `bias_at` that does not give a number for each head and distance.

    >>> toeplitz_bias(lambda back: back[None].float(), torch.tensor([5]), torch.tensor([3, 5, 6]))
    tensor([[[ 2.,  0., -1.]]])
    """
    if consecutive(q_positions) and consecutive(k_positions):
        line = bias_of(bias_at, all_distances(q_positions, k_positions))
        # Windows of n_k distances, each one further back than the last; and flipped, since m - n falls with n.
        return line.unfold(-1, len(k_positions), 1).flip(-1)
    distances = steps_back(q_positions, k_positions)
    return bias_of(bias_at, distances.squeeze(1) if distances.ndim == 4 else distances).movedim(0, -3)


@border(bias_at=function, q_positions=shared, k_positions=shared)
def score_mod(bias_at: BiasAt, q_positions: Int[Tensor, " n_q"], k_positions: Int[Tensor, " n_k"]) -> ScoreMod:
    r"""The same bias for `flex_attention`, which adds it to each score as it computes it: no [h, n_q, n_k] is made.

    It holds one value per head for every distance from the smallest to the largest. Positions are [n]. Make it outside
    graphs and transforms, since the positions decide how many numbers there are.

    Refused: the meta device and `torch.vmap`, and more than 2**24 distances from the smallest to the largest.

    >>> mod = score_mod(lambda back: back[None].float(), torch.tensor([5]), torch.tensor([3, 5, 6]))
    >>> mod(torch.tensor(10.0), *torch.tensor([0, 0, 0, 2]))
    tensor(9.)
    """
    distances = all_distances(q_positions, k_positions)
    line, place = bias_of(bias_at, distances), distance_of(q_positions, k_positions, above=distances[0])
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


@border(require_one_batch, q_positions=tokens, k_positions=tokens)
def pair_distances(
    q_positions: Int[Tensor, "*q_batch n_q"], k_positions: Int[Tensor, "*k_batch n_k"]
) -> Int[Tensor, "*batch n_q n_k"]:
    """How many tokens back each key lies from each query: m - n.

    >>> pair_distances(torch.tensor([5]), torch.tensor([3, 5, 6]))
    tensor([[ 2,  0, -1]])
    """
    return steps_back(q_positions, k_positions)


def steps_back(
    q_positions: Int[Tensor, "*q_batch n_q"], k_positions: Int[Tensor, "*k_batch n_k"]
) -> Int[Tensor, "*batch n_q n_k"]:
    """The same for positions that are known to be int64 and to fit each other."""
    return q_positions[..., :, None] - k_positions[..., None, :]


def all_distances(
    q_positions: Int[Tensor, " n_q"], k_positions: Int[Tensor, " n_k"], width: int = 1
) -> Int[Tensor, " distances"]:
    """All distances from the smallest to the largest, for a table that has `width` numbers for each."""
    require_readable(q_positions + k_positions[:1])
    (first_q, last_q), (first_k, last_k) = q_positions.aminmax(), k_positions.aminmax()
    least, greatest = first_q - last_k, last_q - first_k
    _require_few(least, greatest, min(MAX_DISTANCES, MAX_NUMBERS // width))
    return torch.arange(least, greatest + 1, device=q_positions.device)


def consecutive(positions: Int[Tensor, "*batch n"]) -> bool:
    """Whether they are m, m + 1, … . The answer depends on values, for which a compiled graph would have to stop."""
    if positions.ndim != 1 or not len(positions) or not can_decide(positions):
        return False
    return bool((positions.diff() == 1).all())


@border(positions=tokens)
def group_numbers(positions: Int[Tensor, "*batch n"], size: int) -> Int[Tensor, "*batch n"]:
    """Which group of `size` positions each one lies in; the one that begins at 0 has the number 0."""
    return positions.div(size, rounding_mode="floor")


def for_flex(name: str, x: Any) -> Tensor:
    """The rule of the queries or the keys that a `score_mod` reads."""
    if content()(name, x).ndim != 4:
        raise ValueError(f"flex_attention takes q and k as [b, h, n, d]; got {list(x.shape)}")
    return x


def bias_of(bias_at: BiasAt, distances: Int[Tensor, "*batch"]) -> Float[Tensor, "h *batch"]:
    if (bias := tensor(1)("what bias_at gives", bias_at(distances))).shape[1:] != distances.shape:
        raise ValueError(
            "bias_at must give [h, *distances], a number for each head and each distance, also the negative ones, "
            f"of keys after the query; it gave {list(bias.shape)} for distances {list(distances.shape)}"
        )
    return bias


def _require_few(least: Tensor, greatest: Tensor, most: int) -> None:
    distances = greatest - least + 1
    if not torch.compiler.is_compiling() and not 0 < distances <= most:
        raise ValueError(
            f"a number is held for every distance from {least} to {greatest}, and these must number at most {most}; "
            f"got {distances if distances > 0 else 'more than 2**63'}. Move the texts closer together, or add the bias "
            "itself, which needs no more than n_q × n_k numbers"
        )


def token_positions(positions):  # until extension/windows.py and streams.py declare their border
    return tokens("positions", positions)
