"""The layers of the Transformer of Vaswani et al. 2017 (arXiv:1706.03762): post-norm, ReLU, batch first.

Shapes: b sequences of n vectors of d_model features; h heads of d_model/h features each. The decoder's layers read
a memory: what the encoder has made of the n_source vectors of the source.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Real
from torch import Tensor, nn

from posenc_lib._attention import attention
from posenc_lib.inputs import require_finite, require_floating, require_tensor, require_whole
from posenc_lib.slots import Slots, one_value

Vectors = Float[Tensor, "b n d_model"]
Memory = Float[Tensor, "b n_source d_model"]
Positions = Real[Tensor, "*p_batch n"] | None
Mask = Bool[Tensor, "*#batch #n #n_k"] | None
MemoryMask = Bool[Tensor, "*#batch #n #n_source"] | None


class Cache:
    """The keys and values that one layer has made so far, with their positions; the caller makes one for each layer.

    Keys are kept as they are before any transform, so that every method is served, also one whose frequencies change
    while the text grows. The price: a transform is applied to all of them at each step. See `attention` for a step
    that keeps rotated keys.
    """

    def __init__(self) -> None:
        self.k = self.v = self.positions = None

    def extend(
        self, k: Float[Tensor, "b h n d"], v: Float[Tensor, "b h n d"], positions: Real[Tensor, "*p_batch n"]
    ) -> tuple[Float[Tensor, "b h n_k d"], Float[Tensor, "b h n_k d"], Real[Tensor, "*p_batch n_k"]]:
        """Append those of the new tokens, and return all; `ValueError` if they do not fit those of before."""
        require_tensor(axes=2, k=k, v=v)
        require_tensor(axes=1, positions=positions)
        if k.shape[:-1] != v.shape[:-1] or positions.shape[-1] != k.shape[-2]:
            raise ValueError(
                "each new token needs a key, a value and a position; "
                f"got k {[*k.shape]}, v {[*v.shape]} and positions {[*positions.shape]}"
            )
        for name, old, new in (("k", self.k, k), ("v", self.v, v)):
            if old is not None and (old.shape[:-2] != new.shape[:-2] or old.shape[-1] != new.shape[-1]):
                raise ValueError(f"the cache holds {name} {[*old.shape]}, to which {[*new.shape]} cannot be appended")
        if self.k is not None and self.positions.shape[:-1] != positions.shape[:-1]:
            raise ValueError(
                f"the cache holds positions {[*self.positions.shape]}, to which {[*positions.shape]} cannot be appended"
            )
        if self.k is not None:
            k, v = torch.cat((self.k, k), dim=-2), torch.cat((self.v, v), dim=-2)
            positions = torch.cat((self.positions, positions), dim=-1)
        self.k, self.v, self.positions = k, v, positions
        return k, v, positions


class MultiHeadAttention(nn.Module):
    r"""h attentions side by side, each on its own d_model/h features: section 3.2.2.

    $$\text{head}_j = \text{attention}(XW_q^j, YW_k^j, YW_v^j), \qquad
      \text{out} = [\text{head}_1, \dots, \text{head}_h]\, W_o$$

    Queries come from x; keys and values from y. With y = x it is self-attention. Position acts through `slots`. The
    four maps have biases, as in torch; the paper writes matrices. Given a cache, y is what is new: its keys and values
    are appended to the cache, and queries attend to all that it holds.

    Raises `ValueError` if h does not divide d_model, if x or y is not [b, n, d_model], if a cache is given without the
    positions of y, or if positions or mask do not fit; `TypeError` if d_model or h is no integer, x or y not floating
    point, or the mask not boolean.

    >>> import torch
    >>> x = torch.zeros(32, 5, 768)
    >>> MultiHeadAttention(768, 12)(x, x).shape
    torch.Size([32, 5, 768])
    """

    def __init__(self, d_model: int, h: int, *, slots: Slots | None = None) -> None:
        super().__init__()
        require_whole(d_model=d_model, h=h)
        if min(d_model, h) < 1 or d_model % h:
            raise ValueError(f"each head takes d_model/h features, so h must divide d_model; got {d_model = }, {h = }")
        self.d_model, self.h, self.slots = d_model, h, Slots() if slots is None else one_value("slots", slots)
        self.to_q, self.to_k, self.to_v, self.to_out = (nn.Linear(d_model, d_model) for _ in range(4))

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
        require_floating(x=x, y=y)
        if {x.ndim, y.ndim} != {3} or {x.shape[-1], y.shape[-1]} != {self.d_model}:
            raise ValueError(
                f"x and y must be [b, n, d_model], and must have {self.d_model} features; "
                f"got x {list(x.shape)}, y {list(y.shape)}"
            )
        k, v = self._split(self.to_k(y)), self._split(self.to_v(y))
        if cache is not None:
            if y_positions is None:
                raise ValueError("a cache needs the positions of the new tokens: pass y_positions")
            k, v, y_positions = cache.extend(k, v, y_positions)
        q = self._split(self.to_q(x))
        heads = attention(q, k, v, self.slots, q_positions=x_positions, k_positions=y_positions, mask=mask)
        return self.to_out(heads.transpose(1, 2).flatten(2))  # [b h n d] -> [b n h d] -> [b n d_model]

    def _split(self, x: Vectors) -> Float[Tensor, "b h n d"]:
        return x.unflatten(-1, (self.h, -1)).transpose(1, 2)


class AddNorm(nn.Module):
    """What follows every sublayer: LayerNorm(x + Dropout(sublayer(x))), section 5.4."""

    def __init__(self, d_model: int, dropout: float) -> None:
        super().__init__()
        require_whole(least=1, d_model=d_model)
        require_finite(dropout=dropout)
        self.dropout, self.norm = nn.Dropout(dropout), nn.LayerNorm(d_model)

    def forward(self, x: Float[Tensor, "*shape"], update: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        require_floating(x=x, update=update)
        if x.shape != update.shape or x.shape[-1:] != self.norm.normalized_shape:
            raise ValueError(
                f"x and its update must be [..., {self.norm.normalized_shape[0]}], both alike; "
                f"got {list(x.shape)} and {list(update.shape)}"
            )
        return self.norm(x + self.dropout(update))


def feed_forward(d_model: int, d_ff: int) -> nn.Sequential:
    """Two linear maps with a ReLU between them, applied to each position alone: section 3.3."""
    require_whole(least=1, d_model=d_model, d_ff=d_ff)
    return nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))


class EncoderLayer(nn.Module):
    """Self-attention, then the feed-forward maps. With a causal mask it is a layer of a decoder-only model."""

    def __init__(self, d_model: int, h: int, d_ff: int, dropout: float = 0.1, *, slots: Slots | None = None) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, h, slots=slots)
        self.feed_forward = feed_forward(d_model, d_ff)
        self.add_norms = nn.ModuleList(AddNorm(d_model, dropout) for _ in range(2))

    def forward(
        self, x: Vectors, *, mask: Mask = None, positions: Positions = None, cache: Cache | None = None
    ) -> Vectors:
        update = self.self_attention(x, x, mask=mask, x_positions=positions, y_positions=positions, cache=cache)
        x = self.add_norms[0](x, update)
        return self.add_norms[1](x, self.feed_forward(x))


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention to the encoder's memory, then the feed-forward maps.

    The slots act on the self-attention only: in cross-attention the two sides count positions of two texts.
    """

    def __init__(self, d_model: int, h: int, d_ff: int, dropout: float = 0.1, *, slots: Slots | None = None) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, h, slots=slots)
        self.cross_attention = MultiHeadAttention(d_model, h)
        self.feed_forward = feed_forward(d_model, d_ff)
        self.add_norms = nn.ModuleList(AddNorm(d_model, dropout) for _ in range(3))

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
