"""The slots as attention calls them: each result is checked where it is made, and the formula is left alone.

A slot holds a stranger's code. `where` holds the positions of the queries and of the keys.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor

from posenc_lib.border.scores import require_fitting, require_pair, require_rows, require_same_shape, require_weights
from posenc_lib.border.values import require_no_nan

# Functions of the slots, and no object that wraps them: a compiled graph cannot make one whose methods are checked.
Where = tuple[Tensor, Tensor]


def transform(slots: Any, where: Where, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
    return (q, k) if slots.transform is None else require_pair(slots.transform(q, k, *where), q, k)


def biases(slots: Any, where: Where, q: Tensor, k: Tensor, scores: Tensor) -> list[Tensor]:
    """What is added to the scores: made of positions alone, then of content too."""
    added = []
    if slots.bias is not None:
        added.append(require_no_nan("bias", require_fitting("bias", slots.bias(*where), scores)))
    if slots.content_bias is not None:
        of_content = slots.content_bias(q, per_query_head(k, q), *where)
        added.append(require_fitting("content_bias", of_content, scores))
    return added


def weights(slots: Any, where: Where, scores: Tensor) -> Tensor:
    if slots.weights is None:
        return scores.softmax(dim=-1)
    return require_weights(slots.weights(scores, *where), scores)


def average(slots: Any, where: Where, weights: Tensor, v: Tensor) -> Tensor:
    return require_rows(slots.average(weights, per_query_head(v, weights), *where), weights).to(v.dtype)


def value_bias(slots: Any, where: Where, weights: Tensor, out: Tensor) -> Tensor:
    return require_same_shape(slots.value_bias(weights, *where), out)


def per_query_head(k: Tensor, q: Tensor) -> Tensor:
    """A head of k for each of q's, where content meets positions head by head."""
    return k if q.shape[:-2] == k.shape[:-2] else k.repeat_interleave(q.shape[-3] // k.shape[-3], dim=-3)
