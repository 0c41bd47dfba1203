"""Strangers: tables of MAE, and of complex numbers."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty, right

PAPER = {"d": 32, "base": 10000.0, "layout": "interleaved", "exponent": "2i/d", "first": 0}


def run_table(m, n):
    return m.table(n, 32)


GRID = """
def get_1d_sincos_pos_embed_from_grid(embed_dim, pos):
    assert embed_dim % 2 == 0
    omega = np.arange(embed_dim // 2, dtype=float)
    omega /= embed_dim / 2.0
    omega = 1.0 / 10000**omega
    pos = np.asarray(pos).reshape(-1)
    out = np.einsum("m,d->md", pos, omega)
    return np.concatenate([np.sin(out), np.cos(out)], axis=1)


def table(n, d):
    return get_1d_sincos_pos_embed_from_grid(d, np.arange(n))
"""

grid = family(
    Case(
        name="2.grid",
        kind="table",
        source=GRID,
        target="table",
        told={**PAPER, "layout": "half"},
        run=run_table,
        ref=dict(layout="half"),
        n=2100,
    ),
    faulty(
        "ravel",
        "the outer product has its letters the other way round and is brought to shape by reshape",
        ('"m,d->md", pos, omega)', '"m,d->dm", pos, omega).reshape(len(pos), -1)'),
        grade="cannot tell",
    ),
    faulty(
        "omega",
        "the base is 1,000 by a slip of the pen",
        ("10000**omega", "1000**omega"),
        grade="named",
        faults="table-base",
    ),
)

POLAR = """
def table(positions, d=32, base=10000.0):
    rates = torch.logspace(0, -math.log10(base) * (d - 2) / d, d // 2, dtype=torch.float64)
    phase = positions.double().unsqueeze(-1) * rates
    return torch.view_as_real(torch.polar(torch.ones_like(phase), phase)).flatten(-2).float()
"""

polar = family(
    Case(
        name="2.polar",
        kind="table",
        source=POLAR,
        target="table",
        told={**PAPER, "layout": "interleaved, cosines first"},
        run=lambda m, n: m.table(torch.arange(n)),
        ref=dict(cos_first=True),
        n=2100,
    ),
    right(
        "kept",
        "an embedding that is filled once and never trained, sines first",
        (
            "    return torch.view_as_real(torch.polar(torch.ones_like(phase), phase)).flatten(-2).float()",
            "    weight = torch.stack((phase.sin(), phase.cos()), -1).flatten(-2).float()\n"
            "    return nn.Embedding.from_pretrained(weight)(torch.arange(len(weight)))",
        ),
        told={"layout": "interleaved"},
        ref={"cos_first": False},
    ),
    faulty(
        "logspace",
        "logspace runs to 1/base itself, where the last pair should have the exponent (d - 2)/d",
        ("-math.log10(base) * (d - 2) / d", "-math.log10(base)"),
        grade="named",
        faults="table-dialect",
    ),
    faulty(
        "clamped",
        "positions from 1,024 on are clamped to the last row",
        ("positions.double()", "positions.clamp(max=1023).double()"),
        grade="named",
        faults="table-ends",
    ),
    faulty(
        "flatten",
        "the two axes are exchanged before they are laid flat: halves, where neighbours were meant",
        (".flatten(-2).float()", ".transpose(-1, -2).flatten(-2).float()"),
        grade="named",
        faults="table-layout",
    ),
)

CASES = [*grid, *polar]
