"""Strangers: sections, Cohere, and a proportion of the pairs."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.formulas import HALVES, NEIGHBOURS, geo, places

mrope = family(
    Case(
        name="mrope",
        kind="rotary",
        source='''
def rotate_half(x):
    x1, x2 = x.chunk(2, -1)
    return torch.cat((-x2, x1), -1)


def multimodal(x, position_ids, mrope_section=(2, 3, 3)):
    """Qwen2-VL for text: the three axes have the same positions. x [b, h, n, d], position_ids [b, n]"""
    pos3 = position_ids[None].expand(3, *position_ids.shape)
    inv_freq = 1.0 / (10000 ** (torch.arange(0, x.shape[-1], 2).float() / x.shape[-1]))
    freqs = pos3[..., None].float() * inv_freq
    emb = torch.cat((freqs, freqs), dim=-1)
    cos, sin = emb.cos(), emb.sin()
    sec = list(mrope_section) * 2
    cos = torch.cat([m[i % 3] for i, m in enumerate(cos.split(sec, dim=-1))], dim=-1).unsqueeze(1)
    sin = torch.cat([m[i % 3] for i, m in enumerate(sin.split(sec, dim=-1))], dim=-1).unsqueeze(1)
    return (x * cos) + (rotate_half(x) * sin)
''',
        target="multimodal",
        told={**HALVES, "d": 16},
        run=lambda m, x, y, n: [m.multimodal(x, places(n, 2))],
    ),
    faulty(
        "section",
        "third section gets position 0 always: these pairs are not rotated",
        (
            "pos3 = position_ids[None].expand(3, *position_ids.shape)",
            "pos3 = torch.stack([position_ids, position_ids, torch.zeros_like(position_ids)])",
        ),
        grade="named",
        faults="pairs-still",
    ),
    faulty(
        "sin_sec",
        "sine's features in the reverse order",
        ("enumerate(sin.split(sec, dim=-1))], dim=-1)", "enumerate(sin.split(sec[::-1], dim=-1))], dim=-1).flip(-1)"),
        grade="named",
        faults="cos-sin-frequencies",
    ),
)

cohere = family(
    Case(
        name="cohere",
        kind="rotary",
        source="""
def rotate_half(x):
    x1 = x[..., ::2]
    x2 = x[..., 1::2]
    return torch.stack([-x2, x1], dim=-1).flatten(-2)


def cohere_rope(q, k, position_ids):
    inv_freq = 1.0 / (10000 ** (torch.arange(0, q.shape[-1], 2).double() / q.shape[-1]))
    freqs = position_ids[:, None, :, None].double() * inv_freq
    emb = torch.repeat_interleave(freqs, 2, dim=-1)
    cos, sin = emb.cos().float(), emb.sin().float()
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin
""",
        target="cohere_rope",
        told={**NEIGHBOURS, "d": 16},
        run=lambda m, x, y, n: m.cohere_rope(x, y, places(n, 2)),
        ref=dict(layout="interleaved"),
    ),
    right("clockwise", "both clockwise, nothing told of the sense", ("[-x2, x1]", "[x2, -x1]"), ref=dict(sense=-1)),
    faulty(
        "q_as_k",
        "the second result is q again, not k",
        ("k * cos + rotate_half(k) * sin", "q * cos + rotate_half(q) * sin"),
        grade="named",
        faults="tensors-crossed",
    ),
    faulty(
        "tile",
        "angles doubled for halves, partner for neighbours (layouts mixed)",
        ("torch.repeat_interleave(freqs, 2, dim=-1)", "torch.cat((freqs, freqs), dim=-1)"),
        grade="named",
        faults="mixed-layout",
    ),
    faulty(
        "k_unrotated",
        "k is not rotated",
        ("k * cos + rotate_half(k) * sin", "k"),
        grade="named",
        faults="only-one-rotated",
    ),
    faulty(
        "k_first",
        "all keys get the angles of the first token (broadcast)",
        ("k * cos + rotate_half(k) * sin", "k * cos[:, :, :1] + rotate_half(k) * sin[:, :, :1]"),
        grade="named",
        faults="positions-first-only",
    ),
)

gemma_p = family(
    Case(
        name="gemma_p",
        kind="rotary",
        source='''
def p_rope(x, positions, proportion=0.25, base=10000.0):
    """Pairs over the whole head, the slow three quarters not rotated. [b, h, n, d]"""
    d = x.shape[-1]
    angles = int(proportion * d // 2)
    freq = 1.0 / base ** (2.0 * torch.arange(angles) / d)
    freq = F.pad(freq, (0, d // 2 - angles))
    a = positions[:, None] * freq
    first, second = x.chunk(2, -1)
    return torch.cat((first * a.cos() - second * a.sin(), second * a.cos() + first * a.sin()), -1)
''',
        target="p_rope",
        told=dict(layout="half", d=16, freqs=torch.cat((geo()[:2], torch.zeros(6).double())).float()),
        run=lambda m, x, y, n: [m.p_rope(x, places(n))],
        ref=dict(freqs=torch.cat((geo()[:2], torch.zeros(6).double()))),
    ),
    right("untold", "nothing told", told=dict(layout=None, freqs=None)),
    faulty(
        "front",
        "zeros put in front: the last pairs are rotated, not the first",
        ("(0, d // 2 - angles))", "(d // 2 - angles, 0))"),
        grade="named",
        faults="partial-end",
    ),
)

CASES = [*mrope, *cohere, *gemma_p]
