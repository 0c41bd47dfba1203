"""Strangers: bases that are scaled."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.second.shared import HALF

NTK = """
class NTKScaledRotary:
    def __init__(self, dim=16, base=10000.0, alpha=4.0):
        base = base * alpha ** (dim / (dim - 2))
        self.inv_freq = torch.exp(-math.log(base) * torch.arange(0, dim, 2) / dim)

    def __call__(self, q, k, positions):
        phase = positions.float().unsqueeze(-1) * self.inv_freq
        c, s = phase.cos(), phase.sin()
        turn = torch.stack((torch.stack((c, -s), -1), torch.stack((s, c), -1)), -2)  # [n, pairs, 2, 2]
        return tuple(
            torch.einsum("npij,...njp->...nip", turn, t.unflatten(-1, (2, -1))).flatten(-2) for t in (q, k)
        )


rope = NTKScaledRotary()
"""
BASE = 10000.0 * 4.0 ** (16 / 14)

ntk = family(
    Case(
        name="2.ntk",
        kind="rotary",
        source=NTK,
        target="rope",
        told={**HALF, "base": BASE},
        run=lambda m, x, y, n: list(m.rope(x, y, torch.arange(n))),
        ref=dict(base=BASE),
    ),
    right(
        "one",
        "alpha is 1, so that nothing is scaled",
        ("alpha=4.0", "alpha=1.0"),
        told={"base": 10000.0},
        ref={"base": 10000.0},
    ),
    faulty(
        "precedence",
        "brackets are missing in the exponent: dim / dim - 2, which is -1",
        ("(dim / (dim - 2))", "(dim / dim - 2)"),
        grade="general",
        faults="base",
    ),
    faulty(
        "alpha",
        "the base is multiplied by alpha itself",
        ("alpha ** (dim / (dim - 2))", "alpha"),
        grade="general",
        faults="base",
    ),
    faulty(
        "einsum",
        "the block is transposed for the keys alone, as their line was written a second time by hand",
        (
            'torch.einsum("npij,...njp->...nip", turn, t.unflatten(-1, (2, -1))).flatten(-2) for t in (q, k)',
            "torch.einsum(e, turn, t.unflatten(-1, (2, -1))).flatten(-2)"
            ' for e, t in (("npij,...njp->...nip", q), ("npji,...njp->...nip", k))',
        ),
        grade="named",
        faults="senses-differ",
    ),
)

CASES = [*ntk]
