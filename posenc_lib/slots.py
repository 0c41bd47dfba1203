"""What a method does to attention: the signatures of its slots, and `Slots`, which gathers them in one value.

Shapes: `*heads` stands for any leading axes, usually [b h] (batch, heads); n_q queries and n_k keys of d features
each. Positions broadcast against `*heads n`: [n] when all sequences share them, [b 1 n] when each has its own.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from jaxtyping import Float, Real
from torch import Tensor, nn

from posenc_lib.border import border, finite, function, instance


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
class ScoreWeights(Protocol):
    """In place of the softmax: weights made from the scores, which are -inf where a key is masked."""

    def __call__(
        self,
        scores: Float[Tensor, "*heads n_q n_k"],
        q_positions: Real[Tensor, "*q_batch n_q"],
        k_positions: Real[Tensor, "*k_batch n_k"],
        /,
    ) -> Float[Tensor, "*heads n_q n_k"]: ...


@runtime_checkable
class ValueAverage(Protocol):
    """In place of the plain average of the values: what a query gets, made from weights, values and positions."""

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
    the scores too, and also reads q and k. `weights` takes the place of the softmax, `average` makes the output of the
    weights and values, and `value_bias` is added to it. None leaves a slot empty. `scale` is the factor on the
    products, $1/\sqrt d$ where it is None; a method with another scale brings it along, as in `T5Bias(8).slots()`. Slot
    1, a vector added to the embeddings, acts before attention: see `TokenEmbedding`.

    It is a module that only holds the slots, so what a slot learns is among the parameters, and moves with `.to()`.

    Refused: a slot that cannot be called, and a scale that is no finite number.

    >>> from posenc_lib.relative import Alibi, alibi_slopes
    >>> from posenc_lib.pairs import geometric_freqs
    >>> from posenc_lib.rotary import Rotary
    >>> both = Slots(transform=Rotary(geometric_freqs(64)), bias=Alibi(alibi_slopes(8)))
    """

    @border(
        transform=function,
        bias=function,
        content_bias=function,
        weights=function,
        average=function,
        value_bias=function,
        scale=finite,
    )
    def __init__(
        self,
        *,
        transform: QueryKeyTransform | None = None,
        bias: AttentionBias | None = None,
        content_bias: ContentBias | None = None,
        weights: ScoreWeights | None = None,
        average: ValueAverage | None = None,
        value_bias: ValueBias | None = None,
        scale: float | None = None,
    ) -> None:
        super().__init__()
        self.transform, self.bias, self.scale = transform, bias, scale
        self.content_bias, self.weights, self.average, self.value_bias = content_bias, weights, average, value_bias


one_value = instance(Slots, "one value, such as Slots(bias=...)")
