"""The Transformer of Vaswani et al. 2017 (arXiv:1706.03762): `layers`, which take `Slots`, and `encoder_decoder`.

`llama` is a decoder in the form of released language models; it takes `Slots` too.
"""

from posenc_lib.transformer.encoder_decoder import Decoder, Encoder, TokenEmbedding, Transformer, greedy_decode
from posenc_lib.transformer.layers import (
    AddNorm,
    Cache,
    DecoderLayer,
    EncoderLayer,
    MultiHeadAttention,
    feed_forward,
)
from posenc_lib.transformer.llama import Llama, LlamaLayer, continued

__all__ = [
    "AddNorm",
    "Cache",
    "Decoder",
    "DecoderLayer",
    "Encoder",
    "EncoderLayer",
    "Llama",
    "LlamaLayer",
    "MultiHeadAttention",
    "TokenEmbedding",
    "Transformer",
    "continued",
    "feed_forward",
    "greedy_decode",
]
