"""The encoder-decoder Transformer of Vaswani et al. 2017 (arXiv:1706.03762): post-norm, ReLU, batch first.

Shapes: b sequences of n vectors of d_model features; h heads of d_model/h features each. A source is what the
encoder reads; a target is what the decoder writes.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt

import torch
from jaxtyping import Bool, Float, Int, Real
from torch import Tensor, nn

from posenc_lib.attention import AttentionBias, PositionEmbedding, QueryKeyTransform, attention, causal_mask

Vectors = Float[Tensor, "b n d_model"]
Memory = Float[Tensor, "b n_source d_model"]
Source = Int[Tensor, "b n_source"]
Target = Int[Tensor, "b n"]
Positions = Real[Tensor, "*p_batch n"] | None
Mask = Bool[Tensor, "*#batch #n #n"] | None
MemoryMask = Bool[Tensor, "*#batch #n #n_source"] | None
SourceMask = Bool[Tensor, "b 1 1 n_source"] | None


class MultiHeadAttention(nn.Module):
    r"""h attentions side by side, each on d_model/h features of its own: section 3.2.2.

    $$\text{head}_j = \text{attention}(XW_q^j, YW_k^j, YW_v^j), \qquad
      \text{out} = [\text{head}_1, \dots, \text{head}_h]\, W_o$$

    Queries come from x; keys and values from y. With y = x it is self-attention. Position may act on queries and
    keys (`transform`) and on scores (`bias`). The four maps have biases, as in torch; the paper writes matrices.

    Raises `ValueError` if h does not divide d_model, or if x or y has another width.

    >>> x = torch.zeros(32, 5, 768)
    >>> MultiHeadAttention(768, 12)(x, x).shape
    torch.Size([32, 5, 768])
    """

    def __init__(
        self, d_model: int, h: int, *, transform: QueryKeyTransform | None = None, bias: AttentionBias | None = None
    ) -> None:
        super().__init__()
        if h < 1 or d_model % h:
            raise ValueError(f"each head takes d_model/h features, so h must divide d_model; got {d_model = }, {h = }")
        self.d_model, self.h, self.transform, self.bias = d_model, h, transform, bias
        self.to_q, self.to_k, self.to_v, self.to_out = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(
        self,
        x: Float[Tensor, "b n_x d_model"],
        y: Float[Tensor, "b n_y d_model"],
        *,
        mask: Bool[Tensor, "*#batch #n_x #n_y"] | None = None,
        x_positions: Real[Tensor, "*x_batch n_x"] | None = None,
        y_positions: Real[Tensor, "*y_batch n_y"] | None = None,
    ) -> Float[Tensor, "b n_x d_model"]:
        if {x.shape[-1], y.shape[-1]} != {self.d_model}:
            raise ValueError(f"x and y must have {self.d_model} features; got x {list(x.shape)}, y {list(y.shape)}")
        heads = attention(
            self._split(self.to_q(x)),
            self._split(self.to_k(y)),
            self._split(self.to_v(y)),
            q_positions=x_positions,
            k_positions=y_positions,
            transform=self.transform,
            bias=self.bias,
            mask=mask,
        )
        return self.to_out(heads.transpose(1, 2).flatten(2))  # [b h n d] -> [b n h d] -> [b n d_model]

    def _split(self, x: Vectors) -> Float[Tensor, "b h n d"]:
        return x.unflatten(-1, (self.h, -1)).transpose(1, 2)


class AddNorm(nn.Module):
    """What follows every sublayer: LayerNorm(x + Dropout(sublayer(x))), section 5.4."""

    def __init__(self, d_model: int, dropout: float) -> None:
        super().__init__()
        self.dropout, self.norm = nn.Dropout(dropout), nn.LayerNorm(d_model)

    def forward(self, x: Float[Tensor, "*shape"], update: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        return self.norm(x + self.dropout(update))


def feed_forward(d_model: int, d_ff: int) -> nn.Sequential:
    """Two linear maps with a ReLU between them, applied to each position alone: section 3.3."""
    return nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))


class EncoderLayer(nn.Module):
    """Self-attention, then the feed-forward maps; the slots are those of `MultiHeadAttention`."""

    def __init__(
        self,
        d_model: int,
        h: int,
        d_ff: int,
        dropout: float = 0.1,
        *,
        transform: QueryKeyTransform | None = None,
        bias: AttentionBias | None = None,
    ) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, h, transform=transform, bias=bias)
        self.feed_forward = feed_forward(d_model, d_ff)
        self.add_norms = nn.ModuleList(AddNorm(d_model, dropout) for _ in range(2))

    def forward(self, x: Vectors, *, mask: Mask = None, positions: Positions = None) -> Vectors:
        x = self.add_norms[0](x, self.self_attention(x, x, mask=mask, x_positions=positions, y_positions=positions))
        return self.add_norms[1](x, self.feed_forward(x))


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention to the encoder's memory, then the feed-forward maps.

    The slots act on the self-attention only: in cross-attention the two sides count positions of two texts.
    """

    def __init__(
        self,
        d_model: int,
        h: int,
        d_ff: int,
        dropout: float = 0.1,
        *,
        transform: QueryKeyTransform | None = None,
        bias: AttentionBias | None = None,
    ) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, h, transform=transform, bias=bias)
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
    ) -> Vectors:
        x = self.add_norms[0](x, self.self_attention(x, x, mask=mask, x_positions=positions, y_positions=positions))
        x = self.add_norms[1](x, self.cross_attention(x, memory, mask=memory_mask))
        return self.add_norms[2](x, self.feed_forward(x))


class Encoder(nn.Module):
    """One layer after another: `Encoder(EncoderLayer(512, 8, 2048) for _ in range(6))`.

    Build each layer anew, as here. Copies of one layer (`deepcopy`) would all start with the same weights.
    """

    def __init__(self, layers: Iterable[EncoderLayer]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x: Vectors, *, mask: Mask = None, positions: Positions = None) -> Vectors:
        for layer in self.layers:
            x = layer(x, mask=mask, positions=positions)
        return x


class Decoder(nn.Module):
    """One decoder layer after another; every one reads the same memory, the output of the encoder's last layer."""

    def __init__(self, layers: Iterable[DecoderLayer]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(
        self,
        x: Vectors,
        memory: Memory,
        *,
        mask: Mask = None,
        memory_mask: MemoryMask = None,
        positions: Positions = None,
    ) -> Vectors:
        for layer in self.layers:
            x = layer(x, memory, mask=mask, memory_mask=memory_mask, positions=positions)
        return x


class TokenEmbedding(nn.Module):
    r"""A vector for each token, times √d_model, plus slot 1's vector for its position: sections 3.4 and 3.5.

    The table starts with standard deviation 1/√d_model, so that the scaled vectors are as large as the positions'.
    """

    def __init__(
        self, n_tokens: int, d_model: int, *, position: PositionEmbedding | None = None, dropout: float = 0.1
    ) -> None:
        super().__init__()
        self.table, self.position, self.dropout = nn.Embedding(n_tokens, d_model), position, nn.Dropout(dropout)
        nn.init.normal_(self.table.weight, std=1 / sqrt(d_model))

    def forward(self, tokens: Int[Tensor, "b n"]) -> Vectors:
        x = self.table(tokens) * sqrt(self.table.embedding_dim)
        if self.position is not None:
            x = x + self.position(torch.arange(tokens.shape[-1], device=tokens.device)).to(x)
        return self.dropout(x)


class Transformer(nn.Module):
    """Encoder and decoder, each a stack of layers, with their embeddings; the defaults are the paper's base model.

    Each layer is built anew, so no two start with equal weights, as copies of one layer would. Right padding of
    targets needs no mask: under the causal mask no token sees what follows it.

    `source_position` and `target_position` are slot 1 of the two sides; None leaves that side without positions.

    >>> model = Transformer(20, 11, d_model=8, h=2, d_ff=16, n_layers=1)
    >>> model(torch.zeros(3, 7, dtype=torch.long), torch.zeros(3, 4, dtype=torch.long)).shape
    torch.Size([3, 4, 11])
    """

    def __init__(
        self,
        n_source_tokens: int,
        n_target_tokens: int,
        *,
        d_model: int = 512,
        h: int = 8,
        d_ff: int = 2048,
        n_layers: int = 6,
        dropout: float = 0.1,
        source_position: PositionEmbedding | None = None,
        target_position: PositionEmbedding | None = None,
    ) -> None:
        super().__init__()
        self.embed_source = TokenEmbedding(n_source_tokens, d_model, position=source_position, dropout=dropout)
        self.embed_target = TokenEmbedding(n_target_tokens, d_model, position=target_position, dropout=dropout)
        self.encoder = Encoder(EncoderLayer(d_model, h, d_ff, dropout) for _ in range(n_layers))
        self.decoder = Decoder(DecoderLayer(d_model, h, d_ff, dropout) for _ in range(n_layers))
        self.to_scores = nn.Linear(d_model, n_target_tokens)

    def encode(self, source: Source, source_mask: SourceMask = None) -> Memory:
        return self.encoder(self.embed_source(source), mask=source_mask)

    def decode(
        self, target: Target, memory: Memory, source_mask: SourceMask = None
    ) -> Float[Tensor, "b n n_target_tokens"]:
        """For each position the scores of the token that comes next."""
        positions = torch.arange(target.shape[-1], device=target.device)
        mask = causal_mask(positions, positions)
        return self.to_scores(self.decoder(self.embed_target(target), memory, mask=mask, memory_mask=source_mask))

    def forward(
        self, source: Source, target: Target, source_mask: SourceMask = None
    ) -> Float[Tensor, "b n n_target_tokens"]:
        return self.decode(target, self.encode(source, source_mask), source_mask)


@torch.no_grad()
def greedy_decode(
    model: Transformer, source: Source, start: int, steps: int, source_mask: SourceMask = None
) -> Int[Tensor, "b {steps}"]:
    """The most probable next token, `steps` times over, each fed back as input; the start token is left out.

    Switch dropout off first, with `model.eval()`. Where texts have an end token, cut after it.
    """
    memory = model.encode(source, source_mask)
    target = source.new_full((len(source), 1), start)
    for _ in range(steps):
        scores = model.decode(target, memory, source_mask)
        target = torch.cat((target, scores[:, -1:].argmax(dim=-1)), dim=1)
    return target[:, 1:]
