"""The layers of the library's `Llama`, with the attention taken out, so that a long text can be read in chunks."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from posenc_lib.transformer import Llama

Attention = Callable[[int, Tensor, Tensor, Tensor], Tensor]  # of layer i, q, k and v [heads n d]
PART = 1_024


def through(model: Llama, tokens: Tensor, attention: Attention) -> Tensor:
    """The last layer's vectors, [n d_model]."""
    x = model.embed(tokens)
    for i, layer in enumerate(model.layers):
        x = x + layer.to_out(attention(i, *layer.qkv(x)).transpose(0, 1).flatten(-2))
        x = torch.cat([part + layer.fed_forward(part) for part in x.split(PART)])
    return x


def logits(model: Llama, x: Tensor) -> Tensor:
    return model.to_scores(model.norm(x))
