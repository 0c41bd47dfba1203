"""Strangers: flash attention's cosines and sines."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.second.shared import HALF, run_rope, swap

FLASH = '''
def rotate_half(x, interleaved=False):
    if not interleaved:
        x1, x2 = x.chunk(2, dim=-1)
        return torch.cat((-x2, x1), dim=-1)
    x1, x2 = x[..., ::2], x[..., 1::2]
    return rearrange(torch.stack((-x2, x1), dim=-1), "... d two -> ... (d two)", two=2)


def apply_rotary_emb_torch(x, cos, sin, interleaved=False):
    """x: (batch_size, seqlen, nheads, headdim), cos, sin: (seqlen, rotary_dim / 2)"""
    ro_dim = cos.shape[-1] * 2
    cos = repeat(cos, "... d -> ... 1 (2 d)" if not interleaved else "... d -> ... 1 (d 2)")
    sin = repeat(sin, "... d -> ... 1 (2 d)" if not interleaved else "... d -> ... 1 (d 2)")
    return torch.cat(
        [x[..., :ro_dim] * cos + rotate_half(x[..., :ro_dim], interleaved) * sin, x[..., ro_dim:]], dim=-1
    )


def cos_sin(positions, dim=16):
    freqs = torch.outer(positions.float(), 1.0 / (10000.0 ** (torch.arange(0, dim, 2) / dim)))
    return torch.cos(freqs), torch.sin(freqs)


def rope(x, positions):
    """A layer that takes [batch, heads, tokens, features]"""
    return apply_rotary_emb_torch(x.transpose(1, 2), *cos_sin(positions)).transpose(1, 2)
'''

flash = family(
    Case(name="2.flash", kind="rotary", source=FLASH, target="rope", told={**HALF, "axes": "bhnd"}, run=run_rope),
    right(
        "table",
        "cosines and sines are given, and the function that makes them is told",
        told={"axes": "bnhd", "call": "x cos sin"},
        target="apply_rotary_emb_torch",
        table="cos_sin",
        run=lambda m, x, y, n: [swap(m.apply_rotary_emb_torch(swap(x), *m.cos_sin(torch.arange(n))))],
    ),
    faulty(
        "inplace",
        "the rotation is written into the caller's own tensor, of which a later part is read after it was overwritten",
        (
            "    return torch.cat(\n        [x[..., :ro_dim] * cos + rotate_half(x[..., :ro_dim], interleaved) * sin,"
            " x[..., ro_dim:]], dim=-1\n    )\n",
            "    half = ro_dim // 2\n"
            "    x1, x2 = x[..., :half], x[..., half:ro_dim]\n"
            "    x1.copy_(x1 * cos[..., :half] - x2 * sin[..., :half])\n"
            "    x2.copy_(x1 * sin[..., :half] + x2 * cos[..., :half])\n"
            "    return x\n",
        ),
        grade="named",
        faults="in-place overwritten",
        run=lambda m, x, y, n: [m.rope(x.clone(), torch.arange(n))],
    ),
    faulty(
        "caller",
        "the caller's own tensor is multiplied by the cosines: the result is right, a second call has other features",
        (
            "[x[..., :ro_dim] * cos + rotate_half(x[..., :ro_dim], interleaved) * sin,",
            "[rotate_half(x[..., :ro_dim], interleaved) * sin + x[..., :ro_dim].mul_(cos),",
        ),
        grade="named",
        faults="in-place",
        run=lambda m, x, y, n: [m.rope(t, torch.arange(n)) for t in [x.clone()] * 2][1:],
    ),
    faulty(
        "bhnd",
        "the layer forgets to exchange tokens and heads: each head is turned by its number",
        (
            "apply_rotary_emb_torch(x.transpose(1, 2), *cos_sin(positions)).transpose(1, 2)",
            "apply_rotary_emb_torch(x, *cos_sin(positions[: x.shape[1]]))",
        ),
        grade="named",
        faults="axes-swapped",
        run=lambda m, x, y, n: [m.rope(x, torch.arange(n))],
    ),
)

CASES = [*flash]
