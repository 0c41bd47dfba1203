"""Longer than trained: functions that change frequencies, positions or scores."""

from posenc_lib.extension.attention_scaling import ScaledQueries, log_n, log_steps
from posenc_lib.extension.interpolation import interpolate
from posenc_lib.extension.ntk import dynamic_ntk, ntk
from posenc_lib.extension.random_positions import random_positions, random_shift
from posenc_lib.extension.windows import (
    MappedRotary,
    dual_chunk_ids,
    leaky_rerope_ids,
    mapped_scores,
    rerope_ids,
    self_extend_ids,
    sink_ids,
    sink_mask,
)

__all__ = [
    "MappedRotary",
    "ScaledQueries",
    "dual_chunk_ids",
    "dynamic_ntk",
    "interpolate",
    "leaky_rerope_ids",
    "log_n",
    "log_steps",
    "mapped_scores",
    "ntk",
    "random_positions",
    "random_shift",
    "rerope_ids",
    "self_extend_ids",
    "sink_ids",
    "sink_mask",
]
