"""Position interpolation: against squeezed positions, and against transformers."""

import torch
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from posenc_lib.extension import interpolate
from posenc_lib.pairs import geometric_freqs, position_angles

CASES = [(d, base, factor) for d in (2, 64, 128) for base in (10_000.0, 500_000.0) for factor in (0.5, 1.0, 2.5, 32.0)]


def close(a, b, rtol, case):
    torch.testing.assert_close(a, b, rtol=rtol, atol=0, msg=lambda text: f"d, base, factor = {case}: {text}")


def test_angles_are_those_of_squeezed_positions():
    positions = torch.arange(-100, 5_000)
    for case in CASES:
        d, base, factor = case
        squeezed = position_angles(positions.double() / factor, geometric_freqs(d, base))
        angles = position_angles(positions, interpolate(geometric_freqs(d, base), factor))
        close(angles, squeezed, 1e-14, case)


def test_equals_transformers_linear():
    for case in CASES:
        d, base, factor = case
        rope = {"rope_type": "linear", "rope_theta": base, "factor": factor}
        config = LlamaConfig(head_dim=d, hidden_size=d, num_attention_heads=1, rope_parameters=rope)
        theirs, attention_factor = ROPE_INIT_FUNCTIONS["linear"](config, device="cpu")
        assert attention_factor == 1.0
        close(interpolate(geometric_freqs(d, base), factor).float(), theirs, 3e-7, case)
