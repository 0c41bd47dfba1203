"""The encoder-decoder Transformer of Vaswani et al. 2017 (arXiv:1706.03762), built from the layers beside this file.

Shapes: b sequences of n vectors of d_model features. A source is what the encoder reads; a target is what the
decoder writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from posenc_lib.border import being, border, finite, function, shaped, tensor, together, whole, within
from posenc_lib.border.tensors import require_made
from posenc_lib.border.values import require_no_nan
from posenc_lib.masks import causal_mask
from posenc_lib.slots import PositionEmbedding, Slots, one_value
from posenc_lib.transformer.layers import (
    TABLED,
    Cache,
    DecoderLayer,
    EncoderLayer,
    Mask,
    Memory,
    MemoryMask,
    Positions,
    Vectors,
)

Source = Int[Tensor, "b n_source"]
Target = Int[Tensor, "b n"]
SourceMask = Bool[Tensor, "b 1 1 n_source"] | None

_DEPTH = whole(1, 1_024, beyond="each layer is built anew")
_STEPS = whole(0, 2**16, beyond="each attends to all before it")


_TEXTS = shaped(tensor(), lambda shape: len(shape) == 2, "[b, n]")
# [b, n_source] would be taken for one of each query where b = n_source.
_KEYS_ONLY = shaped(
    tensor(),
    lambda shape: len(shape) == 4 and shape[1] == shape[2] == 1,
    "[b, 1, 1, n_source], as padding_mask makes it",
)
_CACHES = being(
    lambda x: isinstance(x, Sequence) and all(isinstance(cache, Cache) for cache in x),
    "a list with a Cache() for each layer",
)
_A_CACHE_EACH = together(
    lambda layers, caches: caches is None or len(caches) == len(layers),
    lambda layers, caches: f"each of the {len(layers)} layers needs a cache of its own; got {len(caches)}",
).of("self.layers", "caches")


def _stack(name: str, layers: Any) -> nn.ModuleList:
    """Several layers, as a module."""
    if (isinstance(layers, nn.Module) and not isinstance(layers, nn.ModuleList)) or not isinstance(layers, Iterable):
        raise TypeError(f"{name} must be several layers, such as a list of them; got {type(layers).__name__}")
    stack = list(layers)
    if not stack or not all(isinstance(layer, nn.Module) for layer in stack):
        raise ValueError(f"a stack needs at least one layer, and layers only; got {stack!r:.60}")
    return nn.ModuleList(stack)


def _model(name: str, model: Any) -> Any:
    if not hasattr(model, "to_scores"):
        raise TypeError(f"{name} must be a Transformer; got {type(model).__name__}")
    return model


class Encoder(nn.Module):
    """One layer after another: `Encoder(EncoderLayer(512, 8, 2048) for _ in range(6))`.

    Build each layer anew, as here. Copies of one layer (`deepcopy`) would all start with the same weights.
    """

    @border(layers=_stack)
    def __init__(self, layers: Iterable[EncoderLayer]) -> None:
        super().__init__()
        self.layers = layers

    @border(_A_CACHE_EACH, caches=_CACHES)
    def forward(
        self, x: Vectors, *, mask: Mask = None, positions: Positions = None, caches: Sequence[Cache] | None = None
    ) -> Vectors:
        for layer, cache in _with_caches(self.layers, caches):
            x = layer(x, mask=mask, positions=positions, cache=cache)
        return x


class Decoder(nn.Module):
    """One decoder layer after another; every one reads the same memory, the output of the encoder's last layer."""

    @border(layers=_stack)
    def __init__(self, layers: Iterable[DecoderLayer]) -> None:
        super().__init__()
        self.layers = layers

    @border(_A_CACHE_EACH, caches=_CACHES)
    def forward(
        self,
        x: Vectors,
        memory: Memory,
        *,
        mask: Mask = None,
        memory_mask: MemoryMask = None,
        positions: Positions = None,
        caches: Sequence[Cache] | None = None,
    ) -> Vectors:
        for layer, cache in _with_caches(self.layers, caches):
            x = layer(x, memory, mask=mask, memory_mask=memory_mask, positions=positions, cache=cache)
        return x


class TokenEmbedding(nn.Module):
    r"""A vector for each token, times √d_model, plus slot 1's vector for its position: sections 3.4 and 3.5.

    The table starts with standard deviation 1/√d_model, so that the scaled vectors are about as long as the positions'.

    Refused: a token outside the table, and vectors of positions that are neither [n, d_model] nor [b, n, d_model].
    """

    @border(n_tokens=whole(1), d_model=whole(1), position=function, dropout=finite)
    def __init__(
        self, n_tokens: int, d_model: int, *, position: PositionEmbedding | None = None, dropout: float = 0.1
    ) -> None:
        super().__init__()
        self.table, self.position, self.dropout = nn.Embedding(n_tokens, d_model), position, nn.Dropout(dropout)
        nn.init.normal_(self.table.weight, std=1 / sqrt(d_model))

    @border(TABLED.of("tokens", "self.table.weight"), tokens=_TEXTS)
    def forward(self, tokens: Int[Tensor, "b n"], positions: Positions = None) -> Vectors:
        tokens = within(self.table.num_embeddings)("tokens", tokens)
        x = self.table(tokens) * sqrt(self.table.embedding_dim)
        if self.position is not None:
            p = self.position(_counted(tokens) if positions is None else positions)
            needed = f"give a vector for each token, {list(x.shape[1:])} or {list(x.shape)}"
            p = require_made("position", p, x.shape, x.shape[1:], (1, *x.shape[1:]), needed=needed)
            x = x + require_no_nan("position", p).to(x)
        return self.dropout(x)


class Transformer(nn.Module):
    """Encoder and decoder, each a stack of layers, with their embeddings; the defaults are the paper's base model.

    Each layer is built anew, so no two start with equal weights, as copies of one layer would.

    `source_mask` masks the padding of sources, in the encoder and for the decoder: [b, 1, 1, n_source], True where
    there is a token, as `padding_mask` makes it. Right padding of targets needs no mask: under the causal mask no token
    sees what follows it. Positions are 0 … n-1 unless given.

    `source_position` and `target_position` are slot 1 of the two sides; None leaves that side without positions.
    `source_slots` and `target_slots` are what acts inside the self-attention of each side, shared by its layers. For
    layers with slots of their own, or with grouped heads, build the stacks:
    `Encoder(EncoderLayer(512, 8, 2048, kv_heads=2, slots=s) for s in all_slots)`.

    Refused: a mask of another shape, since [b, n_source] would be taken for a mask of each query where b = n_source,
    and more than 1,024 layers.

    >>> model = Transformer(20, 11, d_model=8, h=2, d_ff=16, n_layers=1)
    >>> model(torch.zeros(3, 7, dtype=torch.long), torch.zeros(3, 4, dtype=torch.long)).shape
    torch.Size([3, 4, 11])
    """

    @border(n_layers=_DEPTH, source_slots=one_value, target_slots=one_value)
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
        source_slots: Slots | None = None,
        target_slots: Slots | None = None,
    ) -> None:
        super().__init__()
        self.embed_source = TokenEmbedding(n_source_tokens, d_model, position=source_position, dropout=dropout)
        self.embed_target = TokenEmbedding(n_target_tokens, d_model, position=target_position, dropout=dropout)
        self.encoder = Encoder(EncoderLayer(d_model, h, d_ff, dropout, slots=source_slots) for _ in range(n_layers))
        self.decoder = Decoder(DecoderLayer(d_model, h, d_ff, dropout, slots=target_slots) for _ in range(n_layers))
        self.to_scores = nn.Linear(d_model, n_target_tokens)

    @border(source=_TEXTS, source_mask=_KEYS_ONLY)
    def encode(self, source: Source, source_mask: SourceMask = None, *, positions: Positions = None) -> Memory:
        positions = _counted(source) if positions is None else positions
        return self.encoder(self.embed_source(source, positions), mask=source_mask, positions=positions)

    @border(target=_TEXTS, source_mask=_KEYS_ONLY, caches=_CACHES)
    def decode(
        self,
        target: Target,
        memory: Memory,
        source_mask: SourceMask = None,
        *,
        positions: Int[Tensor, " n"] | None = None,
        caches: Sequence[Cache] | None = None,
    ) -> Float[Tensor, "b n n_target_tokens"]:
        """For each position the scores of the token that comes next.

        Given a cache for each layer, the target is what follows the tokens in the caches: one more token, as a rule.
        """
        seen = caches[0].positions if caches else None
        if positions is None:
            positions = _counted(target) if seen is None else _counted(target) + seen[-1] + 1
        mask = causal_mask(positions, positions if seen is None else torch.cat((seen, positions)))
        x = self.embed_target(target, positions)
        x = self.decoder(x, memory, mask=mask, memory_mask=source_mask, positions=positions, caches=caches)
        return self.to_scores(x)

    def forward(
        self,
        source: Source,
        target: Target,
        source_mask: SourceMask = None,
        *,
        source_positions: Positions = None,
        target_positions: Int[Tensor, " n"] | None = None,
    ) -> Float[Tensor, "b n n_target_tokens"]:
        memory = self.encode(source, source_mask, positions=source_positions)
        return self.decode(target, memory, source_mask, positions=target_positions)


@torch.no_grad()
@border(model=_model, source=_TEXTS, steps=_STEPS)
def greedy_decode(
    model: Transformer, source: Source, start: int, steps: int, source_mask: SourceMask = None
) -> Int[Tensor, "b {steps}"]:
    """The most probable next token, `steps` times over, each fed back as input; the start token is left out.

    Keys and values of earlier tokens are kept in caches, so each step computes those of one token.

    Switch dropout off first, with `model.eval()`. Where texts have an end token, cut after it.

    Refused: a start that is no token of the target, and more than 2**16 steps.
    """
    whole(0, model.to_scores.out_features - 1, beyond="the target has no further tokens")("start", start)
    memory, caches = model.encode(source, source_mask), [Cache() for _ in model.decoder.layers]
    written = [torch.full((len(source), 1), start, device=source.device)]
    for _ in range(steps):
        scores = model.decode(written[-1], memory, source_mask, caches=caches)
        written.append(scores[:, -1:].argmax(dim=-1))
    return torch.cat(written, dim=1)[:, 1:]


def _with_caches(layers: nn.ModuleList, caches: Sequence[Cache] | None) -> Iterable[tuple[nn.Module, Cache | None]]:
    return zip(layers, [None] * len(layers) if caches is None else caches, strict=True)


def _counted(tokens: Int[Tensor, "b n"]) -> Int[Tensor, " n"]:
    return torch.arange(tokens.shape[-1], device=tokens.device)
