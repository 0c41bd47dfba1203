"""Configurations of released models, as published, for the chapters to read."""

from __future__ import annotations

# fmt: off
LONG = [
    1.03, 1.05, 1.05, 1.08, 1.23, 1.23, 1.3, 1.45, 1.6, 1.65, 1.9, 2.86, 3.69, 5.42, 5.49, 5.49,
    9.09, 11.58, 15.66, 15.77, 15.79, 18.36, 21.99, 23.08, 30.01, 32.35, 32.59, 35.56, 39.95, 53.84, 56.2, 57.95,
    59.29, 59.77, 59.92, 61.19, 61.96, 62.5, 63.37, 63.48, 63.48, 63.66, 63.85, 64.08, 64.76, 64.8, 64.81, 64.81,
]
SHORT = [
    1.05, 1.05, 1.05, 1.1, 1.1, 1.1, 1.25, 1.25, 1.4, 1.45, 1.55, 1.85, 1.9, 2.0, 2.0, 2.0,
    2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0,
    2.1, 2.1, 2.2, 2.35, 2.35, 2.35, 2.35, 2.4, 2.4, 2.65, 2.7, 2.9, 2.95, 3.05, 3.05, 3.05,
]
# fmt: on
PHI_3_VISION = {
    "hidden_size": 3072,
    "num_attention_heads": 32,
    "max_position_embeddings": 131_072,
    "original_max_position_embeddings": 4_096,
    "rope_theta": 10_000.0,
    "rope_scaling": {"type": "su", "short_factor": SHORT, "long_factor": LONG},
}
"""What config.json of Phi-3-vision-128k-instruct (Microsoft 2024, MIT licence) says about positions. The factors come
without the rounding errors that stand there, such as 1.0299999713897705 for 1.03."""
