"""Applied to queries and keys."""

from posenc_lib.rotary._polar import PoPE, polar
from posenc_lib.rotary._vision_positions import next_position, padded_positions, vision_positions
from posenc_lib.rotary.axes import (
    axes_angles,
    axial_freqs,
    chunked_sections,
    directed_freqs,
    grid_positions,
    interleaved_sections,
    normalised_positions,
)
from posenc_lib.rotary.fourier import fourier_cos_sin, full_turns_only
from posenc_lib.rotary.fused import apply_rotary, cos_sin
from posenc_lib.rotary.groups import GroupTransform, exp_map, pair_generator, rank_two_exp
from posenc_lib.rotary.hyperbolic import hyperbolic_generator
from posenc_lib.rotary.norms import QueryKeyNorm
from posenc_lib.rotary.proportional import proportional_freqs
from posenc_lib.rotary.rotary import PartialRotary, Rotary, convert_layout, rotate
from posenc_lib.rotary.variations import RotatedValues, both_parts
from posenc_lib.rotary.xpos import XPos, grow, xpos_rates

__all__ = [
    "GroupTransform",
    "PartialRotary",
    "PoPE",
    "QueryKeyNorm",
    "Rotary",
    "RotatedValues",
    "XPos",
    "apply_rotary",
    "axes_angles",
    "axial_freqs",
    "both_parts",
    "chunked_sections",
    "convert_layout",
    "cos_sin",
    "directed_freqs",
    "exp_map",
    "fourier_cos_sin",
    "full_turns_only",
    "grid_positions",
    "grow",
    "hyperbolic_generator",
    "interleaved_sections",
    "next_position",
    "normalised_positions",
    "padded_positions",
    "pair_generator",
    "polar",
    "proportional_freqs",
    "rank_two_exp",
    "rotate",
    "vision_positions",
    "xpos_rates",
]
