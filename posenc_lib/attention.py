"""Attention, and the places where position can act on it, gathered in one value: `Slots`.

Shapes: `*heads` stands for any leading axes, usually [b h] (batch, heads); n_q queries and n_k keys of d features
each. Positions broadcast against `*heads n`: [n] when all sequences share them, [b 1 n] when each has its own.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int, Real
from torch import Tensor, nn


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
    the scores too, and also reads q and k; `value_bias` is added to the output. None leaves a slot empty. `scale` is
    the factor on the products, $1/\sqrt d$ where it is None; a method with another one brings it along, as in
    `T5Bias(8).slots()`. Slot 1, a vector added to the embeddings, acts before attention: see `TokenEmbedding`.

    It is a module that does nothing but hold: so what a slot learns is among the parameters, and moves with `.to()`.

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
        value_bias: ValueBias | None = None,
        scale: float | None = None,
    ) -> None:
        super().__init__()
        self.transform, self.bias, self.scale = transform, bias, scale
        self.content_bias, self.value_bias = content_bias, value_bias


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
    r"""Each query's average of the values, weighted by `attention_weights`. The values carry no position.

    $$\text{out} = \text{softmax}\!\left(\frac{QK^\top}{\sqrt d} + B\right) V$$

    A `value_bias` is added to it, if the slots have one. Arguments as in `attention_weights`.

    Raises what `attention_weights` raises, and `ValueError` if there is not one value for each key.

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
    if v.shape[:-1] != k.shape[:-1]:
        raise ValueError(f"each key needs one value: the shapes but for the last axis differ, {_shapes(k=k, v=v)}")
    slots = _NO_SLOTS if slots is None else slots
    q_positions, k_positions = _positions_of(q, q_positions, "q"), _positions_of(k, k_positions, "k")
    weights = attention_weights(q, k, slots, q_positions=q_positions, k_positions=k_positions, mask=mask)
    out = weights.to(v.dtype) @ v
    if slots.value_bias is None:
        return out
    return out + slots.value_bias(weights, q_positions, k_positions).to(v.dtype)


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
    that precision: half precision would lose the differences between large scores.

    Raises `ValueError` if q and k differ in their heads or features, if positions do not match q or k, if a bias or
    the mask does not fit the scores, or if a query may attend to no key at all; `TypeError` if the mask is not boolean.

    >>> attention_weights(torch.zeros(2, 4), torch.zeros(2, 4), mask=torch.tensor([[True, False], [True, True]]))
    tensor([[1.0000, 0.0000],
            [0.5000, 0.5000]])
    """
    if q.shape[:-2] != k.shape[:-2] or q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q and k may differ in their length n only, the axis before the last; {_shapes(q=q, k=k)}")
    slots = _NO_SLOTS if slots is None else slots
    positions = _positions_of(q, q_positions, "q"), _positions_of(k, k_positions, "k")

    Q, K = (q, k) if slots.transform is None else slots.transform(q, k, *positions)
    wide = torch.promote_types(q.dtype, torch.float32)
    scores = Q.to(wide) @ K.to(wide).mT * (Q.shape[-1] ** -0.5 if slots.scale is None else slots.scale)
    if slots.bias is not None:
        scores = scores + _fitting("bias", slots.bias(*positions), scores)
    if slots.content_bias is not None:
        scores = scores + _fitting("content_bias", slots.content_bias(q, k, *positions), scores)
    if mask is not None:
        if mask.dtype != torch.bool:
            raise TypeError(
                f"mask must be boolean, True where a query may attend; got {mask.dtype}. Numbers are a bias"
            )
        scores = scores.masked_fill(~_fitting("mask", mask, scores), float("-inf"))
    _require_visible_keys(scores)
    return scores.softmax(dim=-1)


def causal_mask(
    q_positions: Real[Tensor, "*#batch n_q"], k_positions: Real[Tensor, "*#batch n_k"]
) -> Bool[Tensor, "*batch n_q n_k"]:
    """True where the key does not come after the query.

    >>> causal_mask(torch.arange(1, 3), torch.arange(3))
    tensor([[ True,  True, False],
            [ True,  True,  True]])
    """
    return k_positions[..., None, :] <= q_positions[..., :, None]


def padding_mask(lengths: Int[Tensor, " b"], n: int) -> Bool[Tensor, "b 1 1 {n}"]:
    """True for the first `lengths[i]` of the n keys of sequence i, in every head and for every query.

    Raises `ValueError` for a length outside 1 … n: in an empty sequence there is nothing to attend to.

    >>> padding_mask(torch.tensor([1, 3]), 3).squeeze()
    tensor([[ True, False, False],
            [ True,  True,  True]])
    """
    if ((lengths < 1) | (lengths > n)).any():
        raise ValueError(f"lengths must lie between 1 and n = {n}; got {lengths.tolist()}")
    return (torch.arange(n, device=lengths.device) < lengths[:, None])[:, None, None, :]


def _positions_of(x: Tensor, positions: Tensor | None, name: str) -> Tensor:
    if positions is None:
        return torch.arange(x.shape[-2], device=x.device)
    expected, given = x.shape[:-1], positions.shape
    # Only these two ranks: [b n] beside [b h n] would be taken for one row per head wherever b = h.
    if given[-1:] != expected[-1:] or len(given) not in (1, len(expected)) or not _broadcasts(given, expected):
        raise ValueError(
            f"{name}_positions must have the shape [{expected[-1]}], or one for each axis of {name} but the last, "
            f"such as {[*expected[:-2], 1, expected[-1]]}; got {list(given)} for {_shapes(**{name: x})}"
        )
    return positions


def _fitting(name: str, x: Tensor, scores: Tensor) -> Tensor:
    if not _broadcasts(x.shape, scores.shape):
        raise ValueError(
            f"{name} must broadcast to the scores, [..., h, n_q, n_k]; got {_shapes(**{name: x}, scores=scores)}"
        )
    return x


def _broadcasts(shape: torch.Size, to: torch.Size) -> bool:
    """Whether x.expand(to) works, for x of this shape."""
    return len(shape) <= len(to) and all(n in (1, m) for n, m in zip(reversed(shape), reversed(to), strict=False))


def _require_visible_keys(scores: Tensor) -> None:
    """The softmax of a row of -inf is NaN. The answer depends on values, so on a GPU this waits for them."""
    hidden = scores.isneginf().all(dim=-1)
    if torch.compiler.is_compiling():  # a compiled graph cannot list rows, but it keeps this as an assertion
        assert hidden.logical_not().all(), "mask and bias leave a query no key to attend to"
    elif hidden.any():
        rows = hidden.nonzero().tolist()
        listed = ", ".join(map(str, rows[:4])) + (", …" if len(rows) > 4 else "")
        raise ValueError(
            f"mask and bias leave {len(rows)} of {hidden.numel()} queries no key to attend to, at [..., n_q] = "
            f"{listed}. Let each see one key at least, or drop these queries"
        )


def _shapes(**tensors: Tensor) -> str:
    return ", ".join(f"{name} {list(x.shape)}" for name, x in tensors.items())
