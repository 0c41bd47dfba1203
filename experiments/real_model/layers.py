"""The layers of the library's `Llama`, with the attention taken out, so that a long text can be read in chunks."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import silu

from posenc_lib.transformer import Llama

Attention = Callable[[int, Tensor, Tensor, Tensor], Tensor]  # of layer i, q, k and v [heads n d]
PART = 1_024


def through(model: Llama, tokens: Tensor, attention: Attention) -> Tensor:
    """The last layer's vectors, [n d_model]."""
    x = model.embed(tokens)
    for i, layer in enumerate(model.layers):
        y = layer.norm_attention(x)
        q, k, v = (f(y).unflatten(-1, (-1, layer.d_head)).transpose(0, 1) for f in (layer.to_q, layer.to_k, layer.to_v))
        x = x + layer.to_out(attention(i, q, k, v).transpose(0, 1).flatten(-2))
        x = torch.cat([part + fed_forward(layer, part) for part in x.split(PART)])
    return x


def fed_forward(layer, x: Tensor) -> Tensor:
    y = layer.norm_feed_forward(x)
    return layer.down(silu(layer.gate(y)) * layer.up(y))


def logits(model: Llama, x: Tensor) -> Tensor:
    return model.to_scores(model.norm(x))
