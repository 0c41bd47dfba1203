"""Strangers: M-RoPE, with the positions of text."""

from __future__ import annotations

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.second.shared import HALF, at

MROPE = '''
SECTIONS = [2, 3, 3]
inv_freq = 1.0 / 10000 ** (torch.arange(0, 16, 2).float() / 16)


def rotate_half(x):
    return torch.cat((-x[..., 8:], x[..., :8]), -1)


def apply_multimodal_rotary_pos_emb(q, k, cos, sin, mrope_section, unsqueeze_dim=1):
    mrope_section = mrope_section * 2
    cos = torch.cat([m[i % 3] for i, m in enumerate(cos.split(mrope_section, dim=-1))], dim=-1).unsqueeze(unsqueeze_dim)
    sin = torch.cat([m[i % 3] for i, m in enumerate(sin.split(mrope_section, dim=-1))], dim=-1).unsqueeze(unsqueeze_dim)
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin


def text_rope(q, k, position_ids):
    """position_ids [b, n]; for text, time, height and width are the same"""
    ids = torch.stack((position_ids, position_ids, position_ids))
    freqs = ids[..., None].float() * inv_freq
    emb = torch.cat((freqs, freqs), dim=-1)
    return apply_multimodal_rotary_pos_emb(q, k, emb.cos(), emb.sin(), SECTIONS)
'''

mrope = family(
    Case(
        name="2.mrope",
        kind="rotary",
        source=MROPE,
        target="text_rope",
        told=HALF,
        run=lambda m, x, y, n: m.text_rope(x, y, at(x, n)),
    ),
    right(
        "threes",
        "the axes take turns, as in Qwen 3: no splits, a mask for each",
        (
            "    mrope_section = mrope_section * 2\n",
            "    turn = F.one_hot(torch.arange(8) % 3, 3).T.repeat(1, 2)[:, None, None]\n"
            "    cos, sin = ((t * turn).sum(0).repeat(3, 1, 1, 1) for t in (cos, sin))\n"
            "    mrope_section = mrope_section * 2\n",
        ),
    ),
    faulty(
        "zeros",
        "text has height and width 0: six of the eight pairs do not turn",
        (
            "(position_ids, position_ids, position_ids)",
            "(position_ids, torch.zeros_like(position_ids), torch.zeros_like(position_ids))",
        ),
        grade="named",
        faults="pairs-still",
    ),
    faulty(
        "ahead",
        "height and width are counted from 1, time from 0",
        ("(position_ids, position_ids, position_ids)", "(position_ids, position_ids + 1, position_ids + 1)"),
        grade="general",
        faults="not-still-at-0",
    ),
    faulty(
        "merged",
        "height and width of text are divided by 2, as those of an image whose patches are merged",
        ("(position_ids, position_ids, position_ids)", "(position_ids, position_ids // 2, position_ids // 2)"),
        grade="general",
        faults="angles-wrong",
    ),
)

CASES = [*mrope]
