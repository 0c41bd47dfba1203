"""Strangers: RoFormer, after its first code."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty
from tests.checks.strangers.second.shared import EVEN, swap

ROFORMER = '''
def sinusoidal(position_ids, output_dim):
    indices = torch.arange(0, output_dim // 2, dtype=torch.float32)
    indices = torch.pow(10000.0, -2 * indices / output_dim)
    embeddings = torch.einsum("n,d->nd", position_ids.float(), indices)
    embeddings = torch.stack([torch.sin(embeddings), torch.cos(embeddings)], dim=-1)
    return torch.reshape(embeddings, (-1, output_dim))


def apply_rotary(qw, kw, position_ids):
    """qw, kw: (batch, seq, heads, dim)"""
    pos = sinusoidal(position_ids, qw.shape[-1])
    cos_pos = torch.repeat_interleave(pos[..., None, 1::2], 2, dim=-1)
    sin_pos = torch.repeat_interleave(pos[..., None, ::2], 2, dim=-1)
    qw2 = torch.stack([-qw[..., 1::2], qw[..., ::2]], 4)
    qw2 = torch.reshape(qw2, qw.shape)
    qw = qw * cos_pos + qw2 * sin_pos
    kw2 = torch.stack([-kw[..., 1::2], kw[..., ::2]], 4)
    kw2 = torch.reshape(kw2, kw.shape)
    kw = kw * cos_pos + kw2 * sin_pos
    return qw, kw
'''

roformer = family(
    Case(
        name="2.roformer",
        kind="rotary",
        source=ROFORMER,
        target="apply_rotary",
        told={**EVEN, "axes": "bnhd"},
        run=lambda m, x, y, n: [swap(t) for t in m.apply_rotary(swap(x), swap(y), torch.arange(n))],
        ref=dict(layout="interleaved"),
        grade="cannot tell",
    ),
    faulty(
        "evens",
        "the cosines are read from the even columns, where the sines are",
        ("pos[..., None, 1::2]", "pos[..., None, ::2]"),
        grade="cannot tell",
    ),
    faulty(
        "kw2",
        "copied lines: the partner of the keys is made from the queries, which are rotated already",
        ("torch.stack([-kw[..., 1::2], kw[..., ::2]], 4)", "torch.stack([-qw[..., 1::2], qw[..., ::2]], 4)"),
        grade="cannot tell",
    ),
    faulty(
        "minus",
        "the partner of the keys has lost its minus, that of the queries has it",
        ("-kw[..., 1::2]", "kw[..., 1::2]"),
        grade="cannot tell",
    ),
)

CASES = [*roformer]
