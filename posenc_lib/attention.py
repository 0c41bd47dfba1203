"""Attention, and the places where position can act on it, gathered in one value: `Slots`.

Shapes: `*heads` stands for any leading axes, usually [b h] (batch, heads); n_q queries and n_k keys of d features
each. Positions broadcast against `*heads n`: [n] when all sequences share them, [b 1 n] when each has its own.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int, Real
from torch import Tensor, nn

from posenc_lib.inputs import (
    integers,
    is_integer,
    require_finite,
    require_floating,
    require_function,
    require_positions,
    require_tensor,
    require_values,
    require_whole,
)
from posenc_lib.precision import full_precision


# The checker of types needs them to be runtime-checkable. At run time it sees a callable, and no more than that.
@runtime_checkable
class PositionEmbedding(Protocol):
    """Slot 1: a vector for each position, which the caller adds to the embeddings."""

    def __call__(self, positions: Real[Tensor, "*batch n"], /) -> Float[Tensor, "*batch n d_model"]: ...


@runtime_checkable
class QueryKeyTransform(Protocol):
    """Slot 2: queries and keys changed by their positions. Both at once: some methods scale them in opposite ways."""

    def __call__(
        self,
        q: Float[Tensor, "*heads n_q d"],
        k: Float[Tensor, "*heads n_k d"],
        q_positions: Real[Tensor, "*q_batch n_q"],
        k_positions: Real[Tensor, "*k_batch n_k"],
        /,
    ) -> tuple[Float[Tensor, "*heads n_q d"], Float[Tensor, "*heads n_k d"]]: ...


@runtime_checkable
class AttentionBias(Protocol):
    """Slot 3: a number for each pair of positions in each head, added to the scores."""

    def __call__(
        self, q_positions: Real[Tensor, "*q_batch n_q"], k_positions: Real[Tensor, "*k_batch n_k"], /
    ) -> Float[Tensor, "*h n_q n_k"]: ...


@runtime_checkable
class ContentBias(Protocol):
    """Between slots 2 and 3: a number added to the score of each pair, made from content and positions together."""

    def __call__(
        self,
        q: Float[Tensor, "*heads n_q d"],
        k: Float[Tensor, "*heads n_k d"],
        q_positions: Real[Tensor, "*q_batch n_q"],
        k_positions: Real[Tensor, "*k_batch n_k"],
        /,
    ) -> Float[Tensor, "*heads n_q n_k"]: ...


@runtime_checkable
class ValueAverage(Protocol):
    """In the place of the plain average of the values: what a query gets, made from weights, values and positions."""

    def __call__(
        self,
        weights: Float[Tensor, "*heads n_q n_k"],
        v: Float[Tensor, "*heads n_k d_v"],
        q_positions: Real[Tensor, "*q_batch n_q"],
        k_positions: Real[Tensor, "*k_batch n_k"],
        /,
    ) -> Float[Tensor, "*heads n_q d_v"]: ...


@runtime_checkable
class ValueBias(Protocol):
    """Beside the values: a vector added to what each query gets, made from its weights and the positions."""

    def __call__(
        self,
        weights: Float[Tensor, "*heads n_q n_k"],
        q_positions: Real[Tensor, "*q_batch n_q"],
        k_positions: Real[Tensor, "*k_batch n_k"],
        /,
    ) -> Float[Tensor, "*heads n_q d_v"]: ...


class Slots(nn.Module):
    r"""What a method does to attention, as one value: the slots that it fills, and the scale of its scores.

    `transform` changes queries and keys (slot 2), `bias` is added to the scores (slot 3). `content_bias` is added to
    the scores too, and also reads q and k. `average` makes the output of the weights and values, and `value_bias` is
    added to it. None leaves a slot empty. `scale` is the factor on the products, $1/\sqrt d$ where it is None; a method
    with another one brings it along, as in `T5Bias(8).slots()`. Slot 1, a vector added to the embeddings, acts before
    attention: see `TokenEmbedding`.

    It is a module that does nothing but hold: so what a slot learns is among the parameters, and moves with `.to()`.

    Raises `TypeError` if a slot is filled with what cannot be called, or the scale is no number; `ValueError` if it is
    not finite.

    >>> from posenc_lib.relative import Alibi, alibi_slopes
    >>> from posenc_lib.pairs import geometric_freqs
    >>> from posenc_lib.rotary import Rotary
    >>> both = Slots(transform=Rotary(geometric_freqs(64)), bias=Alibi(alibi_slopes(8)))
    """

    def __init__(
        self,
        *,
        transform: QueryKeyTransform | None = None,
        bias: AttentionBias | None = None,
        content_bias: ContentBias | None = None,
        average: ValueAverage | None = None,
        value_bias: ValueBias | None = None,
        scale: float | None = None,
    ) -> None:
        super().__init__()
        filled = dict(transform=transform, bias=bias, content_bias=content_bias, average=average, value_bias=value_bias)
        require_function(**{name: slot for name, slot in filled.items() if slot is not None})
        require_finite(scale=1.0 if scale is None else scale)
        self.transform, self.bias, self.scale = transform, bias, scale
        self.content_bias, self.average, self.value_bias = content_bias, average, value_bias


_NO_SLOTS = Slots()  # made once, and never handed out: a compiled graph cannot make a module


def attention(
    q: Float[Tensor, "*heads n_q d"],
    k: Float[Tensor, "*heads n_k d"],
    v: Float[Tensor, "*heads n_k d_v"],
    slots: Slots | None = None,
    *,
    q_positions: Real[Tensor, "*q_batch n_q"] | None = None,
    k_positions: Real[Tensor, "*k_batch n_k"] | None = None,
    mask: Bool[Tensor, "*#heads #n_q #n_k"] | None = None,
) -> Float[Tensor, "*heads n_q d_v"]:
    r"""Each query's average of the values, weighted by `attention_weights`.

    $$\text{out} = \text{softmax}\!\left(\frac{QK^\top}{\sqrt d} + B\right) V$$

    If the slots have an `average`, it takes the place of the product with V; a `value_bias` is added. Arguments as in
    `attention_weights`.

    Raises `ValueError` if there is not one value for each key, if q and k differ in their heads or features, if
    positions, a bias or the mask do not fit, if a query may attend to no key at all, or if scores overflow; `TypeError`
    if q, k or v is not floating point, or the mask not boolean.

    Source: Vaswani et al. 2017 (arXiv:1706.03762), section 3.2.1.

    One decoding step with a cache. A rotation needs the position of its own token only, so keys are rotated once, as
    they come, and the cache keeps them rotated. With a bias, pass `Slots(bias=...)` and the positions of both sides.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> from posenc_lib.rotary import Rotary
    >>> rotary, keys, values = Rotary(geometric_freqs(4)), [], []
    >>> for t in range(3):
    ...     q, k, v = torch.ones(3, 1, 4)  # of the new token
    ...     q, k = rotary(q, k, torch.tensor([t]), torch.tensor([t]))
    ...     keys, values = [*keys, k], [*values, v]
    ...     out = attention(q, torch.cat(keys), torch.cat(values))
    """
    require_floating(axes=2, q=q, k=k, v=v)
    if v.shape[:-1] != k.shape[:-1]:
        raise ValueError(f"each key needs one value: the shapes but for the last axis differ, {_shapes(k=k, v=v)}")
    slots = _NO_SLOTS if slots is None else require_slots(slots)
    q_positions, k_positions = _positions_of(q, q_positions, "q"), _positions_of(k, k_positions, "k")
    weights = attention_weights(q, k, slots, q_positions=q_positions, k_positions=k_positions, mask=mask)
    out = _average(slots.average, weights, v, q_positions, k_positions)
    if slots.value_bias is None:
        return out
    added = slots.value_bias(weights, q_positions, k_positions)
    if added.shape != out.shape:
        raise ValueError(f"value_bias must give the shape of the output; {_shapes(value_bias=added, output=out)}")
    return out + added.to(v.dtype)


def attention_weights(
    q: Float[Tensor, "*heads n_q d"],
    k: Float[Tensor, "*heads n_k d"],
    slots: Slots | None = None,
    *,
    q_positions: Real[Tensor, "*q_batch n_q"] | None = None,
    k_positions: Real[Tensor, "*k_batch n_k"] | None = None,
    mask: Bool[Tensor, "*#heads #n_q #n_k"] | None = None,
) -> Float[Tensor, "*heads n_q n_k"]:
    r"""How much each query attends to each key: positive numbers that sum to one along the keys.

    $$A = \text{softmax}\!\left(\frac{QK^\top}{\sqrt d} + B\right), \qquad (Q, K) = \text{transform}(q, k)$$

    B is the sum of the slots' `bias`, from the positions alone, and `content_bias`, from q and k as they are given and
    the positions. The slots' `scale` replaces $1/\sqrt d$, and leaves B as it is: T5 has 1, DeBERTa $1/\sqrt{3d}$.

    Positions are 0 … n-1 unless given. In the mask True means "may attend", as in torch's
    `scaled_dot_product_attention`. Scores and softmax are computed in float32 at least, and the weights keep
    that precision, also under autocast: half precision would lose the differences between large scores. NaN in q or k
    spreads to the weights. A mask has at most the two axes [n_q, n_k], or as many as the scores: one for each sample is
    [b, 1, n_q, n_k].

    Raises `ValueError` if q and k differ in their heads or features, if positions do not match q or k, if a bias or
    the mask does not fit the scores, if a query may attend to no key at all, or if scores overflow to infinity (that,
    compiled or on an accelerator, is an assertion); `TypeError` if q or k is not floating point, or the mask not
    boolean.

    >>> attention_weights(torch.zeros(2, 4), torch.zeros(2, 4), mask=torch.tensor([[True, False], [True, True]]))
    tensor([[1.0000, 0.0000],
            [0.5000, 0.5000]])
    """
    require_floating(axes=2, q=q, k=k)
    if q.shape[:-2] != k.shape[:-2] or q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q and k may differ in their length n only, the axis before the last; {_shapes(q=q, k=k)}")
    slots = _NO_SLOTS if slots is None else require_slots(slots)
    positions = _positions_of(q, q_positions, "q"), _positions_of(k, k_positions, "k")

    Q, K = (q, k) if slots.transform is None else _transformed(slots.transform, q, k, *positions)
    wide = torch.promote_types(torch.promote_types(Q.dtype, K.dtype), torch.float32)
    with full_precision(q):
        scores = Q.to(wide) @ K.to(wide).mT * (Q.shape[-1] ** -0.5 if slots.scale is None else slots.scale)
    if slots.bias is not None:
        scores = scores + _fitting("bias", slots.bias(*positions), scores)
    if slots.content_bias is not None:
        scores = scores + _fitting("content_bias", slots.content_bias(q, k, *positions), scores)
    if mask is not None:
        _require_mask(mask, scores)
        scores = scores.masked_fill(~mask, float("-inf"))
    _require_visible_keys(scores)
    return scores.softmax(dim=-1)


def causal_mask(
    q_positions: Real[Tensor, "*#batch n_q"], k_positions: Real[Tensor, "*#batch n_k"]
) -> Bool[Tensor, "*batch n_q n_k"]:
    """True where the key does not come after the query.

    Positions are [n], or [b, 1, n] where each sample has its own.

    Raises `TypeError` for positions in half precision, bool or complex; `ValueError` for positions that are not finite,
    or without an axis.

    >>> causal_mask(torch.arange(1, 3), torch.arange(3))
    tensor([[ True,  True, False],
            [ True,  True,  True]])
    """
    q_positions, k_positions = _ordered(q_positions, "q_positions"), _ordered(k_positions, "k_positions")
    if q_positions.ndim != k_positions.ndim and 1 not in (q_positions.ndim, k_positions.ndim):
        raise ValueError(
            f"positions must be [n], or have as many axes on both sides; got {_shapes(q=q_positions, k=k_positions)}"
        )
    return k_positions[..., None, :] <= q_positions[..., :, None]


def padding_mask(lengths: Int[Tensor, " b"], n: int) -> Bool[Tensor, "b 1 1 {n}"]:
    """True for the first `lengths[i]` of the n keys of sequence i, in every head and for every query.

    Raises `ValueError` if the lengths are not [b], or for a length outside 1 … n: in an empty sequence there is nothing
    to attend to. Raises `TypeError` if lengths or n are not integers. On a GPU this waits for the lengths; compiled, it
    is an assertion in the graph.

    >>> padding_mask(torch.tensor([1, 3]), 3).squeeze()
    tensor([[ True, False, False],
            [ True,  True,  True]])
    """
    require_whole(n=n)
    lengths = integers(lengths, "lengths count keys", "lengths")
    if lengths.ndim != 1:
        raise ValueError(
            f"lengths must be [b], one for each sequence; got {list(lengths.shape)}. A mask needs no making"
        )
    rule = f"lengths must lie between 1 and n = {n}"
    require_values((lengths >= 1) & (lengths <= n), rule, lambda bad: f"{rule}; got {lengths.tolist()}", wait=True)
    return (torch.arange(n, device=lengths.device) < lengths[:, None])[:, None, None, :]


def require_slots(slots: Slots) -> Slots:
    if not isinstance(slots, Slots):
        raise TypeError(f"slots must be one value, such as Slots(bias=...); got {type(slots).__name__}")
    return slots


def _transformed(
    transform: QueryKeyTransform, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor
) -> tuple[Tensor, Tensor]:
    both = transform(q, k, q_positions, k_positions)
    if not isinstance(both, tuple) or len(both) != 2:
        raise TypeError(f"a transform must give a pair, (q, k); got {type(both).__name__}")
    if both[0].shape[:-1] != q.shape[:-1] or both[1].shape != (*k.shape[:-1], both[0].shape[-1]):
        raise ValueError(
            f"a transform must keep the heads and lengths of q and k; got {_shapes(q=both[0], k=both[1])} "
            f"for {_shapes(q=q, k=k)}"
        )
    return both


def _average(
    average: ValueAverage | None, weights: Tensor, v: Tensor, q_positions: Tensor, k_positions: Tensor
) -> Tensor:
    if average is None:
        return weights.to(v.dtype) @ v
    out = average(weights, v, q_positions, k_positions)
    require_tensor(average=out)
    if out.shape[:-1] != weights.shape[:-1]:
        raise ValueError(f"average must give one row for each query; {_shapes(average=out, weights=weights)}")
    return out.to(v.dtype)


def _ordered(positions: Tensor, name: str) -> Tensor:
    """Positions that can be compared: half precision takes 256 for 257."""
    require_tensor(axes=1, **{name: positions})
    if is_integer(positions.dtype):
        return integers(positions, "positions are compared", name)
    require_positions(positions, name)
    return positions


def _positions_of(x: Tensor, positions: Tensor | None, name: str) -> Tensor:
    if positions is None:
        return torch.arange(x.shape[-2], device=x.device)
    require_tensor(**{f"{name}_positions": positions})
    expected, given = x.shape[:-1], positions.shape
    # Only these two ranks: [b n] beside [b h n] would be taken for one row per head wherever b = h.
    if given[-1:] != expected[-1:] or len(given) not in (1, len(expected)) or not _broadcasts(given, expected):
        raise ValueError(
            f"{name}_positions must have the shape [{expected[-1]}], or one for each axis of {name} but the last, "
            f"such as {[*expected[:-2], 1, expected[-1]]}; got {list(given)} for {_shapes(**{name: x})}"
        )
    return positions


def _require_mask(mask: Tensor, scores: Tensor) -> None:
    require_tensor(mask=mask)
    if mask.dtype != torch.bool:
        raise TypeError(f"mask must be boolean, True where a query may attend; got {mask.dtype}. Numbers are a bias")
    _fitting("mask", mask, scores)
    # Between the two, [b, n_q, n_k] would be taken for one mask per head where b = h.
    if 2 < mask.ndim < scores.ndim:
        raise ValueError(
            f"mask must be [n_q, n_k], or have an axis for each of the scores', such as [b, 1, n_q, n_k]; "
            f"got {_shapes(mask=mask, scores=scores)}"
        )


def _fitting(name: str, x: Tensor, scores: Tensor) -> Tensor:
    require_tensor(**{name: x})
    if not _broadcasts(x.shape, scores.shape):
        raise ValueError(
            f"{name} must broadcast to the scores, [..., h, n_q, n_k]; got {_shapes(**{name: x}, scores=scores)}"
        )
    return x


def _broadcasts(shape: torch.Size, to: torch.Size) -> bool:
    """Whether x.expand(to) works, for x of this shape."""
    return len(shape) <= len(to) and all(n in (1, m) for n, m in zip(reversed(shape), reversed(to), strict=False))


def _require_visible_keys(scores: Tensor) -> None:
    """The softmax of a row of -inf is NaN. The answer depends on values, so on a GPU this waits for them.

    So it is of a row with inf: of numbers that were finite, but not their product.
    """
    scores = scores.detach()
    greatest = scores.amax(dim=-1) if scores.shape[-1] else scores.new_full(scores.shape[:-1], float("-inf"))
    require_values(
        greatest.isneginf().logical_not(),
        "mask and bias leave a query no key to attend to",
        lambda hidden: (
            f"mask and bias leave {_some(hidden)} no key to attend to, at [..., n_q] = "
            f"{_places(hidden)}. Let each see one key at least, or drop these queries"
        ),
        wait=True,
    )
    require_values(
        greatest.isposinf().logical_not(),
        "scores overflow to infinity",
        lambda bad: (
            f"the scores of {_some(bad)} overflow to infinity, at [..., n_q] = {_places(bad)}. Scale q or k "
            "down, and look for infinity in the bias"
        ),
    )


def _some(queries: Tensor) -> str:
    return f"{int(queries.sum())} of {queries.numel()} queries"


def _places(queries: Tensor) -> str:
    rows = queries.nonzero().tolist()
    return ", ".join(map(str, rows[:4])) + (", …" if len(rows) > 4 else "")


def _shapes(**tensors: Tensor) -> str:
    return ", ".join(f"{name} {list(x.shape)}" for name, x in tensors.items())
