"""Strangers: YaRN."""

from __future__ import annotations

import math

import torch

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.formulas import geo, run_wide

YARN = """
def find_correction_dim(num_rotations, dim, base=10000, max_position_embeddings=2048):
    return (dim * math.log(max_position_embeddings / (num_rotations * 2 * math.pi))) / (2 * math.log(base))


def find_correction_range(low_rot, high_rot, dim, base=10000, max_position_embeddings=2048):
    low = math.floor(find_correction_dim(low_rot, dim, base, max_position_embeddings))
    high = math.ceil(find_correction_dim(high_rot, dim, base, max_position_embeddings))
    return max(low, 0), min(high, dim - 1)


def linear_ramp_mask(min, max, dim):
    if min == max:
        max += 0.001
    linear_func = (torch.arange(dim, dtype=torch.float32) - min) / (max - min)
    return torch.clamp(linear_func, 0, 1)


def get_mscale(scale=1):
    if scale <= 1:
        return 1.0
    return 0.1 * math.log(scale) + 1.0


class LlamaYaRNScaledRotaryEmbedding(torch.nn.Module):
    def __init__(self, dim, base=10000, scale=4, original_max_position_embeddings=2048, beta_fast=32, beta_slow=1):
        super().__init__()
        pos_freqs = base ** (torch.arange(0, dim, 2).float() / dim)
        inv_freq_extrapolation = 1.0 / pos_freqs
        inv_freq_interpolation = 1.0 / (scale * pos_freqs)
        low, high = find_correction_range(beta_fast, beta_slow, dim, base, original_max_position_embeddings)
        inv_freq_mask = 1 - linear_ramp_mask(low, high, dim // 2).float()
        inv_freq = inv_freq_interpolation * (1 - inv_freq_mask) + inv_freq_extrapolation * inv_freq_mask
        self.register_buffer("inv_freq", inv_freq)
        self.mscale = get_mscale(scale)

    def forward(self, positions):
        freqs = torch.einsum("i,j->ij", positions.float(), self.inv_freq)
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos() * self.mscale, emb.sin() * self.mscale


yarn = LlamaYaRNScaledRotaryEmbedding(64)


def rotate_half(x):
    x1, x2 = x.chunk(2, -1)
    return torch.cat((-x2, x1), -1)


def apply(x, positions):
    cos, sin = yarn(positions)
    return x * cos + rotate_half(x) * sin
"""


def yarn_ref(d=64, s=4.0, L=2048, fast=32, slow=1, base=1e4):
    f = geo(d, base)

    def dim(r):
        return d * math.log(L / (r * 2 * math.pi)) / (2 * math.log(base))

    lo, hi = max(math.floor(dim(fast)), 0), min(math.ceil(dim(slow)), d - 1)
    g = 1 - ((torch.arange(d // 2).double() - lo) / (hi - lo)).clamp(0, 1)
    return f * g + f / s * (1 - g)


YARN_TOLD = dict(layout="half", d=64, freqs=yarn_ref().float(), factor=0.1 * math.log(4) + 1)

yarn = family(
    Case(
        name="yarn",
        kind="rotary",
        source=YARN,
        target="apply",
        told=YARN_TOLD,
        run=run_wide,
        ref=dict(freqs=yarn_ref(), factor=0.1 * math.log(4) + 1, wide=4),
    ),
    right(
        "untold",
        "nothing told but the width: a factor and bent frequencies are facts",
        told=dict(freqs=None, factor=None, layout=None),
    ),
    right(
        "mask_other",
        "blend by lerp",
        (
            "inv_freq = inv_freq_interpolation * (1 - inv_freq_mask) + inv_freq_extrapolation * inv_freq_mask",
            "inv_freq = torch.lerp(inv_freq_interpolation, inv_freq_extrapolation, inv_freq_mask)",
        ),
    ),
    faulty(
        "mask_swap",
        "ramp the wrong way round: fast pairs interpolated, slow ones not",
        ("1 - linear_ramp_mask(", "linear_ramp_mask("),
        grade="named",
        faults="scaling-upside-down",
    ),
    faulty(
        "no_clamp",
        "ramp not clamped to 0 and 1",
        ("torch.clamp(linear_func, 0, 1)", "linear_func"),
        grade="named",
        faults="scaling-ramp",
    ),
    faulty(
        "max_min",
        "min in place of max at the ramp's lower end: it starts at pair 0",
        ("return max(low, 0), min(high, dim - 1)", "return min(low, 0), min(high, dim - 1)"),
        grade="named",
        faults="scaling-ramp",
    ),
    faulty(
        "no_mscale",
        "attention factor missing (told 1.139)",
        ("0.1 * math.log(scale) + 1.0", "1.0"),
        grade="named",
        faults="factor-missing",
    ),
    faulty(
        "mscale_cos",
        "attention factor on the cosine only",
        ("emb.sin() * self.mscale", "emb.sin()"),
        grade="named",
        faults="cos-sin-amplitudes",
    ),
    faulty(
        "mscale_log10",
        "attention factor with log10 in place of ln",
        ("0.1 * math.log(scale)", "0.1 * math.log10(scale)"),
        grade="named",
        faults="factor",
    ),
    faulty(
        "no_2pi",
        "2 pi missing in the ends of the ramp",
        ("(num_rotations * 2 * math.pi)", "num_rotations"),
        grade="named",
        faults="scaling-2pi",
    ),
    faulty(
        "dim_pairs",
        "ends of the ramp counted with dim // 2 (dims vs pairs)",
        (
            "low, high = find_correction_range(beta_fast, beta_slow, dim, base",
            "low, high = find_correction_range(beta_fast, beta_slow, dim // 2, base",
        ),
        grade="named",
        faults="scaling-ramp",
    ),
    faulty(
        "log10base",
        "log10 in place of ln in the denominator of the ramp's ends",
        ("/ (2 * math.log(base))", "/ (2 * math.log10(base))"),
        grade="named",
        faults="scaling-ramp",
    ),
    faulty(
        "inv_scale",
        "interpolated frequencies multiplied by the factor, not divided",
        ("1.0 / (scale * pos_freqs)", "scale / pos_freqs"),
        grade="named",
        faults="scaling-inverse",
    ),
)

CASES = [*yarn]
