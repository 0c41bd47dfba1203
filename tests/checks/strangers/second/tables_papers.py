"""Strangers: tables after the paper: modules that add, and loops."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty, right

PAPER = {"d": 32, "base": 10000.0, "layout": "interleaved", "exponent": "2i/d", "first": 0}

MODULE = '''
class PositionalEncoding(nn.Module):
    def __init__(self, d_model=32, dropout=0.1, max_len=5000):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(position * div_term)
        pe[0, :, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x):
        """x: [batch_size, seq_len, embedding_dim]"""
        x = x + self.pe[:, : x.size(1)]
        return self.dropout(x)


module = PositionalEncoding().eval()
'''

module = family(
    Case(
        name="2.module",
        kind="table",
        source=MODULE,
        target="module",
        told=PAPER,
        run=lambda m, n: m.module(torch.zeros(2, n, 32))[1],
        n=2100,
    ),
    right(
        "expand",
        "the table lies transposed and is turned when it is added",
        ('self.register_buffer("pe", pe)', 'self.register_buffer("pe", pe[0].T.contiguous())'),
        ("self.pe[:, : x.size(1)]", "self.pe[:, : x.size(1)].T.expand_as(x)"),
    ),
    faulty(
        "batch",
        "the table is cut and added along the batch, as for [seq_len, batch_size, embedding_dim]",
        ("pe = torch.zeros(1, max_len, d_model)", "pe = torch.zeros(max_len, 1, d_model)"),
        ("pe[0, :, 0::2]", "pe[:, 0, 0::2]"),
        ("pe[0, :, 1::2]", "pe[:, 0, 1::2]"),
        ("self.pe[:, : x.size(1)]", "self.pe[: x.size(0)]"),
        grade="cannot tell",
    ),
    faulty(
        "arange",
        "div_term counts the pairs, 0 … 15, and not their first features: exponent i/d",
        ("torch.arange(0, d_model, 2) *", "torch.arange(0, d_model // 2) *"),
        grade="named",
        faults="table-exponent-halved",
    ),
    faulty(
        "cosines",
        "the odd columns are not filled: the line of the cosines is written to the even ones again",
        ("pe[0, :, 1::2]", "pe[0, :, 0::2]"),
        grade="general",
        faults="table-zeros",
    ),
    faulty(
        "dropout",
        "a functional dropout of 0.1 that is on in evaluation too",
        ("return self.dropout(x)", "return F.dropout(x, 0.1)"),
        grade="cannot tell",
    ),
)

LOOPS = """
def table(n, d):
    encoding = np.zeros((n, d))
    for pos in range(n):
        for i in range(0, d, 2):
            encoding[pos, i] = np.sin(pos / 10000 ** (i / d))
            encoding[pos, i + 1] = np.cos(pos / 10000 ** (i / d))
    return encoding
"""
COMPREHENSION = """
def table(n, d):
    angle = np.array([[pos / np.power(10000, 2 * (j // 2) / d) for j in range(d)] for pos in range(n)])
    angle[:, 0::2] = np.sin(angle[:, 0::2])
    angle[:, 1::2] = np.cos(angle[:, 1::2])
    return angle
"""


def run_table(m, n):
    return m.table(n, 32)


loops = family(
    Case(name="2.tableloops", kind="table", source=LOOPS, target="table", told=PAPER, run=run_table, n=2100),
    right("comprehension", "angles for each feature, replaced by their own sines", (LOOPS, COMPREHENSION)),
    faulty(
        "twice",
        "exponent 2i/d, where i counts features by twos already: doubled",
        ("10000 ** (i / d)", "10000 ** (2 * i / d)"),
        grade="named",
        faults="table-exponent-doubled",
    ),
    faulty(
        "next",
        "the cosines have the exponent of their own column, (i + 1)/d, and not that of their sine",
        ("np.cos(pos / 10000 ** (i / d))", "np.cos(pos / 10000 ** ((i + 1) / d))"),
        grade="named",
        faults="table-cos-exponent",
    ),
    faulty(
        "brackets",
        "brackets are missing: pos / 10000 ** i / d",
        ("10000 ** (i / d)", "10000 ** i / d"),
        grade="cannot tell",
    ),
)

CASES = [*module, *loops]
