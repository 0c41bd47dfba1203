"""Positions that count other things than tokens: gates between key and query, digits of a number, segments of a text.

CoPE learns what it counts. The other functions are told, by a mask: its True stands at digits, or where a segment ends.
"""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Bool, Float, Int, Int64
from torch import Tensor, nn
from torch.nn import functional as F

from posenc_lib.border import border, content, each, tensor, together, tokens, whole
from posenc_lib.border.positions import MAX_TOKEN, one_each, require_one_batch, require_places
from posenc_lib.border.precision import full_precision
from posenc_lib.border.tensors import arithmetic_dtype


def _marks(name: str, x: Any) -> Bool[Tensor, "*batch n"]:
    if tensor(1)(name, x).dtype != torch.bool:
        raise TypeError(f"{name} must be boolean, such as torch.isin(tokens, ids); got {x.dtype}")
    return x


_FRACTIONS = each(lambda gates: ~((gates < 0) | (gates > 1)), "gates must lie between 0 and 1")
_COUNTS = each(lambda counts: ~(counts < 0), "counts must not be negative: the table's first row is for 0")
_ROWS = together(
    lambda by_row, counts: by_row.shape[:-1] == counts.shape[:-1] and by_row.shape[-1] > 0,
    "each query needs a score with every row, and a count for every key; got by_row {by_row} and counts {counts}",
)
_QUERIES = together(
    lambda q, table: q.shape[-1] == table.shape[-1],
    "q and the table must have equally many features; got q {q}, table {table}",
).of("q", "self.table")
_FEATURES = together(
    lambda q, k: q.shape[-1] == k.shape[-1], "q and k must have equally many features; got q {q}, k {k}"
)
_SAME_TOKENS = together(
    lambda digits, least_first: digits.shape == least_first.shape,
    "digits and least_first must be of the same tokens; got {digits} and {least_first}",
)


@border(
    _FRACTIONS,
    one_each("gates", "q_positions"),
    one_each("gates", "k_positions", axis=-1),
    require_one_batch,
    gates=content(2),
    q_positions=tokens,
    k_positions=tokens,
)
def gate_counts(
    gates: Float[Tensor, "*heads n_q n_k"],
    q_positions: Int[Tensor, "*q_batch n_q"],
    k_positions: Int[Tensor, "*k_batch n_k"],
) -> Float[Tensor, "*heads n_q n_k"]:
    r"""How much is counted from each key to each query: both ends count.

    $$p_{mn} = \sum_{n \le l \le m} g_{ml}$$

    $g_{ml}$ says how much the token at l counts for the query at m. Only the order of the positions matters. For keys
    after the query the sum is empty: mask them. Computed in float32 at least.

    Refused: gates outside 0 … 1, and positions that do not fit the gates.

    Source: Golovneva et al. 2024 (arXiv:2405.18719), appendix B.

    >>> gate_counts(torch.tensor([[0.5, 1.0, 0.0, 0.25]]), torch.tensor([3]), torch.arange(4))
    tensor([[1.7500, 1.2500, 0.2500, 0.2500]])
    """
    past = k_positions[..., None, :] <= q_positions[..., :, None]
    own = torch.where(past, gates.to(arithmetic_dtype(gates)), 0)
    in_order, order = k_positions.sort(dim=-1, stable=True)
    sums = own.gather(-1, order[..., None, :].expand(own.shape)).flip(-1).cumsum(dim=-1).flip(-1)
    # Those that come later, and no others at the same position: padding may stand there.
    after = torch.searchsorted(in_order.contiguous(), k_positions.contiguous(), right=True)
    return own + F.pad(sums, (0, 1)).gather(-1, after[..., None, :].expand(own.shape))


@border(_ROWS, _COUNTS, by_row=content(2), counts=content(2))
def interpolated(
    by_row: Float[Tensor, "*heads n_q rows"], counts: Float[Tensor, "*heads n_q n_k"]
) -> Float[Tensor, "*heads n_q n_k"]:
    r"""Between the scores with the two nearest rows, in proportion; from the last row on, its own.

    $$(1 - w)\, z_{\lfloor p \rfloor} + w\, z_{\lfloor p \rfloor + 1}, \qquad
    p = \min(\text{count}, \text{rows} - 1), \quad w = p - \lfloor p \rfloor$$

    Refused: negative counts, and queries that are not as many as in `by_row`.

    Source: Golovneva et al. 2024 (arXiv:2405.18719), appendix B.

    >>> interpolated(torch.tensor([[0.0, 10.0, 20.0]]), torch.tensor([[0.0, 0.25, 1.5, 7.0]]))
    tensor([[ 0.0000,  2.5000, 15.0000, 20.0000]])
    """
    last = by_row.shape[-1] - 1
    at = counts.clamp(max=last)
    low = at.floor()
    row = low.nan_to_num().long()  # NaN stays in the share
    share = at - low
    return by_row.gather(-1, row) * (1 - share) + by_row.gather(-1, (row + 1).clamp(max=last)) * share


class CoPE(nn.Module):
    r"""Contextual position encoding: each query counts some of the keys, and looks up the count: a `ContentBias`.

    $$B_{mn} = q_m \cdot e[p_{mn}], \qquad p_{mn} = \sum_{n \le l \le m} \sigma\big(q_m \cdot k_l / \sqrt d\big)$$

    The table e has `rows` rows of d features, for the counts 0 … rows - 1, which all heads share. It starts at 0, so
    that at first nothing is added. B is not divided by $\sqrt d$, as in the paper's listing; the authors' repository
    divides it. Positions are [n], or [b, 1, n] where each sample has its own. Mask the keys after the query.

    Refused: q and k that fit neither the table nor each other, and positions that do not fit q or k.

    Source: Golovneva et al. 2024 (arXiv:2405.18719), appendix B.

    >>> cope = CoPE(d=1, rows=4)
    >>> _ = cope.load_state_dict({"table": torch.tensor([[0.0], [10.0], [20.0], [30.0]])})
    >>> q, k = torch.ones(1, 1, 1), torch.tensor([[[0.0], [100.0], [-100.0]]])
    >>> cope(q, k, torch.tensor([2]), torch.arange(3)).detach()
    tensor([[[15., 10.,  0.]]])
    """

    @border(d=whole(1), rows=whole(1, why="the first is for the count 0"))
    def __init__(self, d: int, rows: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.zeros(rows, d))

    def extra_repr(self) -> str:
        return "d={1}, rows={0}".format(*self.table.shape)

    @border(_QUERIES, _FEATURES, require_places, q=content(2), k=content(2), q_positions=tokens, k_positions=tokens)
    def forward(
        self,
        q: Float[Tensor, "*heads n_q d"],
        k: Float[Tensor, "*heads n_k d"],
        q_positions: Int[Tensor, "*q_batch n_q"],
        k_positions: Int[Tensor, "*k_batch n_k"],
    ) -> Float[Tensor, "*heads n_q n_k"]:
        wide = torch.promote_types(arithmetic_dtype(q), self.table.dtype)
        with full_precision(q):
            scores, by_row = (q.to(wide) @ x.to(wide).mT for x in (k, self.table))
        gates = (scores * q.shape[-1] ** -0.5).sigmoid()
        return interpolated(by_row, gate_counts(gates, q_positions, k_positions))


_OFFSET = whole(0, MAX_TOKEN)


@border(digits=_marks, offset=_OFFSET)
def abacus_positions(digits: Bool[Tensor, "*batch n"], *, offset: int = 0) -> Int64[Tensor, "*batch n"]:
    r"""Each digit's index in its run of digits: 1, 2, …; all other tokens get 0.

    In training the authors add an `offset`, drawn anew from 0 … 99 for each batch. The first digit in the text
    gets 1, so write the units first if an index should stand for a place value.

    Refused: digits that are not boolean, and a negative offset.

    Source: McLeish et al. 2024 (arXiv:2405.17399), the authors' `abacus.py`.

    >>> abacus_positions(torch.tensor([True, True, False, True]))
    tensor([1, 2, 0, 1])
    """
    return _from_start(digits, offset)


@border(_SAME_TOKENS, digits=_marks, least_first=_marks, offset=_OFFSET)
def coupled_positions(
    digits: Bool[Tensor, "*batch n"], least_first: Bool[Tensor, "*batch n"], *, offset: int = 0
) -> Int64[Tensor, "*batch n"]:
    r"""Each digit's place in its number, 1 for the units; all other tokens have 0.

    `least_first` is True where numbers are written with the units first; the others must be complete, since their
    places are counted from their end. A departure: the authors give + and = the number below that of the units.

    Refused: masks that are not boolean, or not of the same tokens, and a negative offset.

    Source: Cho et al. 2024 (arXiv:2405.20671), the authors' `AdditionDatasetWithCoupledPositions`.

    >>> coupled_positions(torch.tensor([True, True, True, False, True, True]), torch.arange(6) > 3)
    tensor([3, 2, 1, 0, 1, 2])
    """
    from_end = _from_start(digits.flip(-1), offset).flip(-1)
    return torch.where(least_first, _from_start(digits, offset), from_end)


@border(ends=_marks)
def segment_positions(ends: Bool[Tensor, "*batch n"]) -> tuple[Int64[Tensor, "*batch n"], Int64[Tensor, "*batch n"]]:
    r"""BiPE's two indices: which segment each token lies in, and where in that segment, both from 0.

    `ends` is True at the last token of each segment, such as a full stop. The first number goes to a relative encoding
    (rotary or ALiBi), the second to a table that is added to the embeddings.

    Refused: ends that are not boolean.

    Source: He et al. 2024 (arXiv:2401.16421), the authors' `get_bilevel_ids`.

    >>> segment_positions(torch.tensor([False, False, True, False, False]))
    (tensor([0, 0, 0, 1, 1]), tensor([0, 1, 2, 0, 1]))
    """
    begins = F.pad(ends, (1, 0))[..., : ends.shape[-1]]  # but for the first segment, which needs no mark
    within = torch.arange(ends.shape[-1], device=ends.device) - _latest(begins).clamp(min=0)
    return begins.long().cumsum(dim=-1), within


def _latest(marks: Bool[Tensor, "*batch n"]) -> Int64[Tensor, "*batch n"]:
    """The place of the last mark up to each token, -1 before the first."""
    places = torch.arange(marks.shape[-1], device=marks.device)
    return torch.where(marks, places, -1).cummax(dim=-1).values


def _from_start(digits: Bool[Tensor, "*batch n"], offset: int) -> Int64[Tensor, "*batch n"]:
    places = torch.arange(digits.shape[-1], device=digits.device)
    return torch.where(digits, places - _latest(~digits) + offset, 0)
