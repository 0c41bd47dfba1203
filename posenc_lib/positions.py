"""Positions of the tokens of several texts in one tensor: one after the other in a row, or padded row by row."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Bool, Int, Int64
from torch import Tensor

from posenc_lib.border import border, counted, known, shaped, tensor
from posenc_lib.border.values import require_all, require_values

__all__ = ["packed_positions", "packed_texts", "padded_positions"]

_ROW = shaped(
    known(counted("lengths count tokens")),
    lambda shape: len(shape) == 1,
    "[b], one for each text of the row",
    "Of offsets such as cu_seqlens pass the differences, cu_seqlens.diff()",
)


def _lengths(name: str, lengths: Any) -> Int64[Tensor, " b"]:
    lengths = _ROW(name, lengths)
    rule = f"{name} must not be negative, and a row has at most 2**24 tokens"
    require_all(lengths, (lengths >= 0) & (lengths.double().sum() <= 2**24), rule, wait=True)
    return lengths


def _boolean(name: str, real: Any) -> Bool[Tensor, "..."]:
    if tensor(1)(name, real).dtype != torch.bool:
        raise TypeError(f"{name} must be boolean, such as attention_mask != 0; got {real.dtype}")
    return real


_ROWS = shaped(_boolean, lambda shape: len(shape) == 2, "[b, n], a row for each sample")


def _marks(name: str, real: Any) -> Bool[Tensor, "b n"]:
    rule = f"each row of {name} must have a real token"
    require_values(_ROWS(name, real).any(-1), rule, lambda bad: f"{rule}; got {real.int().tolist()}", wait=True)
    return real


@border(lengths=_lengths)
def packed_texts(lengths: Int[Tensor, " b"]) -> Int64[Tensor, " n"]:
    r"""The index of the text that each token of a packed row belongs to.

    $$j(t) = j \quad\text{for}\quad c_j \le t < c_{j+1}, \qquad c_j = \sum_{i<j} N_i$$

    A query sees the keys of its own text: `texts[:, None] == texts`, and the causal mask of their positions.

    Refused: lengths that are negative or no integers, and rows of more than 2**24 tokens.

    Source: the borders c are `cu_seqlens` in FlashAttention's `flash_attn_varlen_func`.

    >>> packed_texts(torch.tensor([3, 2]))
    tensor([0, 0, 0, 1, 1])
    """
    return torch.arange(len(lengths), device=lengths.device).repeat_interleave(lengths)


@border(lengths=_lengths)
def packed_positions(lengths: Int[Tensor, " b"]) -> Int64[Tensor, " n"]:
    r"""The position of each token of a packed row in its own text, from 0.

    $$p(t) = t - c_{j(t)}, \qquad c_j = \sum_{i<j} N_i$$

    Add the first row of a table that does not begin at 0, as RoBERTa's, which begins at `padding_idx + 1`.

    Refused: lengths that are negative or no integers, and rows of more than 2**24 tokens.

    Source: the borders c are `cu_seqlens` in FlashAttention's `flash_attn_varlen_func`.

    >>> packed_positions(torch.tensor([3, 2]))
    tensor([0, 1, 2, 0, 1])
    """
    before = lengths.cumsum(0) - lengths
    return torch.arange(int(lengths.sum()), device=lengths.device) - before.repeat_interleave(lengths)


@border(real=_marks)
def padded_positions(real: Bool[Tensor, "b n"]) -> Int64[Tensor, "b 1 n"]:
    r"""The positions of padded texts: the number of real tokens before each, wherever the padding is.

    $$p(t) = \max\Bigl(0,\; \sum_{u \le t} r_u - 1\Bigr)$$

    Padding gets the position of the last real token before it, or 0; no real token may see it.

    Refused: a mask that is not boolean, or not [b, n]; a row without a real token.

    >>> padded_positions(torch.tensor([[False, True, True], [True, True, False]]))[:, 0]
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
    return (real.cumsum(-1) - 1).clamp(min=0)[:, None]
