"""Longer than trained: functions that change frequencies, positions or scores."""

from posenc_lib.extension.attention_scaling import ScaledQueries, log_n, log_steps
from posenc_lib.extension.interpolation import interpolate
from posenc_lib.extension.mixed_layers import Chunked, SlidingWindow
from posenc_lib.extension.ntk import dynamic_ntk, ntk
from posenc_lib.extension.random_positions import random_positions, random_shift, skip_positions

__all__ = [
    "Chunked",
    "ScaledQueries",
    "SlidingWindow",
    "dynamic_ntk",
    "interpolate",
    "log_n",
    "log_steps",
    "ntk",
    "random_positions",
    "random_shift",
    "skip_positions",
]
