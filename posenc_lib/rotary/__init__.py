"""Applied to queries and keys."""

from posenc_lib.rotary.fused import apply_rotary, cos_sin
from posenc_lib.rotary.rotary import PartialRotary, Rotary, convert_layout, rotate

__all__ = ["PartialRotary", "Rotary", "apply_rotary", "convert_layout", "cos_sin", "rotate"]
