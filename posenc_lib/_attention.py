"""Attention with its slots for position: a short reference, written to be read. Shapes and slots: see `slots.py`."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Real
from torch import Tensor

from posenc_lib.border import Relation, border, content, tensor
from posenc_lib.border import slots as checked
from posenc_lib.border.precision import full_precision
from posenc_lib.border.scores import positions_of, require_mask, require_one_attention, require_visible_keys
from posenc_lib.slots import Slots, one_value

__all__ = ["attention", "attention_weights"]

_NO_SLOTS = Slots()  # made once, and never handed out: a compiled graph cannot make a module


@border(require_one_attention, q=content(2), k=content(2), v=content(2), slots=one_value, mask=tensor())
def attention(
    q: Float[Tensor, "*heads n_q d"],
    k: Float[Tensor, "*k_heads n_k d"],
    v: Float[Tensor, "*k_heads n_k d_v"],
    slots: Slots | None = None,
    *,
    q_positions: Real[Tensor, "*q_batch n_q"] | None = None,
    k_positions: Real[Tensor, "*k_batch n_k"] | None = None,
    mask: Bool[Tensor, "*#heads #n_q #n_k"] | None = None,
) -> Float[Tensor, "*heads n_q d_v"]:
    r"""Each query's average of the values, weighted by `attention_weights`.

    $$\text{out} = \text{softmax}\!\left(\frac{QK^\top}{\sqrt d} + B\right) V$$

    If the slots have an `average`, it replaces the product with V; a `value_bias` is added. Arguments are as in
    `attention_weights`. Keys and values may have fewer heads than queries, h_q = g·h_k: head j then reads head ⌊j/g⌋,
    as in grouped-query attention.

    Refused: shapes, positions, a bias or a mask that do not fit; a query that may attend to no key; scores that
    overflow to infinity (an assertion when compiled or on an accelerator).

    Source: Vaswani et al. 2017 (arXiv:1706.03762), section 3.2.1; grouped heads: Ainslie et al. 2023
    (arXiv:2305.13245).

    Decoding with a cache, one token a step: a rotation needs only the position of its own token, so each key is rotated
    once, on arrival, and the cache keeps it rotated. With a bias, pass `Slots(bias=...)` and the positions of both
    sides.

    >>> from posenc_lib import Rotary, geometric_freqs
    >>> rotary, keys, values = Rotary(geometric_freqs(4)), [], []
    >>> for t in range(3):
    ...     q, k, v = torch.ones(3, 1, 4)  # of the new token
    ...     q, k = rotary(q, k, torch.tensor([t]), torch.tensor([t]))
    ...     keys, values = [*keys, k], [*values, v]
    ...     out = attention(q, torch.cat(keys), torch.cat(values))
    """
    slots = _NO_SLOTS if slots is None else slots
    where = positions_of(q, q_positions, "q"), positions_of(k, k_positions, "k")
    weights = _weights(q, k, slots, where, mask)
    if slots.average is None:
        out = (_per_key_head(weights.to(v.dtype), v) @ v).reshape(*weights.shape[:-1], v.shape[-1])
    else:
        out = checked.average(slots, where, weights, v)
    if slots.value_bias is None:
        return out
    return out + checked.value_bias(slots, where, weights, out).to(v.dtype)


@border(Relation(("q", "k"), require_one_attention), q=content(2), k=content(2), slots=one_value, mask=tensor())
def attention_weights(
    q: Float[Tensor, "*heads n_q d"],
    k: Float[Tensor, "*k_heads n_k d"],
    slots: Slots | None = None,
    *,
    q_positions: Real[Tensor, "*q_batch n_q"] | None = None,
    k_positions: Real[Tensor, "*k_batch n_k"] | None = None,
    mask: Bool[Tensor, "*#heads #n_q #n_k"] | None = None,
) -> Float[Tensor, "*heads n_q n_k"]:
    r"""How much each query attends to each key: positive numbers that sum to one along the keys.

    $$A = \text{softmax}\!\left(\frac{QK^\top}{\sqrt d} + B\right), \qquad (Q, K) = \text{transform}(q, k)$$

    B is the sum of the slots' `bias`, computed from the positions alone, and their `content_bias`, computed from the
    positions and from q and k as given. The slots' `scale` replaces $1/\sqrt d$ and leaves B as it is: T5 has 1,
    DeBERTa $1/\sqrt{3d}$. Their `weights` replace the softmax, and need not sum to one.

    Positions are 0 … n-1 unless given. In the mask True means "may attend", as in torch's
    `scaled_dot_product_attention`. Scores and softmax are computed in float32 at least, and the weights keep that
    precision, also under autocast: half precision would lose the differences between large scores. NaN in q or k
    spreads to the weights. A mask has at most the two axes [n_q, n_k], or as many axes as the scores: masks that differ
    between samples are [b, 1, n_q, n_k].

    Refused: as in `attention`.

    >>> attention_weights(torch.zeros(2, 4), torch.zeros(2, 4), mask=torch.tensor([[True, False], [True, True]]))
    tensor([[1.0000, 0.0000],
            [0.5000, 0.5000]])
    """
    where = positions_of(q, q_positions, "q"), positions_of(k, k_positions, "k")
    return _weights(q, k, _NO_SLOTS if slots is None else slots, where, mask)


def _weights(q: Tensor, k: Tensor, slots: Slots, where: tuple[Tensor, Tensor], mask: Tensor | None) -> Tensor:
    Q, K = checked.transform(slots, where, q, k)
    scores = _products(Q, K) * (Q.shape[-1] ** -0.5 if slots.scale is None else slots.scale)
    scores = sum(checked.biases(slots, where, q, k, scores), scores)
    return checked.weights(slots, where, _masked(scores, mask))


def _products(Q: Tensor, K: Tensor) -> Tensor:
    """Of each query with each key, in float32 at least."""
    wide = torch.promote_types(torch.promote_types(Q.dtype, K.dtype), torch.float32)
    with full_precision(Q):
        return (_per_key_head(Q.to(wide), K) @ K.to(wide).mT).reshape(*Q.shape[:-1], K.shape[-2])


def _masked(scores: Tensor, mask: Tensor | None) -> Tensor:
    """The scores that the softmax sees, each row with a key."""
    if mask is not None:
        scores = scores.masked_fill(~require_mask(mask, scores), float("-inf"))
    require_visible_keys(scores)
    return scores


def _per_key_head(x: Tensor, k: Tensor) -> Tensor:
    """The queries of all heads that share a head of k, one after the other: so no key is copied."""
    return x if x.shape[:-2] == k.shape[:-2] else x.reshape(*k.shape[:-2], -1, x.shape[-1])
