"""Strangers: YaRN, after DeepSeek's code."""

from __future__ import annotations

import math

import torch

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.second.shared import HALF, run_ids


def yarn(base: float = 10000.0, d: int = 16, s: float = 8.0, length: int = 512) -> torch.Tensor:
    """By turns within the trained length: 32 and more stay, 1 and less are slowed, between them a ramp over pairs."""
    plain = [base ** (-2 * i / d) for i in range(d // 2)]
    low, high = (d * math.log(length / (turns * 2 * math.pi)) / (2 * math.log(base)) for turns in (32, 1))
    low, high = max(math.floor(low), 0), min(math.ceil(high), d - 1)
    ramp = [min(max((i - low) / (high - low), 0), 1) for i in range(d // 2)]
    return torch.tensor([f * (1 - r) + f / s * r for f, r in zip(plain, ramp, strict=True)], dtype=torch.float64)


YARN = """
def yarn_find_correction_dim(num_rotations, dim, base=10000, max_position_embeddings=2048):
    return (dim * math.log(max_position_embeddings / (num_rotations * 2 * math.pi))) / (2 * math.log(base))


def yarn_find_correction_range(low_rot, high_rot, dim, base=10000, max_position_embeddings=2048):
    low = math.floor(yarn_find_correction_dim(low_rot, dim, base, max_position_embeddings))
    high = math.ceil(yarn_find_correction_dim(high_rot, dim, base, max_position_embeddings))
    return max(low, 0), min(high, dim - 1)


def yarn_linear_ramp_mask(low, high, dim):
    if low == high:
        high += 0.001
    return torch.clamp((torch.arange(dim, dtype=torch.float32) - low) / (high - low), 0, 1)


def yarn_get_mscale(scale=1.0, mscale=1.0):
    return 1.0 if scale <= 1 else 0.1 * mscale * math.log(scale) + 1.0


def yarn_inv_freq(dim, base=10000, scaling_factor=8.0, original=512, beta_fast=32, beta_slow=1):
    freq_extra = 1.0 / (base ** (torch.arange(0, dim, 2, dtype=torch.float32) / dim))
    freq_inter = 1.0 / (scaling_factor * base ** (torch.arange(0, dim, 2, dtype=torch.float32) / dim))
    low, high = yarn_find_correction_range(beta_fast, beta_slow, dim, base, original)
    inv_freq_mask = 1.0 - yarn_linear_ramp_mask(low, high, dim // 2)
    return freq_inter * (1 - inv_freq_mask) + freq_extra * inv_freq_mask


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


def rope(q, k, position_ids):
    inv_freq = yarn_inv_freq(q.shape[-1])
    freqs = position_ids[:, None, :, None].float() * inv_freq
    emb = torch.cat((freqs, freqs), dim=-1)
    _mscale = yarn_get_mscale(8.0)
    cos, sin = emb.cos() * _mscale, emb.sin() * _mscale
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin
"""
MSCALE = 0.1 * math.log(8.0) + 1.0
YARN_TOLD = {**HALF, "base": None, "freqs": yarn(), "factor": MSCALE, "first": None}


yarns = family(
    Case(
        name="2.yarn",
        kind="rotary",
        source=YARN,
        target="rope",
        told={key: value for key, value in YARN_TOLD.items() if value is not None},
        run=run_ids,
        ref=dict(freqs=yarn(), factor=MSCALE),
    ),
    right(
        "lerp",
        "the ramp by torch.lerp in float64, the factor on q and k themselves",
        (
            "freq_inter * (1 - inv_freq_mask) + freq_extra * inv_freq_mask",
            "torch.lerp(freq_inter.double(), freq_extra.double(), inv_freq_mask.double()).float()",
        ),
        (
            "    cos, sin = emb.cos() * _mscale, emb.sin() * _mscale\n",
            "    cos, sin = emb.cos(), emb.sin()\n    q, k = q * _mscale, k * _mscale\n",
        ),
    ),
    faulty(
        "mask",
        "the mask is not turned round: fast pairs are interpolated, slow ones are not",
        ("1.0 - yarn_linear_ramp_mask", "yarn_linear_ramp_mask"),
        grade="named",
        faults="scaling-upside-down",
    ),
    faulty(
        "mscale",
        "the attention factor is missing",
        ("yarn_get_mscale(8.0)", "1.0"),
        grade="named",
        faults="factor-missing",
    ),
    faulty(
        "mscalecos",
        "the attention factor is on the cosines and not on the sines",
        ("emb.sin() * _mscale", "emb.sin()"),
        grade="named",
        faults="cos-sin-amplitudes",
    ),
    faulty(
        "betas",
        "beta_fast and beta_slow are given in the wrong order, so the ramp runs backwards and jumps",
        ("(beta_fast, beta_slow, dim", "(beta_slow, beta_fast, dim"),
        grade="general",
        faults="scaling-unknown",
    ),
    faulty(
        "original",
        "the length of training is not passed on, so that the default of 2,048 is taken and not 512",
        ("dim, base, original)", "dim, base)"),
        grade="misleading",
        faults="scaling-2pi",
    ),
)

CASES = [*yarns]
