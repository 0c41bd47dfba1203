"""For texts longer than those of training: functions that change frequencies, positions or scores."""

from posenc_lib.extension._longrope import longrope, longrope_temperature, resonant
from posenc_lib.extension._ntk import dynamic_ntk, ntk
from posenc_lib.extension._random_positions import random_positions, random_shift, skip_positions
from posenc_lib.extension._yarn import by_parts, llama3, temperature, yarn
from posenc_lib.extension.attention_scaling import ScaledQueries, log_n, log_steps
from posenc_lib.extension.base import cosine_sum, critical_dimension, first_negative, smallest_base
from posenc_lib.extension.interpolation import interpolate
from posenc_lib.extension.mapped import MappedRotary, mapped_scores
from posenc_lib.extension.mixed_layers import Chunked, SlidingWindow
from posenc_lib.extension.streams import sink_ids, sink_mask
from posenc_lib.extension.windows import dual_chunk_ids, leaky_rerope_ids, rerope_ids, self_extend_ids

__all__ = [
    "Chunked",
    "MappedRotary",
    "ScaledQueries",
    "SlidingWindow",
    "by_parts",
    "cosine_sum",
    "critical_dimension",
    "dual_chunk_ids",
    "dynamic_ntk",
    "first_negative",
    "interpolate",
    "leaky_rerope_ids",
    "llama3",
    "log_n",
    "log_steps",
    "longrope",
    "longrope_temperature",
    "mapped_scores",
    "ntk",
    "random_positions",
    "random_shift",
    "rerope_ids",
    "resonant",
    "self_extend_ids",
    "sink_ids",
    "sink_mask",
    "skip_positions",
    "smallest_base",
    "temperature",
    "yarn",
]
