"""Added to the attention scores."""

from posenc_lib.relative.alibi import Alibi, alibi_slopes
from posenc_lib.relative.deberta import DisentangledBias, deberta_row, log_bucket
from posenc_lib.relative.distance import score_mod, toeplitz_bias
from posenc_lib.relative.fire import Fire, fire_ratio
from posenc_lib.relative.kernels import Bam, Kerple, Sandwich, kerple_start, log_kernel, power_kernel
from posenc_lib.relative.reversed import reversed_bias
from posenc_lib.relative.shaw import ShawKeys, ShawValues, clipped, skew
from posenc_lib.relative.t5 import T5Bias, t5_bucket, t5_edges
from posenc_lib.relative.transformer_xl import TransformerXLBias, rel_shift
from posenc_lib.relative.tupe import TupeBias
from posenc_lib.relative.window import (
    WindowBias,
    coarse_cells,
    log_spaced_offsets,
    resample_window_table,
    window_bias,
    window_index,
)

__all__ = [
    "Alibi",
    "Bam",
    "DisentangledBias",
    "Fire",
    "Kerple",
    "Sandwich",
    "ShawKeys",
    "ShawValues",
    "T5Bias",
    "TransformerXLBias",
    "TupeBias",
    "WindowBias",
    "alibi_slopes",
    "clipped",
    "coarse_cells",
    "deberta_row",
    "fire_ratio",
    "kerple_start",
    "log_bucket",
    "log_kernel",
    "log_spaced_offsets",
    "power_kernel",
    "rel_shift",
    "resample_window_table",
    "reversed_bias",
    "score_mod",
    "skew",
    "t5_bucket",
    "t5_edges",
    "toeplitz_bias",
    "window_bias",
    "window_index",
]
