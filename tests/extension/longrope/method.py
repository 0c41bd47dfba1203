"""Frequencies searched for, of whole wavelengths, or of a configuration, as the contract takes them."""

import torch

from posenc_lib import Rotary, Slots, released_rope
from posenc_lib.extension import longrope, longrope_temperature, resonant
from tests.contract.method import D, Method, freqs, rotary_with

RELEASED = {"head_dim": D, "rope_theta": 10_000.0, "rope_scaling": {"type": "linear", "factor": 4.0}}


def with_temperature() -> Method:
    """The temperature is in the scale, since all features are rotated."""
    slots = Slots(
        transform=Rotary(longrope(freqs(), torch.linspace(1, 4, D // 2, dtype=torch.float64))),
        scale=longrope_temperature(4.0, 12) ** 2 / D**0.5,
    )
    return Method((Rotary, longrope, longrope_temperature), relative=True, slots=slots)


METHODS = {
    "rotary longrope": with_temperature,
    "rotary resonant": lambda: rotary_with(resonant(freqs()), resonant),
    "rotary released": lambda: rotary_with(released_rope(RELEASED).freqs, released_rope),
}
HEAD = {"hidden_size": 16, "num_attention_heads": 2, "rope_theta": 10_000.0}
LONG = {"original_max_position_embeddings": 16, "factor": 4.0}
CONFIGURATIONS = [
    {**HEAD, "position_embedding_type": "rope", "layer_types": ["full_attention"]},
    {**HEAD, "rope_scaling": {"type": "yarn", **LONG, "beta_fast": 16.0, "mscale": 0.7, "mscale_all_dim": 1.0}},
    {**HEAD, "rope_scaling": {"type": "longrope", **LONG, "short_factor": [1.0] * 4, "long_factor": [2.0] * 4}},
    {**HEAD, "rope_scaling": {"type": "llama3", **LONG, "low_freq_factor": 1.0, "high_freq_factor": 4.0}},
    {**HEAD, "max_position_embeddings": 16, "rope_parameters": {"rope_type": "dynamic", "factor": 2.0}},
    {**HEAD, "rope_parameters": {"rope_type": "proportional", "factor": 2.0, "partial_rotary_factor": 0.5}},
]
LAYERED = {"rope_theta": 10_000.0, "rope_parameters": {"global": {"rope_type": "default"}, "local": None}}
ARGUMENTS = {
    "released_rope": lambda: [
        *({"config": config, "n": 20, "handled": {"x"}, "layer_type": None, "d": None} for config in CONFIGURATIONS),
        {"config": LAYERED, "layer_type": "global", "n": None, "handled": set()},
    ],
    "layers": lambda: [
        {"config": {**config, "num_hidden_layers": 1}, "n": 20, "handled": {"x"}, "d": None}
        for config in CONFIGURATIONS
    ],
}
NO_METHOD = {"layers": "says of each layer what released_rope says of one"}
