"""Applied to queries and keys."""

from posenc_lib.rotary.fused import apply_rotary, cos_sin
from posenc_lib.rotary.rotary import PartialRotary, Rotary, convert_layout, rotate
from posenc_lib.rotary.xpos import XPos, grow, xpos_rates

__all__ = [
    "PartialRotary",
    "Rotary",
    "XPos",
    "apply_rotary",
    "convert_layout",
    "cos_sin",
    "grow",
    "rotate",
    "xpos_rates",
]
