"""The layers of the Transformer of Vaswani et al. 2017 (arXiv:1706.03762): post-norm, ReLU, batch first.

Shapes: b sequences of n vectors of d_model features; h heads of d = d_model/h features each, of which keys and values
may have fewer, `kv_heads`. The decoder's layers read a memory: what the encoder has made of the n_source vectors of the
source.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Real
from torch import Tensor, nn

from posenc_lib._attention import attention
from posenc_lib.border import Relation, border, content, finite, instance, tensor, together, whole
from posenc_lib.border.scores import equal_heads
from posenc_lib.border.tensors import require_one_place
from posenc_lib.slots import Slots, one_value

Vectors = Float[Tensor, "b n d_model"]
Memory = Float[Tensor, "b n_source d_model"]
Positions = Real[Tensor, "*p_batch n"] | None
Mask = Bool[Tensor, "*#batch #n #n_k"] | None
MemoryMask = Bool[Tensor, "*#batch #n #n_source"] | None


_ONE_EACH = together(
    lambda k, v, positions: k.shape[:-1] == v.shape[:-1] and positions.shape[-1] == k.shape[-2],
    "each new token needs a key, a value and a position; got k {k}, v {v}, positions {positions}",
)


def _appended(name: str, tokens: int) -> Relation:
    """New tensors may differ from those held in the number of tokens only."""
    return together(
        lambda new, held: held is None or held.narrow(tokens, 0, 0).shape == new.narrow(tokens, 0, 0).shape,
        f"the cache holds {name} {{held}}, to which {{new}} cannot be appended",
    ).of(name, f"self.{name}")


class Cache:
    """The keys and values that one layer has made so far, with their positions; the caller makes one for each layer.

    Keys are kept as they are before any transform, so that every method is served, even one whose frequencies change
    while the text grows. The price: a transform is applied to all keys at each step. See `attention` for a step that
    keeps rotated keys.
    """

    def __init__(self) -> None:
        self.k = self.v = self.positions = None

    @border(
        _ONE_EACH,
        _appended("k", -2),
        _appended("v", -2),
        _appended("positions", -1),
        k=tensor(2),
        v=tensor(2),
        positions=tensor(1),
    )
    def extend(
        self,
        k: Float[Tensor, "b kv_heads n d"],
        v: Float[Tensor, "b kv_heads n d_v"],
        positions: Real[Tensor, "*p_batch n"],
    ) -> tuple[Float[Tensor, "b kv_heads n_k d"], Float[Tensor, "b kv_heads n_k d_v"], Real[Tensor, "*p_batch n_k"]]:
        """Appends the keys, values and positions of the new tokens, and returns all that it holds.

        Refused: new tensors that differ from those held in more than the number of tokens.
        """
        if self.k is not None:
            k, v = torch.cat((self.k, k), dim=-2), torch.cat((self.v, v), dim=-2)
            positions = torch.cat((self.positions, positions), dim=-1)
        self.k, self.v, self.positions = k, v, positions
        return k, v, positions


a_cache = instance(Cache, "a Cache(), one for each layer")
grouped = together(
    lambda h, kv_heads: kv_heads is None or h % kv_heads == 0,
    "h must be a multiple of kv_heads, so that each serves equally many heads of q; got h = {h}, kv_heads = {kv_heads}",
)
_VECTORS = together(
    lambda x, y, d_model: x.ndim == y.ndim == 3 and x.shape[-1] == y.shape[-1] == d_model,
    "x and y must be [b, n, d_model], and must have {d_model} features; got x {x}, y {y}",
).of("x", "y", "self.d_model")
_CACHED_POSITIONS = together(
    lambda cache, y_positions: cache is None or y_positions is not None,
    "a cache needs the positions of the new tokens: pass y_positions",
)


TABLED = Relation(("tokens", "table"), lambda tokens, table: require_one_place(tokens=tokens, table=table))
WEIGHED = together(
    lambda x, weight: x.is_meta == weight.is_meta and (x.dtype == weight.dtype or _is_cast(x, weight)),
    lambda x, weight: (
        f"a layer computes in one dtype and on one device: got {x.dtype} on {x.device}, for weights in {weight.dtype} "
        f"on {weight.device}. Move one of them with .to(), or use torch.autocast"
    ),
)


def _is_cast(x: Tensor, weight: Tensor) -> bool:
    """By autocast, or inside a layer whose weights are no plain numbers."""
    return not weight.is_floating_point() or torch.is_autocast_enabled(x.device.type)


class MultiHeadAttention(nn.Module):
    r"""h attentions side by side, each on its own d_model/h features: section 3.2.2.

    $$\text{head}_j = \text{attention}(XW_q^j, YW_k^j, YW_v^j), \qquad
      \text{out} = [\text{head}_1, \dots, \text{head}_h]\, W_o$$

    Queries come from x; keys and values from y. With y = x it is self-attention. Position acts through `slots`. The
    four maps have biases, as in torch; the paper writes matrices. Given a cache, y is only what is new: its keys and
    values are appended to the cache, and queries attend to all that the cache holds. With `kv_heads` there are fewer
    heads of keys and values, each for a group of heads of queries (Ainslie et al. 2023, arXiv:2305.13245): their maps
    are smaller, and so is the cache.

    Refused: an h that does not divide d_model, `kv_heads` that do not divide h, a cache without the positions of y, and
    vectors in another dtype or on another device than the weights.

    >>> import torch
    >>> x = torch.zeros(32, 5, 768)
    >>> MultiHeadAttention(768, 12)(x, x).shape
    torch.Size([32, 5, 768])
    """

    @border(equal_heads, grouped, d_model=whole(1), h=whole(1), kv_heads=whole(1), slots=one_value)
    def __init__(self, d_model: int, h: int, *, kv_heads: int | None = None, slots: Slots | None = None) -> None:
        super().__init__()
        kv_heads = h if kv_heads is None else kv_heads
        self.d_model, self.h, self.kv_heads, self.slots = d_model, h, kv_heads, Slots() if slots is None else slots
        widths = d_model, kv_heads * d_model // h, kv_heads * d_model // h, d_model
        self.to_q, self.to_k, self.to_v, self.to_out = (nn.Linear(d_model, width) for width in widths)

    def extra_repr(self) -> str:
        return f"d_model={self.d_model}, h={self.h}, kv_heads={self.kv_heads}"

    @border(
        _VECTORS,
        _CACHED_POSITIONS,
        WEIGHED.of("x", "self.to_q.weight"),
        WEIGHED.of("y", "self.to_k.weight"),
        x=content(1),
        y=content(1),
        cache=a_cache,
    )
    def forward(
        self,
        x: Float[Tensor, "b n_x d_model"],
        y: Float[Tensor, "b n_y d_model"],
        *,
        mask: Bool[Tensor, "*#batch #n_x #n_k"] | None = None,
        x_positions: Real[Tensor, "*x_batch n_x"] | None = None,
        y_positions: Real[Tensor, "*y_batch n_y"] | None = None,
        cache: Cache | None = None,
    ) -> Float[Tensor, "b n_x d_model"]:
        q, k, v = self._split(self.to_q(x)), self._split(self.to_k(y)), self._split(self.to_v(y))
        if cache is not None:
            k, v, y_positions = cache.extend(k, v, y_positions)
        heads = attention(q, k, v, self.slots, q_positions=x_positions, k_positions=y_positions, mask=mask)
        return self.to_out(heads.transpose(1, 2).flatten(2))  # [b h n d] -> [b n h d] -> [b n d_model]

    def _split(self, x: Float[Tensor, "b n width"]) -> Float[Tensor, "b heads n d"]:
        return x.unflatten(-1, (-1, self.d_model // self.h)).transpose(1, 2)


_ALIKE = together(
    lambda x, update, shape: x.shape == update.shape and x.shape[-1:] == shape,
    "x and its update must be [..., {shape[0]}], both alike; got x {x}, update {update}",
).of("x", "update", "self.norm.normalized_shape")


_NORMED = Relation(
    ("x", "update", "self.norm.weight"),
    lambda x, update, weight: WEIGHED.check(
        x if torch.promote_types(x.dtype, update.dtype) == x.dtype else update, weight
    ),
)


class AddNorm(nn.Module):
    """What follows every sublayer: LayerNorm(x + Dropout(sublayer(x))), section 5.4."""

    @border(d_model=whole(1), dropout=finite)
    def __init__(self, d_model: int, dropout: float) -> None:
        super().__init__()
        self.dropout, self.norm = nn.Dropout(dropout), nn.LayerNorm(d_model)

    @border(_ALIKE, _NORMED, x=content(), update=content())
    def forward(self, x: Float[Tensor, "*shape"], update: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        return self.norm(x + self.dropout(update))


@border(d_model=whole(1), d_ff=whole(1))
def feed_forward(d_model: int, d_ff: int) -> nn.Sequential:
    """Two linear maps with a ReLU between them, applied to each position alone: section 3.3."""
    return nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))


class EncoderLayer(nn.Module):
    """Self-attention, then the feed-forward maps. With a causal mask it is a layer of a decoder-only model.

    `kv_heads` is as in `MultiHeadAttention`.
    """

    @border(slots=one_value)
    def __init__(
        self,
        d_model: int,
        h: int,
        d_ff: int,
        dropout: float = 0.1,
        *,
        kv_heads: int | None = None,
        slots: Slots | None = None,
    ) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, h, kv_heads=kv_heads, slots=slots)
        self.feed_forward = feed_forward(d_model, d_ff)
        self.add_norms = nn.ModuleList(AddNorm(d_model, dropout) for _ in range(2))

    @border(cache=a_cache)
    def forward(
        self, x: Vectors, *, mask: Mask = None, positions: Positions = None, cache: Cache | None = None
    ) -> Vectors:
        update = self.self_attention(x, x, mask=mask, x_positions=positions, y_positions=positions, cache=cache)
        x = self.add_norms[0](x, update)
        return self.add_norms[1](x, self.feed_forward(x))


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention to the encoder's memory, then the feed-forward maps.

    The slots act on the self-attention only: in cross-attention the two sides count the positions of two texts.
    `kv_heads` is for both attentions.
    """

    @border(slots=one_value)
    def __init__(
        self,
        d_model: int,
        h: int,
        d_ff: int,
        dropout: float = 0.1,
        *,
        kv_heads: int | None = None,
        slots: Slots | None = None,
    ) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, h, kv_heads=kv_heads, slots=slots)
        self.cross_attention = MultiHeadAttention(d_model, h, kv_heads=kv_heads)
        self.feed_forward = feed_forward(d_model, d_ff)
        self.add_norms = nn.ModuleList(AddNorm(d_model, dropout) for _ in range(3))

    @border(cache=a_cache)
    def forward(
        self,
        x: Vectors,
        memory: Memory,
        *,
        mask: Mask = None,
        memory_mask: MemoryMask = None,
        positions: Positions = None,
        cache: Cache | None = None,
    ) -> Vectors:
        update = self.self_attention(x, x, mask=mask, x_positions=positions, y_positions=positions, cache=cache)
        x = self.add_norms[0](x, update)
        x = self.add_norms[1](x, self.cross_attention(x, memory, mask=memory_mask))
        return self.add_norms[2](x, self.feed_forward(x))
