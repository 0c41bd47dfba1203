"""Configurations of a head of 16 features, trained on 1,024 tokens: one for each way to scale."""

from __future__ import annotations

HEAD = {"hidden_size": 64, "num_attention_heads": 4, "max_position_embeddings": 1024, "rope_theta": 10_000.0}
L = "original_max_position_embeddings"
YARN = {"rope_type": "yarn", "factor": 4.0, L: 1024}
LONG = {
    "rope_type": "longrope",
    "factor": 4.0,
    L: 1024,
    "short_factor": [1.0 + 0.02 * i for i in range(8)],
    "long_factor": [1.0, 1.2, 2.0, 3.5, 5.0, 6.0, 7.0, 8.0],
}


def config(rope=None, **more):
    return {**HEAD, **more, **({} if rope is None else {"rope_scaling": rope})}


CASES = {
    "default": (config(), 1024),
    "half rotated": (config(partial_rotary_factor=0.5), 1024),
    "linear": (config({"type": "linear", "factor": 4}), 4096),
    "dynamic": (config({"type": "dynamic", "factor": 4.0}), 2048),
    "dynamic, short": (config({"type": "dynamic", "factor": 4.0}), 512),
    "dynamic, half rotated": (config({"type": "dynamic", "factor": 4.0}, partial_rotary_factor=0.5), 2048),
    "yarn": (config(YARN), 4096),
    "yarn, wider": (config({**YARN, "beta_fast": 16.0, "beta_slow": 2.0}, rope_theta=500_000.0), 3000),
    "yarn, not truncated": (config({**YARN, "truncate": False}), 4096),
    "yarn, attention factor": (config({**YARN, "attention_factor": 1.0}), 4096),
    "yarn, two mscales": (config({**YARN, "mscale": 0.7, "mscale_all_dim": 1.0}), 4096),
    "yarn, equal mscales": (config({**YARN, "mscale": 1.0, "mscale_all_dim": 1.0}), 4096),
    "yarn, one mscale": (config({**YARN, "mscale": 0.7, "mscale_all_dim": 0}), 4096),
    "yarn, half rotated": (config(YARN, partial_rotary_factor=0.5), 4096),
    "llama3": (config({**YARN, "rope_type": "llama3", "low_freq_factor": 1.0, "high_freq_factor": 4.0}), 4096),
    "longrope": (config(LONG, max_position_embeddings=4096), 4096),
    "longrope, short": (config(LONG, max_position_embeddings=4096), 1000),
    "longrope, a factor": (config({**LONG, "attention_factor": 1.1}, max_position_embeddings=4096), 4096),
    "longrope, mscales": (
        config({**LONG, "short_mscale": 1.05, "long_mscale": 1.1}, max_position_embeddings=4096),
        4096,
    ),
    "proportional": (config({"rope_type": "proportional"}, partial_rotary_factor=0.5), 1024),
    "proportional, factor": (config({"rope_type": "proportional", "factor": 4.0}), 1024),
}
