"""Strangers: rotary-embedding-torch and flash-attention's reference, with einops."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.formulas import HALVES, NEIGHBOURS, geo, swapped

LUCID = """
def exists(val):
    return val is not None


def rotate_half(x):
    x = rearrange(x, '... (d r) -> ... d r', r=2)
    x1, x2 = x.unbind(dim=-1)
    x = torch.stack((-x2, x1), dim=-1)
    return rearrange(x, '... d r -> ... (d r)')


def apply_rotary_emb(freqs, t, start_index=0, scale=1.):
    rot_dim = freqs.shape[-1]
    end_index = start_index + rot_dim
    t_left, t, t_right = t[..., :start_index], t[..., start_index:end_index], t[..., end_index:]
    t = (t * freqs.cos() * scale) + (rotate_half(t) * freqs.sin() * scale)
    return torch.cat((t_left, t, t_right), dim=-1)


class RotaryEmbedding(nn.Module):
    def __init__(self, dim, theta=10000, interpolate_factor=1.):
        super().__init__()
        freqs = 1. / (theta ** (torch.arange(0, dim, 2)[:(dim // 2)].float() / dim))
        self.freqs = nn.Parameter(freqs, requires_grad=False)
        self.interpolate_factor = interpolate_factor

    def rotate_queries_or_keys(self, t, offset=0):
        seq_len = t.shape[-2]
        seq = (torch.arange(seq_len) + offset) / self.interpolate_factor
        freqs = einsum('..., f -> ... f', seq.type(self.freqs.dtype), self.freqs)
        freqs = repeat(freqs, '... n -> ... (n r)', r=2)
        return apply_rotary_emb(freqs, t)


rope = RotaryEmbedding(dim=8)


def rotate(t, offset=0):
    return rope.rotate_queries_or_keys(t, offset)
"""


def run_lucid(m, x, y, n):
    return [m.rotate(x)]


lucid = family(
    Case(
        name="lucid",
        kind="rotary",
        source=LUCID,
        target="rotate",
        told={**NEIGHBOURS, "d": 16, "d_rotated": 8},
        run=run_lucid,
        ref=dict(layout="interleaved", rot=8),
    ),
    right(
        "interp4",
        "linear interpolation by 4, told",
        ("interpolate_factor=1.)", "interpolate_factor=4.)"),
        told=dict(base=None, freqs=(geo(8) / 4).float()),
        ref=dict(freqs=geo(8) / 4),
    ),
    right("whole", "whole head", ("dim=8", "dim=16"), told=dict(d_rotated=16), ref=dict(rot=16)),
    faulty(
        "scale_cos",
        "sine halved: no rotation (a scale on one term only)",
        ("freqs.sin() * scale", "freqs.sin() * scale * 0.5"),
        grade="named",
        faults="cos-sin-amplitudes",
    ),
    faulty(
        "offset",
        "offset is added after interpolating, so it is not interpolated",
        (
            "(torch.arange(seq_len) + offset) / self.interpolate_factor",
            "torch.arange(seq_len) / self.interpolate_factor + offset",
        ),
        ("RotaryEmbedding(dim=8)", "RotaryEmbedding(dim=8, interpolate_factor=4.)"),
        grade="named",
        faults="offset-wrong",
        told=dict(base=None, freqs=(geo(8) / 4).float()),
        ref=dict(freqs=geo(8) / 4),
        run=lambda m, x, y, n: [
            torch.cat(
                (x[..., :4, :], m.RotaryEmbedding(8, interpolate_factor=4.0).rotate_queries_or_keys(x[..., 4:, :], 4)),
                -2,
            )
        ],
    ),
    faulty(
        "right_lost",
        "the unrotated features are lost: zeros",
        ("torch.cat((t_left, t, t_right), dim=-1)", "F.pad(torch.cat((t_left, t), dim=-1), (0, t_right.shape[-1]))"),
        grade="named",
        faults="features-lost",
    ),
    faulty(
        "dim_double",
        "exponent divided by twice the rotated features (the whole head)",
        ("[:(dim // 2)].float() / dim))", "[:(dim // 2)].float() / (2 * dim)))"),
        grade="named",
        faults="exponent-whole-head",
    ),
)

FLASH = '''
def rotate_half(x, interleaved=False):
    if not interleaved:
        x1, x2 = x.chunk(2, dim=-1)
        return torch.cat((-x2, x1), dim=-1)
    else:
        x1, x2 = x[..., ::2], x[..., 1::2]
        return rearrange(torch.stack((-x2, x1), dim=-1), "... d two -> ... (d two)", two=2)


def apply_rotary_emb_torch(x, cos, sin, interleaved=False):
    """x: (batch_size, seqlen, nheads, headdim); cos, sin: (seqlen, rotary_dim / 2)"""
    ro_dim = cos.shape[-1] * 2
    assert ro_dim <= x.shape[-1]
    cos = repeat(cos, "... d -> ... 1 (2 d)" if not interleaved else "... d -> ... 1 (d 2)")
    sin = repeat(sin, "... d -> ... 1 (2 d)" if not interleaved else "... d -> ... 1 (d 2)")
    return torch.cat([x[..., :ro_dim] * cos + rotate_half(x[..., :ro_dim], interleaved) * sin, x[..., ro_dim:]], dim=-1)


def flash(x, seqlen_offset=0, interleaved=False):
    inv_freq = 1.0 / (10000.0 ** (torch.arange(0, 16, 2, dtype=torch.float32) / 16))
    t = torch.arange(seqlen_offset, seqlen_offset + x.shape[1], dtype=torch.float32)
    freqs = torch.outer(t, inv_freq)
    return apply_rotary_emb_torch(x, torch.cos(freqs), torch.sin(freqs), interleaved)


def flash_neighbours(x, seqlen_offset=0):
    return flash(x, seqlen_offset, True)
'''

flash = family(
    Case(
        name="flash",
        kind="rotary",
        source=FLASH,
        target="flash",
        told={**HALVES, "d": 16, "axes": "bnhd"},
        run=lambda m, x, y, n: [swapped(m.flash(swapped(x)))],
    ),
    right(
        "neighbours",
        "the other layout, told",
        told=dict(layout="interleaved"),
        target="flash_neighbours",
        ref=dict(layout="interleaved"),
        run=lambda m, x, y, n: [swapped(m.flash_neighbours(swapped(x)))],
    ),
    faulty(
        "flag",
        "the flag is not passed on: neighbours' table with halves' partners (layouts mixed)",
        ("rotate_half(x[..., :ro_dim], interleaved)", "rotate_half(x[..., :ro_dim])"),
        grade="named",
        faults="mixed-layout",
        told=dict(layout="interleaved"),
        target="flash_neighbours",
        ref=dict(layout="interleaved"),
        run=lambda m, x, y, n: [swapped(m.flash_neighbours(swapped(x)))],
    ),
    faulty(
        "layout_told",
        "halves although the weights are for neighbours (layout told otherwise)",
        grade="named",
        faults="layout",
        told=dict(layout="interleaved"),
        ref=dict(layout="interleaved"),
    ),
    faulty(
        "head_bcast",
        "cosine table in reverse order of positions",
        ('repeat(cos, "... d -> ... 1 (2 d)" if', 'repeat(cos.flip(0), "... d -> ... 1 (2 d)" if'),
        grade="named",
        faults="length-dependent",
    ),
)

CASES = [*lucid, *flash]
