"""Applied to queries and keys."""

from posenc_lib.rotary.fused import apply_rotary, cos_sin
from posenc_lib.rotary.norms import QueryKeyNorm
from posenc_lib.rotary.proportional import proportional_freqs
from posenc_lib.rotary.rotary import PartialRotary, Rotary, convert_layout, rotate

__all__ = [
    "PartialRotary",
    "QueryKeyNorm",
    "Rotary",
    "apply_rotary",
    "convert_layout",
    "cos_sin",
    "proportional_freqs",
    "rotate",
]
