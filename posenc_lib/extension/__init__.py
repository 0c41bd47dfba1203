"""Longer than trained: functions that change frequencies, positions or scores."""

from posenc_lib.extension.attention_scaling import ScaledQueries, log_n, log_steps
from posenc_lib.extension.base import cosine_sum, critical_dimension, first_negative, smallest_base
from posenc_lib.extension.interpolation import interpolate
from posenc_lib.extension.ntk import dynamic_ntk, ntk
from posenc_lib.extension.random_positions import random_positions, random_shift

__all__ = [
    "ScaledQueries",
    "cosine_sum",
    "critical_dimension",
    "dynamic_ntk",
    "first_negative",
    "interpolate",
    "log_n",
    "log_steps",
    "ntk",
    "random_positions",
    "random_shift",
    "smallest_base",
]
