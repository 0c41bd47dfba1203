"""The layers of the Transformer: what their arguments have to fit."""

import torch

from posenc_lib import causal_mask, padding_mask
from posenc_lib.transformer import Cache, DecoderLayer, EncoderLayer, Transformer


def seen() -> torch.Tensor:
    return causal_mask(torch.arange(4), torch.arange(4))


def model() -> Transformer:
    return Transformer(5, 5, d_model=8, h=2, d_ff=8, n_layers=1, dropout=0.0).eval()


ARGUMENTS = {
    "EncoderLayer.forward": lambda: [{"mask": seen()}],
    "DecoderLayer.forward": lambda: [{"mask": seen()}],
    "Encoder": lambda: [{"layers": [EncoderLayer(16, 2, 4)]}],
    "Encoder.forward": lambda: [{"mask": seen(), "caches": [Cache()]}],
    "Decoder": lambda: [{"layers": [DecoderLayer(16, 2, 4)]}],
    "Decoder.forward": lambda: [{"mask": seen(), "caches": [Cache()]}],
    "Transformer.decode": lambda: [{"caches": [Cache()]}],
    "greedy_decode": lambda: [{"model": model(), "source_mask": padding_mask(torch.tensor([3, 4]), 4)}],
}
