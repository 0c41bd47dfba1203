"""Strangers: Llama in transformers of 2023."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.formulas import HALVES, places

OLD = """
def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


class RotaryEmbedding(torch.nn.Module):
    def __init__(self, dim, max_position_embeddings=4608, base=10000, device=None):
        super().__init__()
        inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2).float().to(device) / dim))
        self.register_buffer("inv_freq", inv_freq)
        self.max_seq_len_cached = max_position_embeddings
        t = torch.arange(self.max_seq_len_cached, dtype=self.inv_freq.dtype)
        freqs = torch.einsum("i,j->ij", t, self.inv_freq)
        emb = torch.cat((freqs, freqs), dim=-1)
        self.register_buffer("cos_cached", emb.cos()[None, None, :, :], persistent=False)
        self.register_buffer("sin_cached", emb.sin()[None, None, :, :], persistent=False)

    def forward(self, x, seq_len=None):
        return (
            self.cos_cached[:, :, :seq_len, ...].to(dtype=x.dtype),
            self.sin_cached[:, :, :seq_len, ...].to(dtype=x.dtype),
        )


emb_module = RotaryEmbedding(16)


def apply_rope(query_states, key_states, position_ids):
    seq_len = int(position_ids.max()) + 1
    cos, sin = emb_module(query_states, seq_len)
    cos = cos.squeeze(1).squeeze(0)[position_ids].unsqueeze(1)
    sin = sin.squeeze(1).squeeze(0)[position_ids].unsqueeze(1)
    q_embed = (query_states * cos) + (rotate_half(query_states) * sin)
    k_embed = (key_states * cos) + (rotate_half(key_states) * sin)
    return q_embed, k_embed
"""


def shifted_old(m, x, y, n):
    o = m.apply_rope(x[..., 5:, :], y[..., 5:, :], places(n, 2)[:, 5:])
    return [torch.cat((a[..., :5, :], b), -2) for a, b in zip((x, y), o, strict=False)]


old = family(
    Case(
        name="old",
        kind="rotary",
        source=OLD,
        target="apply_rope",
        told={**HALVES, "d": 16},
        run=lambda m, x, y, n: m.apply_rope(x, y, places(n, 2)),
    ),
    right(
        "ndk",
        "whole table instead of its beginning",
        ("emb_module(query_states, seq_len)", "emb_module(key_states, 4608)"),
    ),
    faulty(
        "arange_pos",
        "position_ids ignored: always 0, 1, 2 (wrong with a cache)",
        ("position_ids.max()", "position_ids.numel() // position_ids.shape[0] * 0 + position_ids.max()"),
        ("[position_ids].unsqueeze(1)", "[torch.arange(position_ids.shape[-1])[None]].unsqueeze(1)"),
        grade="named",
        faults="positions-unused",
        run=shifted_old,
    ),
    faulty(
        "short",
        "table of 2,048 rows, later positions clamped to the last row",
        ("max_position_embeddings=4608", "max_position_embeddings=2048"),
        ("[position_ids].unsqueeze(1)", "[position_ids.clamp(max=2047)].unsqueeze(1)"),
        grade="named",
        faults="table-ends",
    ),
    faulty(
        "wrap",
        "table of 2,048 rows, later positions begin anew (modulo)",
        ("max_position_embeddings=4608", "max_position_embeddings=2048"),
        ("[position_ids].unsqueeze(1)", "[position_ids % 2048].unsqueeze(1)"),
        grade="named",
        faults="table-ends",
    ),
    faulty(
        "t_half",
        "positions in float16 (exact only to 2,048)",
        (
            "t = torch.arange(self.max_seq_len_cached, dtype=self.inv_freq.dtype)",
            "t = torch.arange(self.max_seq_len_cached).to(torch.float16).float()",
        ),
        grade="named",
        faults="positions-half",
    ),
    faulty(
        "angles_bf16",
        "angles rounded to bfloat16",
        (
            'freqs = torch.einsum("i,j->ij", t, self.inv_freq)',
            'freqs = torch.einsum("i,j->ij", t, self.inv_freq).bfloat16().float()',
        ),
        grade="named",
        faults="angles-half",
    ),
    faulty(
        "inv_bf16",
        "inv_freq was cast to bfloat16 by model.bfloat16()",
        ("self.inv_freq)\n        emb", "self.inv_freq.bfloat16().float())\n        emb"),
        grade="named",
        faults="freqs-half",
    ),
    faulty(
        "one_based",
        "positions start at 1 (told: 0 changes nothing)",
        (
            "t = torch.arange(self.max_seq_len_cached, dtype=self.inv_freq.dtype)",
            "t = torch.arange(1, self.max_seq_len_cached + 1, dtype=self.inv_freq.dtype)",
        ),
        grade="named",
        faults="positions-from-1",
        told=dict(first=0),
    ),
    faulty(
        "cos_exp",
        "cosine made with its own exponent (odd i): angles of cos and sin differ",
        (
            "emb.cos()[None",
            ("torch.cat((torch.outer(t, 10000 ** (-torch.arange(1, dim, 2).float() / dim)),) * 2, -1).cos()[None"),
        ),
        grade="named",
        faults="cos-sin-frequencies",
    ),
    faulty(
        "key_shift",
        "k gets the cos and sin of the token before it: q and k's positions differ by one",
        (
            "k_embed = (key_states * cos) + (rotate_half(key_states) * sin)",
            "k_embed = (key_states * cos.roll(1, 2)) + (rotate_half(key_states) * sin.roll(1, 2))",
        ),
        grade="named",
        faults="rows-shifted",
    ),
)

CASES = [*old]
