"""Strangers: a module after GPT-NeoX."""

from __future__ import annotations

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.second.shared import HALF, pieces

NEOX = """
class RotaryEmbedding(nn.Module):
    def __init__(self, dim, max_position_embeddings=5000, base=10000):
        super().__init__()
        inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))
        t = torch.arange(max_position_embeddings, dtype=inv_freq.dtype)
        freqs = torch.einsum("i,j->ij", t, inv_freq)
        emb = torch.cat((freqs, freqs), dim=-1)
        self.register_buffer("cos_cached", emb.cos()[None, None, :, :])
        self.register_buffer("sin_cached", emb.sin()[None, None, :, :])

    def forward(self, x, seq_len):
        return self.cos_cached[:, :, :seq_len].to(x.dtype), self.sin_cached[:, :, :seq_len].to(x.dtype)


def rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


def apply_rotary_pos_emb(q, k, cos, sin, offset=0):
    cos = cos[..., offset : q.shape[-2] + offset, :]
    sin = sin[..., offset : q.shape[-2] + offset, :]
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin


class Attention(nn.Module):
    def __init__(self, head_size=16, rotary_pct=0.5):
        super().__init__()
        self.rotary_ndims = int(head_size * rotary_pct)
        self.rotary_emb = RotaryEmbedding(self.rotary_ndims)

    def rotate(self, query, key, offset=0):
        query_rot, query_pass = query[..., : self.rotary_ndims], query[..., self.rotary_ndims :]
        key_rot, key_pass = key[..., : self.rotary_ndims], key[..., self.rotary_ndims :]
        cos, sin = self.rotary_emb(key, seq_len=key.shape[-2] + offset)
        query, key = apply_rotary_pos_emb(query_rot, key_rot, cos, sin, offset)
        return torch.cat((query, query_pass), dim=-1), torch.cat((key, key_pass), dim=-1)


rotate = Attention().rotate
"""

neox = family(
    Case(
        name="2.neox",
        kind="rotary",
        source=NEOX,
        target="rotate",
        told={**HALF, "d_rotated": 8},
        run=lambda m, x, y, n: pieces(lambda q, k, a, b: m.rotate(q, k, offset=a), x, y),
        ref=dict(rot=8),
    ),
    right(
        "whole",
        "rotary_pct is 1, so that nothing passes by and the rests are empty",
        ("rotary_pct=0.5", "rotary_pct=1.0"),
        told={"d_rotated": 16},
        ref={"rot": 16},
    ),
    faulty(
        "headsize",
        "exponent over the whole head (16), though 8 features are rotated",
        (".float() / dim)", ".float() / 16)"),
        grade="named",
        faults="exponent-whole-head",
    ),
    faulty(
        "pass",
        "the unrotated half of the key is copied from the query",
        ("key[..., self.rotary_ndims :]", "query[..., self.rotary_ndims :]"),
        grade="named",
        faults="tensors-crossed",
    ),
    faulty(
        "order",
        "the unrotated features are put in front of the rotated ones, in the key alone",
        ("torch.cat((key, key_pass), dim=-1)", "torch.cat((key_pass, key), dim=-1)"),
        grade="named",
        faults="starts-differ",
    ),
    faulty(
        "offsetsin",
        "the offset of decoding reaches the cosines and not the sines",
        ("sin = sin[..., offset : q.shape[-2] + offset, :]", "sin = sin[..., : q.shape[-2], :]"),
        grade="general",
        faults="offset-wrong",
    ),
)

CASES = [*neox]
