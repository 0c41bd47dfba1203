"""Strangers: GPT-NeoX and ChatGLM, which rotate a part of the features."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.formulas import HALVES, NEIGHBOURS

NEOX = '''
ROTARY_PCT = 0.25
HEAD_SIZE = 32


def _rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


def neox_rotary(query, key, offset=0):
    """query, key: [bs, num_attention_heads, seq_len, head_size]"""
    rotary_ndims = int(HEAD_SIZE * ROTARY_PCT)
    query_rot, query_pass = query[..., :rotary_ndims], query[..., rotary_ndims:]
    key_rot, key_pass = key[..., :rotary_ndims], key[..., rotary_ndims:]
    inv_freq = 1.0 / (10000 ** (torch.arange(0, rotary_ndims, 2).float() / rotary_ndims))
    t = torch.arange(offset, offset + query.shape[-2]).float()
    freqs = t[:, None] * inv_freq[None, :]
    emb = torch.cat((freqs, freqs), -1)
    cos, sin = emb.cos()[None, None], emb.sin()[None, None]
    query_rot = query_rot * cos + _rotate_half(query_rot) * sin
    key_rot = key_rot * cos + _rotate_half(key_rot) * sin
    return torch.cat((query_rot, query_pass), dim=-1), torch.cat((key_rot, key_pass), dim=-1)
'''


def run_neox(m, x, y, n):
    x, y = torch.cat((x, x), -1), torch.cat((y, y), -1)
    return m.neox_rotary(x, y)


neox = family(
    Case(
        name="neox",
        kind="rotary",
        source=NEOX,
        target="neox_rotary",
        told={**HALVES, "d": 32, "d_rotated": 8},
        run=run_neox,
        ref=dict(rot=8, double=True),
    ),
    right(
        "half_of_it",
        "half of the features, told",
        ("ROTARY_PCT = 0.25", "ROTARY_PCT = 0.5"),
        told=dict(d_rotated=16),
        ref=dict(rot=16),
    ),
    faulty(
        "pct_over_head",
        "exponent divided by the whole head, not the rotated part",
        (".float() / rotary_ndims))", ".float() / HEAD_SIZE))"),
        grade="named",
        faults="exponent-whole-head",
    ),
    faulty(
        "pass_order",
        "q: unrotated part put before the rotated one (concatenation order), k not",
        ("torch.cat((query_rot, query_pass), dim=-1)", "torch.cat((query_pass, query_rot), dim=-1)"),
        grade="named",
        faults="starts-differ",
    ),
    faulty(
        "pass_lost",
        "q passes the wrong features: the first ones again in place of the last",
        (
            "query_rot, query_pass = query[..., :rotary_ndims], query[..., rotary_ndims:]",
            "query_rot, query_pass = query[..., :rotary_ndims], query[..., :-rotary_ndims]",
        ),
        grade="named",
        faults="features-lost",
    ),
    faulty(
        "rot_all",
        "rotates the whole head although told 8 of 32",
        ("int(HEAD_SIZE * ROTARY_PCT)", "HEAD_SIZE"),
        grade="named",
        faults="partial-count",
    ),
    faulty(
        "pct_twice",
        "rotary_ndims counted as pairs: half as many features as told (dims vs pairs)",
        ("int(HEAD_SIZE * ROTARY_PCT)", "int(HEAD_SIZE * ROTARY_PCT) // 2"),
        grade="named",
        faults="partial-count",
    ),
    faulty(
        "half_head",
        "rotate_half splits at a wrong place (2 in place of 4)",
        ("half = x.shape[-1] // 2", "half = HEAD_SIZE // 2 // 8"),
        grade="named",
        faults="partners-differ",
    ),
)

GLM = '''
def build_cache(seq_len, n_elem=8, base=10000):
    theta = 1.0 / (base ** (torch.arange(0, n_elem, 2, dtype=torch.float) / n_elem))
    seq_idx = torch.arange(seq_len, dtype=torch.float)
    idx_theta = torch.outer(seq_idx, theta).float()
    return torch.stack([torch.cos(idx_theta), torch.sin(idx_theta)], dim=-1)


def glm_rope(x, start=0):
    """x: [sq, b, np, hn]"""
    sq, b, np_, hn = x.shape
    rope_cache = build_cache(start + sq)[start:]
    rot_dim = rope_cache.shape[-2] * 2
    x, x_pass = x[..., :rot_dim], x[..., rot_dim:]
    xshaped = x.reshape(sq, -1, np_, rot_dim // 2, 2)
    rope_cache = rope_cache.view(sq, 1, 1, xshaped.size(3), 2)
    x_out2 = torch.stack(
        [
            xshaped[..., 0] * rope_cache[..., 0] - xshaped[..., 1] * rope_cache[..., 1],
            xshaped[..., 1] * rope_cache[..., 0] + xshaped[..., 0] * rope_cache[..., 1],
        ],
        -1,
    )
    x_out2 = x_out2.flatten(3)
    return torch.cat((x_out2, x_pass), dim=-1)
'''


def run_glm(m, x, y, n):
    return [m.glm_rope(x.permute(2, 0, 1, 3)).permute(1, 2, 0, 3)]


glm = family(
    Case(
        name="glm",
        kind="rotary",
        source=GLM,
        target="glm_rope",
        told={**NEIGHBOURS, "d": 16, "d_rotated": 8, "axes": "nbhd"},
        run=run_glm,
        ref=dict(layout="interleaved", rot=8),
    ),
    right(
        "stack_last",
        "results written as halves, read as neighbours: a C (as DeepSeek sorts), no score sees it",
        ("        -1,\n    )\n    x_out2 = x_out2.flatten(3)", "        -2,\n    )\n    x_out2 = x_out2.flatten(3)"),
        run=lambda m, x, y, n: [
            torch.cat((torch.stack(o[..., :8].chunk(2, -1), -1).flatten(-2), o[..., 8:]), -1)
            for o in [m.glm_rope(x.permute(2, 0, 1, 3)).permute(1, 2, 0, 3)]
        ],
    ),
    faulty(
        "idx",
        "second feature: cosine and sine exchanged",
        (
            "xshaped[..., 1] * rope_cache[..., 0] + xshaped[..., 0] * rope_cache[..., 1]",
            "xshaped[..., 1] * rope_cache[..., 1] + xshaped[..., 0] * rope_cache[..., 0]",
        ),
        grade="general",
        faults="not-a-rotation",
    ),
    faulty(
        "nelem", "rotates all 16 features; told 8", ("n_elem=8", "n_elem=16"), grade="named", faults="partial-count"
    ),
)

CASES = [*neox, *glm]
