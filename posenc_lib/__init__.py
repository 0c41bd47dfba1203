"""Positional encodings of Transformers: each derived, implemented and verified in the book of this repository.

Position can act in three places, and the sub-packages are sorted by them: `absolute` is added to the embeddings,
`rotary` is applied to queries and keys, `relative` is added to the scores. In `content` the tokens make the positions,
`extension` serves texts longer than those of training, and `shapes` is for more than a line of text: images, graphs,
time. What you usually need is here; the sub-packages also hold the parts and the rarer forms.
"""

from posenc_lib._attention import attention, attention_weights
from posenc_lib.absolute import ComplexEmbedding, Floater, Learned, Sinusoidal, sinusoidal
from posenc_lib.extension import (
    ScaledQueries,
    dynamic_ntk,
    interpolate,
    llama3,
    log_n,
    log_steps,
    ntk,
    random_positions,
    yarn,
)
from posenc_lib.masks import causal_mask, padding_mask
from posenc_lib.pairs import geometric_freqs
from posenc_lib.positions import packed_positions, packed_texts, padded_positions
from posenc_lib.relative import (
    Alibi,
    DisentangledBias,
    ShawKeys,
    ShawValues,
    T5Bias,
    TransformerXLBias,
    TupeBias,
    WindowBias,
    alibi_slopes,
)
from posenc_lib.released import released_rope
from posenc_lib.rotary import PartialRotary, Rotary, apply_rotary, convert_layout, cos_sin, rotate, vision_positions
from posenc_lib.slots import Slots

__all__ = [
    "Alibi",
    "ComplexEmbedding",
    "DisentangledBias",
    "Floater",
    "Learned",
    "PartialRotary",
    "Rotary",
    "ScaledQueries",
    "ShawKeys",
    "ShawValues",
    "Sinusoidal",
    "Slots",
    "T5Bias",
    "TransformerXLBias",
    "TupeBias",
    "WindowBias",
    "alibi_slopes",
    "apply_rotary",
    "attention",
    "attention_weights",
    "causal_mask",
    "convert_layout",
    "cos_sin",
    "dynamic_ntk",
    "geometric_freqs",
    "interpolate",
    "llama3",
    "log_n",
    "log_steps",
    "ntk",
    "packed_positions",
    "packed_texts",
    "padded_positions",
    "padding_mask",
    "random_positions",
    "released_rope",
    "rotate",
    "sinusoidal",
    "vision_positions",
    "yarn",
]
