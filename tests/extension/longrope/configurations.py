"""A configuration of each type that the reader knows, for a head of 8 features."""

from __future__ import annotations

HEAD = {"hidden_size": 32, "num_attention_heads": 4, "max_position_embeddings": 400, "rope_theta": 10_000.0}
L = "original_max_position_embeddings"
TYPES = {
    "default": {},
    "linear": {"factor": 4.0},
    "dynamic": {"factor": 4.0},
    "yarn": {"factor": 4.0, L: 100},
    "longrope": {"short_factor": [1.0, 1, 2, 2], "long_factor": [1.0, 2, 3, 4], L: 100},
    "llama3": {"factor": 4.0, L: 100, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
    "proportional": {"factor": 4.0},
}


def with_rope(rope_type, **changed):
    """A configuration of this type, with some values changed; None leaves one out."""
    rope = {"rope_type": rope_type, **TYPES[rope_type], **changed}
    return {**HEAD, "rope_parameters": {key: value for key, value in rope.items() if value is not None}}
