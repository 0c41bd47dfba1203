"""T5's bias: one learned number a head for each bucket of distances; buckets widen like the logarithm.

No logarithm is computed. Where a bucket begins follows from a comparison of integers, so no rounding can move an edge.
"""

from __future__ import annotations

from bisect import bisect_left

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from posenc_lib.border import border, distances, flag, together, whole
from posenc_lib.border.positions import MAX_POSITION
from posenc_lib.border.precision import register_exact
from posenc_lib.relative.distance import ScoreMod, buckets, score_mod, toeplitz_bias
from posenc_lib.slots import Slots

N_BUCKETS, MAX_DISTANCE = 32, 128
"""Those of T5, in all its sizes."""


_HALVES = together(
    lambda n_buckets, bidirectional: not bidirectional or (n_buckets >= 4 and n_buckets % 2 == 0),
    "n_buckets must be even and at least 4, half of them for each direction; got {n_buckets}",
)
_FAR = together(
    lambda n_buckets, max_distance, bidirectional: max_distance > _near(n_buckets, bidirectional),
    lambda n_buckets, max_distance, bidirectional: (
        f"max_distance must be above {_near(n_buckets, bidirectional)}: distances below have a bucket each; "
        f"got {max_distance}"
    ),
)


@border(_HALVES, _FAR, n_buckets=buckets, max_distance=whole(most=MAX_POSITION), bidirectional=flag)
def t5_edges(
    n_buckets: int = N_BUCKETS, max_distance: int = MAX_DISTANCE, *, bidirectional: bool = True
) -> Int[Tensor, " edges"]:
    r"""The smallest absolute distance of each bucket but bucket 0, which begins at 0.

    $$1, 2, \dots, a, \lceil E_1 \rceil, \dots, \lceil E_{l-1} \rceil, \qquad
    E_t = a\rho^t, \quad \rho = (D/a)^{1/l}, \quad a = \lfloor N/2 \rfloor, \quad l = N - a$$

    N is the number of buckets of one direction: half of `n_buckets` where both directions have their own, all of them
    in the causal form. D is `max_distance`, in tokens. The last bucket has no end, and it begins before D, at
    $\lceil D/\rho \rceil$.

    Refused: an n_buckets below 4 or odd (below 2 in the causal form) or above 1,024, and a max_distance that is not
    above a or is beyond 2**40.

    Source: Raffel et al. 2020 (arXiv:1910.10683), section 2.1, which describes it in words; the formula is that of its
    code base, in exact integers.

    >>> t5_edges()
    tensor([ 1,  2,  3,  4,  5,  6,  7,  8, 12, 16, 23, 32, 46, 64, 91])
    """
    one_direction = n_buckets // 2 if bidirectional else n_buckets
    a = one_direction // 2
    l = one_direction - a
    # x ≥ E_t says the same as xˡ ≥ aˡ⁻ᵗ Dᵗ, and there all numbers are integers.
    far = (bisect_left(range(max_distance), a ** (l - t) * max_distance**t, key=lambda x: x**l) for t in range(1, l))
    return torch.tensor([*range(1, a + 1), *far], device="cpu")


@border(distances=distances)
def t5_bucket(
    distances: Int[Tensor, "*batch"],
    n_buckets: int = N_BUCKETS,
    max_distance: int = MAX_DISTANCE,
    *,
    bidirectional: bool = True,
) -> Int[Tensor, "*batch"]:
    r"""The index of the bucket in which each distance lies, from 0 to n_buckets - 1.

    $$\text{bucket}(m - n) = g(|m - n|) + \tfrac12 n_\text{buckets}\,[n > m], \qquad
    g(x) = \#\{\text{edges} \le x\}$$

    A distance says how many tokens back the key lies; T5's code counts the other way round, key minus query. With
    `bidirectional=False` all buckets serve the past, and each future distance gets bucket 0, as the query's own token
    does: mask the future.

    Refused: the sizes that `t5_edges` refuses.

    Source: Raffel et al. 2020 (arXiv:1910.10683), section 2.1; `_relative_position_bucket` of its code base.

    >>> t5_bucket(torch.tensor([200, 91, 90, 8, 1, 0, -1, -8, -90]))
    tensor([15, 15, 14,  8,  1,  0, 17, 24, 30])
    >>> t5_bucket(torch.tensor([200, 113, 112, 8, 1, 0, -1]), bidirectional=False)
    tensor([31, 31, 30,  8,  1,  0,  0])
    """
    edges = t5_edges(n_buckets, max_distance, bidirectional=bidirectional)
    return _bucket(distances, edges.to(distances.device), n_buckets, bidirectional)


class T5Bias(nn.Module):
    r"""A bias from a table of one learned number for each bucket and head.

    $$B^{(h)}_{mn} = \text{table}_{\text{bucket}(m - n),\,h}$$

    The table is [n_buckets, h] and starts at zero, where the bias does nothing. All layers of a stack share one module.
    T5 does not divide its scores by $\sqrt d$: `slots()` brings that scale along. Positions are integers,
    [n], or [b, 1, n] where each sample has its own. The result has the dtype of the table.

    Refused: the sizes that `t5_edges` refuses.

    Source: Raffel et al. 2020 (arXiv:1910.10683), section 2.1.

    >>> bias = T5Bias(h=1, n_buckets=4, max_distance=4, bidirectional=False)
    >>> _ = bias.load_state_dict({"table": torch.tensor([[0.5], [0.2], [0.1], [0.0]])})
    >>> bias(torch.arange(4), torch.arange(4)).detach()
    tensor([[[0.5000, 0.5000, 0.5000, 0.5000],
             [0.2000, 0.5000, 0.5000, 0.5000],
             [0.1000, 0.2000, 0.5000, 0.5000],
             [0.0000, 0.1000, 0.2000, 0.5000]]])
    """

    @border(h=whole(1))
    def __init__(
        self, h: int, n_buckets: int = N_BUCKETS, max_distance: int = MAX_DISTANCE, *, bidirectional: bool = True
    ) -> None:
        super().__init__()
        self.max_distance, self.bidirectional = max_distance, bidirectional
        edges = t5_edges(n_buckets, max_distance, bidirectional=bidirectional)
        self.table = nn.Parameter(torch.zeros(n_buckets, h))
        register_exact(self, "edges", edges, self.table.device)

    def extra_repr(self) -> str:
        n_buckets, h = self.table.shape
        return f"{h=}, {n_buckets=}, max_distance={self.max_distance}, bidirectional={self.bidirectional}"

    @property
    def edges(self) -> Int[Tensor, " edges"]:
        return self._edges.value

    def slots(self) -> Slots:
        """What `attention` takes: this bias, with unscaled products."""
        return Slots(bias=self, scale=1.0)

    def bias_at(self, distances: Int[Tensor, "*batch"]) -> Float[Tensor, "h *batch"]:
        return self.table[_bucket(distances, self.edges, len(self.table), self.bidirectional)].movedim(-1, 0)

    def forward(
        self, q_positions: Int[Tensor, "*q_batch n_q"], k_positions: Int[Tensor, "*k_batch n_k"]
    ) -> Float[Tensor, "*batch h n_q n_k"]:
        return toeplitz_bias(self.bias_at, q_positions, k_positions)

    def score_mod(self, q_positions: Int[Tensor, " n_q"], k_positions: Int[Tensor, " n_k"]) -> ScoreMod:
        return score_mod(self.bias_at, q_positions, k_positions)


def _near(n_buckets: int, bidirectional: bool) -> int:
    """How many distances have a bucket of their own."""
    return n_buckets // (4 if bidirectional else 2)


def _bucket(distances: Tensor, edges: Tensor, n_buckets: int, bidirectional: bool) -> Tensor:
    if not bidirectional:
        return torch.bucketize(distances.clamp(min=0), edges, right=True)
    return torch.bucketize(distances.abs(), edges, right=True) + (distances < 0) * (n_buckets // 2)
