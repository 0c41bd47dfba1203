"""The Transformer of Vaswani et al. 2017 (arXiv:1706.03762): `layers`, which take `Slots`, and `encoder_decoder`."""

from posenc_lib.transformer.encoder_decoder import Decoder, Encoder, TokenEmbedding, Transformer, greedy_decode
from posenc_lib.transformer.layers import (
    AddNorm,
    Cache,
    DecoderLayer,
    EncoderLayer,
    MultiHeadAttention,
    feed_forward,
)

__all__ = [
    "AddNorm",
    "Cache",
    "Decoder",
    "DecoderLayer",
    "Encoder",
    "EncoderLayer",
    "MultiHeadAttention",
    "TokenEmbedding",
    "Transformer",
    "feed_forward",
    "greedy_decode",
]
