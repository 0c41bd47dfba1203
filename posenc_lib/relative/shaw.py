"""Shaw's relative vectors: one for each clipped distance, added to the keys, and another one to the values.

Neither sum is formed. A query meets the few vectors of the table once, and each key looks up its number: no tensor has
the axes of queries, keys and features all at once. `skew` is the look-up of the Music Transformer, without an index.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from posenc_lib.border import border, content, distances, shared, together, tokens, whole
from posenc_lib.border.positions import one_each, require_places
from posenc_lib.border.precision import full_precision
from posenc_lib.relative.distance import ScoreMod, distance_of, for_flex, steps_back

_REACH = whole(0, why="it says how far distances are told apart")


@border(distances=distances, left=_REACH, right=_REACH)
def clipped(distances: Int[Tensor, "*batch"], left: int, right: int) -> Int[Tensor, "*batch"]:
    r"""The row of the table for each distance m - n: how many tokens back the key lies.

    $$\text{left} - \operatorname{clip}(m - n), \qquad
    \operatorname{clip}(x) = \max(-\text{right}, \min(x, \text{left}))$$

    Rows 0 … left + right stand for keys from `left` tokens back to `right` tokens ahead, and the first and the last row
    also for all keys beyond. The paper counts j - i, the other way round: its rows go up with its distance.

    Source: Shaw et al. 2018 (arXiv:1803.02155), section 3.2, where left = right = k.

    >>> clipped(torch.tensor([4, 3, 2, 1, 0, -1, -2, -3]), 2, 2)
    tensor([0, 0, 0, 1, 2, 3, 4, 4])
    """
    return _row(distances, left, right)


_FIT = "does not fit the table [*heads, rows, d] ="
_QUERIES = together(
    lambda q, table: q.shape[-1] == table.shape[-1] and _heads_fit(q, table), f"q {{q}} {_FIT} {{table}}"
).of("q", "self.table")
_WEIGHTS = together(lambda weights, table: _heads_fit(weights, table), f"weights {{weights}} {_FIT} {{table}}").of(
    "weights", "self.table"
)
_LAST = together(
    lambda x: x.shape[-2] <= x.shape[-1],
    lambda x: (
        "the queries are the last of the tokens, so they cannot outnumber the keys; got "
        f"{x.shape[-2]} and {x.shape[-1]}"
    ),
)


class ShawKeys(nn.Module):
    r"""The score of each query with the relative vectors of the keys: a `ContentBias` for `attention`.

    $$B_{mn} = \frac{q_m \cdot a_{\operatorname{clip}(m-n)}}{\sqrt d}$$

    The table has one row of d features for each clipped distance; row r is for left - r. All heads share it, or each of
    `heads` has its own, [h, rows, d]. The table starts with a standard deviation of 0.02 (the paper gives none).
    Positions are [n], or [b, 1, n] where each sample has its own. Scores are computed in float32 at least.

    Refused: a q that does not fit the table, and positions that do not fit q or k.

    Source: Shaw et al. 2018 (arXiv:1803.02155), sections 3.1 to 3.3, the second term of equation 5.

    >>> keys = ShawKeys(4, left=1, right=1)
    >>> _ = keys.load_state_dict({"table": torch.tensor([[-1.0], [0.0], [1.0]]).expand(3, 4)})
    >>> q = k = torch.ones(3, 4)
    >>> keys(q, k, torch.arange(3), torch.arange(3)).detach()
    tensor([[ 0.,  2.,  2.],
            [-2.,  0.,  2.],
            [-2., -2.,  0.]])
    """

    @border(d=whole(1), left=_REACH, right=_REACH, heads=whole(1))
    def __init__(self, d: int, left: int, right: int, *, heads: int | None = None) -> None:
        super().__init__()
        self.left, self.right = left, right
        self.table = _table(d, left, right, heads)

    def extra_repr(self) -> str:
        return _described(self)

    @border(require_places, q=content(2), k=content(2), q_positions=tokens, k_positions=tokens)
    def forward(
        self,
        q: Float[Tensor, "*heads n_q d"],
        k: Float[Tensor, "*k_heads n_k d"],
        q_positions: Int[Tensor, "*q_batch n_q"],
        k_positions: Int[Tensor, "*k_batch n_k"],
    ) -> Float[Tensor, "*heads n_q n_k"]:
        rows = _row(steps_back(q_positions, k_positions), self.left, self.right)
        by_row = self.by_row(q)
        return by_row.gather(-1, rows.expand(*by_row.shape[:-1], -1))

    @border(_QUERIES, q=content(2))
    def by_row(self, q: Float[Tensor, "*heads n_q d"]) -> Float[Tensor, "*heads n_q rows"]:
        """The score of each query with each row of the table: the only product with content."""
        wide = torch.promote_types(torch.promote_types(q.dtype, self.table.dtype), torch.float32)
        with full_precision(q):
            return q.to(wide) @ self.table.to(wide).mT * q.shape[-1] ** -0.5

    @border(one_each("q", "q_positions"), q=for_flex, q_positions=shared, k_positions=shared)
    def score_mod(
        self, q: Float[Tensor, "b h n_q d"], q_positions: Int[Tensor, " n_q"], k_positions: Int[Tensor, " n_k"]
    ) -> ScoreMod:
        """The same for `flex_attention`, made anew for each q: no [n_q, n_k] is made, and positions are [n]."""
        by_row, left, right = self.by_row(q), self.left, self.right
        back = distance_of(q_positions, k_positions)
        return lambda score, sample, head, query, key: (
            score + by_row[sample, head, query, left - back(query, key).clamp(-right, left)]
        )


class ShawValues(nn.Module):
    r"""What the relative vectors of the values add to the output of attention, from its weights A.

    $$\sum_n A_{mn}\, a_{\operatorname{clip}(m-n)} = \sum_r \Big(\sum_{\operatorname{clip}(m-n) = r} A_{mn}\Big) a_r$$

    First the weights of each row are summed, then that short list meets the table. The table is like that of
    `ShawKeys`, with d_v features, but not the same one. The result has the dtype of the table.

    Refused: weights that do not fit the table, and positions that do not fit the weights.

    Source: Shaw et al. 2018 (arXiv:1803.02155), sections 3.1 and 3.2, equation 3.

    >>> values = ShawValues(2, left=1, right=1)
    >>> _ = values.load_state_dict({"table": torch.tensor([[10.0, 1.0], [20.0, 2.0], [30.0, 3.0]])})
    >>> values(torch.tensor([[0.5, 0.5, 0.0]]), torch.tensor([0]), torch.arange(3)).detach()
    tensor([[25.0000,  2.5000]])
    """

    @border(d_v=whole(1), left=_REACH, right=_REACH, heads=whole(1))
    def __init__(self, d_v: int, left: int, right: int, *, heads: int | None = None) -> None:
        super().__init__()
        self.left, self.right = left, right
        self.table = _table(d_v, left, right, heads)

    def extra_repr(self) -> str:
        return _described(self)

    @border(
        _WEIGHTS,
        one_each("weights", "q_positions"),
        one_each("weights", "k_positions", axis=-1),
        weights=content(2),
        q_positions=tokens,
        k_positions=tokens,
    )
    def forward(
        self,
        weights: Float[Tensor, "*heads n_q n_k"],
        q_positions: Int[Tensor, "*q_batch n_q"],
        k_positions: Int[Tensor, "*k_batch n_k"],
    ) -> Float[Tensor, "*heads n_q d_v"]:
        rows = _row(steps_back(q_positions, k_positions), self.left, self.right)
        by_row = weights.new_zeros(*weights.shape[:-1], self.table.shape[-2])
        by_row = by_row.scatter_add(-1, rows.expand(weights.shape), weights)
        with full_precision(weights):
            return by_row.to(self.table.dtype) @ self.table


@border(_LAST, x=content(2))
def skew(x: Float[Tensor, "*heads n_q n_k"]) -> Float[Tensor, "*heads n_q n_k"]:
    r"""From a column for each distance to a column for each key, by a pad, a reshape and a slice.

    $$\text{out}_{ij} = x_{i,\; n_q - 1 - i + j} \quad \text{where } j \le i + n_k - n_q, \qquad 0 \text{ elsewhere}$$

    Column c of x is for the distance n_k - 1 - c, so the last one is for the token itself. The queries are the last n_q
    of n_k tokens. Keys that come after their query have no column: the trick alone would leave numbers of the next
    query there, and here these entries are 0. Mask them, as in a decoder.

    Refused: more queries than keys.

    Source: Huang et al. 2019 (arXiv:1809.04281), section 3.4, for n_q = n_k.

    >>> skew(torch.tensor([[2.0, 1.0, 0.0]]).expand(3, 3))
    tensor([[0., 0., 0.],
            [1., 0., 0.],
            [2., 1., 0.]])
    """
    n_q, n_k = x.shape[-2:]
    skewed = F.pad(x, (1, 0)).flatten(-2)[..., n_q:].unflatten(-1, (n_q, n_k))
    return skewed.tril(n_k - n_q)


def _table(d: int, left: int, right: int, heads: int | None) -> nn.Parameter:
    shape = (left + right + 1, d) if heads is None else (heads, left + right + 1, d)
    return nn.Parameter(nn.init.normal_(torch.empty(shape), std=0.02))


def _described(module: ShawKeys | ShawValues) -> str:
    heads = "".join(f", heads={h}" for h in module.table.shape[:-2])
    return f"d={module.table.shape[-1]}, left={module.left}, right={module.right}{heads}"


def _heads_fit(x: Tensor, table: Tensor) -> bool:
    heads = table.shape[:-2]
    return not heads or x.shape[-3:-2] == heads


def _row(back: Tensor, left: int, right: int) -> Tensor:
    return left - back.clamp(-right, left)
