"""Applied to queries and keys."""

from posenc_lib.rotary.fused import apply_rotary, cos_sin
from posenc_lib.rotary.groups import GroupTransform, exp_map, pair_generator, rank_two_exp
from posenc_lib.rotary.rotary import PartialRotary, Rotary, convert_layout, rotate
from posenc_lib.rotary.xpos import XPos, grow, xpos_rates

__all__ = [
    "GroupTransform",
    "PartialRotary",
    "Rotary",
    "XPos",
    "apply_rotary",
    "convert_layout",
    "cos_sin",
    "exp_map",
    "grow",
    "pair_generator",
    "rank_two_exp",
    "rotate",
    "xpos_rates",
]
