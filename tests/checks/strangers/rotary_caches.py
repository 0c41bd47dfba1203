"""Strangers: a cache that grows, and fairseq's order of axes."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty
from tests.checks.strangers.formulas import HALVES, swapped

GROW = '''
class Rotary(torch.nn.Module):
    """x: (batch, seq, heads, head_dim). Keeps cos and sin, grows when needed."""

    def __init__(self, dim, base=10000):
        super().__init__()
        self.inv_freq = (1 / base) ** (torch.arange(0, dim, 2) / dim)
        self.seq_len_cached = 0
        self.cos_cached = None
        self.sin_cached = None

    def _grow(self, seq_len):
        if seq_len > self.seq_len_cached:
            self.seq_len_cached = seq_len
            t = torch.arange(seq_len).float()
            freqs = torch.outer(t, self.inv_freq)
            self.cos_cached = freqs.cos()
            self.sin_cached = freqs.sin()

    def forward(self, x, offset=0):
        end = offset + x.shape[1]
        self._grow(end)
        cos = self.cos_cached[None, offset:end, None, :]
        sin = self.sin_cached[None, offset:end, None, :]
        d = x.shape[3] // 2
        x1 = x[..., :d]
        x2 = x[..., d:]
        y1 = x1 * cos + x2 * sin
        y2 = x1 * (-sin) + x2 * cos
        return torch.cat([y1, y2], 3)


rotary = Rotary(16)
'''


def run_grow(m, x, y, n):
    m.rotary(swapped(x)[:, :7])
    return [swapped(m.rotary(swapped(x)))]


grow = family(
    Case(
        name="grow",
        kind="rotary",
        source=GROW,
        target="rotary",
        told={**HALVES, "d": 16, "axes": "bnhd", "sense": "clockwise"},
        run=run_grow,
        ref=dict(sense=-1),
    ),
    faulty(
        "stale",
        "cache made once, by the first text; later positions wrap round",
        ("if seq_len > self.seq_len_cached:", "if self.cos_cached is None:"),
        ("t = torch.arange(seq_len).float()", "t = torch.arange(max(seq_len, 64)).float()"),
        (
            "self.cos_cached[None, offset:end, None, :]",
            "self.cos_cached[None, torch.arange(offset, end) % len(self.cos_cached), None, :]",
        ),
        (
            "self.sin_cached[None, offset:end, None, :]",
            "self.sin_cached[None, torch.arange(offset, end) % len(self.sin_cached), None, :]",
        ),
        grade="named",
        faults="table-ends",
    ),
    faulty(
        "end_cut",
        (
            "takes the last rows of the cache: wrong for a short text after a longer one (stale, depends on "
            "what was before)"
        ),
        ("self.cos_cached[None, offset:end, None, :]", "self.cos_cached[None, -x.shape[1]:, None, :]"),
        ("self.sin_cached[None, offset:end, None, :]", "self.sin_cached[None, -x.shape[1]:, None, :]"),
        grade="named",
        faults="history",
        run=lambda m, x, y, n: [
            (m.rotary(swapped(x)), torch.cat((swapped(m.rotary(swapped(x)[:, :9])), x[..., 9:, :]), -2))[1]
        ],
    ),
    faulty(
        "ntk_len",
        "angles depend on the longest text so far (dynamic scaling, stale afterwards)",
        ("freqs = torch.outer(t, self.inv_freq)", "freqs = torch.outer(t / max(1.0, seq_len / 512), self.inv_freq)"),
        grade="named",
        faults="history",
    ),
    faulty(
        "wrong_sense",
        "turns counterclockwise, told clockwise (nanochat's weights)",
        ("y1 = x1 * cos + x2 * sin", "y1 = x1 * cos - x2 * sin"),
        ("x1 * (-sin) + x2 * cos", "x1 * sin + x2 * cos"),
        grade="named",
        faults="sense",
    ),
    faulty(
        "y2",
        "second half made from x1 twice (typing error)",
        ("y2 = x1 * (-sin) + x2 * cos", "y2 = x1 * (-sin) + x1 * cos"),
        grade="general",
        faults="not-a-rotation",
    ),
)

FAIRSEQ = '''
class RotaryPositionalEmbedding(torch.nn.Module):
    def __init__(self, dim, base=10000, precision=torch.float):
        super().__init__()
        inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))
        self.register_buffer("inv_freq", inv_freq)
        self.precision = precision

    def forward(self, x, seq_len: int = 0):
        t = torch.arange(seq_len).type_as(self.inv_freq)
        freqs = torch.einsum("i,j->ij", t, self.inv_freq)
        emb = torch.cat((freqs, freqs), dim=-1)
        cos = emb.cos().view(emb.size(0), 1, 1, emb.size(1))
        sin = emb.sin().view(emb.size(0), 1, 1, emb.size(1))
        return cos, sin


def rotate_half(x):
    x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=x1.ndim - 1)


def apply_rotary_pos_emb(q, k, cos, sin, offset: int = 0):
    cos, sin = (
        cos[offset : q.shape[0] + offset, ...],
        sin[offset : q.shape[0] + offset, ...],
    )
    return (q * cos) + (rotate_half(q) * sin), (k * cos) + (rotate_half(k) * sin)


_emb = RotaryPositionalEmbedding(16)


def espnet_rope(q, k, offset=0):
    """q, k: Time x Batch x Head x Channel"""
    cos, sin = _emb(q, seq_len=q.size(0) + offset)
    return apply_rotary_pos_emb(q, k, cos, sin, offset=offset)
'''


def run_fairseq(m, x, y, n):
    return [o.permute(1, 2, 0, 3) for o in m.espnet_rope(x.permute(2, 0, 1, 3), y.permute(2, 0, 1, 3))]


fairseq = family(
    Case(
        name="fairseq",
        kind="rotary",
        source=FAIRSEQ,
        target="espnet_rope",
        told={**HALVES, "d": 16, "axes": "nbhd"},
        run=run_fairseq,
    ),
    faulty(
        "batch_axis",
        "code for batch first in a model with time first: samples counted, not tokens",
        ("_emb(q, seq_len=q.size(0) + offset)", "_emb(q, seq_len=q.size(1) + offset)"),
        (".view(emb.size(0), 1, 1, emb.size(1))", ".view(1, emb.size(0), 1, emb.size(1))"),
        ("cos[offset : q.shape[0] + offset, ...]", "cos[:, offset : q.shape[1] + offset, ...]"),
        ("sin[offset : q.shape[0] + offset, ...]", "sin[:, offset : q.shape[1] + offset, ...]"),
        grade="named",
        faults="axes-swapped",
    ),
    faulty(
        "half_prec",
        "angles rounded to float16",
        (
            "self.inv_freq)\n        emb = torch.cat((freqs, freqs), dim=-1)",
            "self.inv_freq)\n        emb = torch.cat((freqs, freqs), dim=-1).half().float()",
        ),
        grade="named",
        faults="angles-half",
    ),
)

CASES = [*grow, *fairseq]
