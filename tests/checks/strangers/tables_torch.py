"""Strangers: sinusoids in torch."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.formulas import SINES

annotated = family(
    Case(
        name="annotated",
        kind="table",
        source="""
class PositionalEncoding(nn.Module):
    "Implement the PE function."

    def __init__(self, d_model=32, max_len=5000):
        super().__init__()
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        pe = pe.unsqueeze(0)
        self.register_buffer("pe", pe)

    def forward(self, x):
        x = x + self.pe[:, : x.size(1)].requires_grad_(False)
        return x


module = PositionalEncoding()


def table(max_len, d_model=32):
    return PositionalEncoding(d_model, max_len).pe[0]
""",
        target="table",
        told={**SINES, "layout": "interleaved"},
        run=lambda m, n: m.table(n),
    ),
    right("module", "the module itself, which adds", target="module"),
    faulty(
        "exp_d",
        "exponent 4i/d: the 2 is counted twice",
        ("-(math.log(10000.0) / d_model)", "-(2 * math.log(10000.0) / d_model)"),
        grade="named",
        faults="table-exponent-doubled",
    ),
    faulty(
        "no_minus",
        "minus sign missing: frequencies grow",
        ("* -(math.log", "* (math.log"),
        grade="named",
        faults="table-rising",
    ),
    faulty(
        "cos_cos",
        "cosine in both",
        ("pe[:, 0::2] = torch.sin", "pe[:, 0::2] = torch.cos"),
        grade="named",
        faults="table-all-cosines",
    ),
    faulty(
        "first1",
        "positions start at 1 (told 0)",
        ("torch.arange(0, max_len).unsqueeze(1)", "torch.arange(1, max_len + 1).unsqueeze(1)"),
        grade="named",
        faults="table-from-1",
        told=dict(first=0),
    ),
    faulty(
        "seqfirst",
        "module: batch-first input, but rows by x.size(0): counts samples, not tokens",
        ("self.pe[:, : x.size(1)]", "self.pe[0, : x.size(0)].unsqueeze(1)"),
        grade="cannot tell",
        target="module",
        run=lambda m, n: m.module(torch.zeros(2, n, 32))[1],
    ),
    faulty(
        "pos_half",
        "positions rounded to bfloat16",
        ("torch.arange(0, max_len).unsqueeze(1)", "torch.arange(0, max_len).half().unsqueeze(1).bfloat16().float()"),
        grade="named",
        faults="table-half",
    ),
)

t2t = family(
    Case(
        name="t2t",
        kind="table",
        source="""
def get_timing_signal_1d(length, channels=32, min_timescale=1.0, max_timescale=1.0e4, start_index=0):
    position = torch.arange(length).float() + start_index
    num_timescales = channels // 2
    log_timescale_increment = math.log(float(max_timescale) / float(min_timescale)) / max(num_timescales - 1, 1)
    inv_timescales = min_timescale * torch.exp(torch.arange(num_timescales).float() * -log_timescale_increment)
    scaled_time = position.unsqueeze(1) * inv_timescales.unsqueeze(0)
    signal = torch.cat([torch.sin(scaled_time), torch.cos(scaled_time)], dim=1)
    return signal
""",
        target="get_timing_signal_1d",
        told={**SINES, "layout": "half", "exponent": "i/(d/2 - 1)"},
        run=lambda m, n: m.get_timing_signal_1d(n),
        ref=dict(layout="half", exponent="x"),
    ),
    faulty(
        "no_minus1",
        "exponent 2i/d, told tensor2tensor's i/(d/2 - 1)",
        ("max(num_timescales - 1, 1)", "num_timescales"),
        grade="named",
        faults="table-dialect",
    ),
    faulty(
        "cosfirst",
        "cosines first, told halves with sines first",
        (
            "torch.cat([torch.sin(scaled_time), torch.cos(scaled_time)], dim=1)",
            "torch.cat([torch.cos(scaled_time), torch.sin(scaled_time)], dim=1)",
        ),
        grade="named",
        faults="table-layout",
    ),
    faulty(
        "stack",
        "sin and cos side by side, told halves",
        (
            "torch.cat([torch.sin(scaled_time), torch.cos(scaled_time)], dim=1)",
            "torch.stack([torch.sin(scaled_time), torch.cos(scaled_time)], dim=2).flatten(1)",
        ),
        grade="named",
        faults="table-layout",
    ),
)

fairseq_pe = family(
    Case(
        name="fairseq_pe",
        kind="table",
        source="""
def get_embedding(num_embeddings, embedding_dim=32, padding_idx=None):
    half_dim = embedding_dim // 2
    emb = math.log(10000) / (half_dim - 1)
    emb = torch.exp(torch.arange(half_dim, dtype=torch.float) * -emb)
    emb = torch.arange(num_embeddings, dtype=torch.float).unsqueeze(1) * emb.unsqueeze(0)
    emb = torch.cat([torch.sin(emb), torch.cos(emb)], dim=1).view(num_embeddings, -1)
    if embedding_dim % 2 == 1:
        emb = torch.cat([emb, torch.zeros(num_embeddings, 1)], dim=1)
    if padding_idx is not None:
        emb[padding_idx, :] = 0
    return emb
""",
        target="get_embedding",
        told={**SINES, "exponent": "i/(d/2 - 1)"},
        run=lambda m, n: m.get_embedding(n),
        ref=dict(layout="half", exponent="x"),
    ),
    faulty(
        "view",
        "concatenated along the positions and reshaped: rows are mixed",
        (
            "torch.cat([torch.sin(emb), torch.cos(emb)], dim=1).view(num_embeddings, -1)",
            "torch.cat([torch.sin(emb), torch.cos(emb)], dim=0).view(num_embeddings, -1)",
        ),
        grade="named",
        faults="table-mixed",
    ),
    faulty(
        "pad0",
        "row 1 (padding) is zero, although it is used as a position",
        ("padding_idx=None", "padding_idx=1"),
        grade="cannot tell",
    ),
)

espnet_pe = family(
    Case(
        name="espnet_pe",
        kind="table",
        source="""
class PositionalEncoding(torch.nn.Module):
    def __init__(self, d_model=32, max_len=5000):
        super().__init__()
        self.d_model = d_model
        self.xscale = 1.0
        self.pe = None
        self.extend_pe(max_len)

    def extend_pe(self, length):
        if self.pe is not None and self.pe.size(1) >= length:
            return
        pe = torch.zeros(length, self.d_model)
        position = torch.arange(0, length, dtype=torch.float32).unsqueeze(1)
        even = torch.arange(0, self.d_model, 2, dtype=torch.float32)
        div_term = torch.exp(even * -(math.log(10000.0) / self.d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.pe = pe.unsqueeze(0)

    def forward(self, x):
        self.extend_pe(x.size(1))
        return x * self.xscale + self.pe[:, : x.size(1)]


pos_enc = PositionalEncoding()
""",
        target="pos_enc",
        told={**SINES, "layout": "interleaved"},
        run=lambda m, n: m.pos_enc(torch.zeros(1, n, 32))[0],
    ),
    faulty(
        "off1",
        "rows from 1 (told: 0 first)",
        ("self.pe[:, : x.size(1)]", "self.pe[:, 1 : x.size(1) + 1]"),
        grade="named",
        faults="table-from-1",
        told=dict(first=0),
    ),
)

CASES = [*annotated, *t2t, *fairseq_pe, *espnet_pe]
