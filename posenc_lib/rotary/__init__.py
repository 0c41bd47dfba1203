"""Applied to queries and keys."""

from posenc_lib.rotary.axes import (
    axes_angles,
    axial_freqs,
    chunked_sections,
    directed_freqs,
    grid_positions,
    interleaved_sections,
    normalised_positions,
)
from posenc_lib.rotary.fused import apply_rotary, cos_sin
from posenc_lib.rotary.norms import QueryKeyNorm
from posenc_lib.rotary.proportional import proportional_freqs
from posenc_lib.rotary.rotary import PartialRotary, Rotary, convert_layout, rotate
from posenc_lib.rotary.vision_positions import vision_positions

__all__ = [
    "PartialRotary",
    "QueryKeyNorm",
    "Rotary",
    "apply_rotary",
    "axes_angles",
    "axial_freqs",
    "chunked_sections",
    "convert_layout",
    "cos_sin",
    "directed_freqs",
    "grid_positions",
    "interleaved_sections",
    "normalised_positions",
    "proportional_freqs",
    "rotate",
    "vision_positions",
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
