"""Strangers: LongRoPE as in Phi 3."""

from __future__ import annotations

import math

import torch

from tests.checks.strangers.case import Case, family, faulty
from tests.checks.strangers.formulas import geo, places

LONG = """
class Phi3LongRoPE:
    long_factor = [1.0, 1.1, 1.3, 1.7, 2.4, 3.9, 6.5, 9.0]
    short_factor = [1.0, 1.0, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5]
    original_max = 4096
    maximum = 131072

    def __init__(self, dim=16, base=10000.0):
        self.dim, self.base = dim, base
        scale = self.maximum / self.original_max
        self.scaling_factor = math.sqrt(1 + math.log(scale) / math.log(self.original_max))

    def __call__(self, x, position_ids):
        ext = torch.tensor(self.long_factor)
        inv_freq_shape = torch.arange(0, self.dim, 2, dtype=torch.int64).float() / self.dim
        inv_freq = 1.0 / (ext * self.base**inv_freq_shape)
        freqs = position_ids[..., None].float() * inv_freq
        emb = torch.cat((freqs, freqs), dim=-1)
        cos, sin = emb.cos() * self.scaling_factor, emb.sin() * self.scaling_factor
        x1, x2 = x[..., :8], x[..., 8:]
        return x * cos + torch.cat((-x2, x1), -1) * sin


longrope = Phi3LongRoPE()


def long_rope(x, position_ids):
    return longrope(x, position_ids)
"""

FACTORS = torch.tensor([1.0, 1.1, 1.3, 1.7, 2.4, 3.9, 6.5, 9.0]).double()

ATTENTION = math.sqrt(1 + math.log(32) / math.log(4096))

longrope = family(
    Case(
        name="longrope",
        kind="rotary",
        source=LONG,
        target="long_rope",
        told=dict(layout="half", d=16, freqs=(geo() / FACTORS).float(), factor=ATTENTION),
        run=lambda m, x, y, n: [m.long_rope(x, places(n))],
        ref=dict(freqs=geo() / FACTORS, factor=ATTENTION),
    ),
    faulty(
        "short",
        "short factors in place of long ones: frequencies differ from those told",
        ("torch.tensor(self.long_factor)", "torch.tensor(self.short_factor)"),
        grade="named",
        faults="scaling-other",
    ),
    faulty(
        "mul",
        "frequencies multiplied by the factors, not divided",
        ("1.0 / (ext * self.base**inv_freq_shape)", "ext / (self.base**inv_freq_shape)"),
        grade="named",
        faults="scaling-inverse",
    ),
    faulty(
        "factor_log",
        "attention factor without its square root",
        (
            "math.sqrt(1 + math.log(scale) / math.log(self.original_max))",
            "1 + math.log(scale) / math.log(self.original_max)",
        ),
        grade="named",
        faults="factor-squared",
    ),
    faulty(
        "rev",
        "factors in the reverse order",
        ("torch.tensor(self.long_factor)", "torch.tensor(self.long_factor[::-1])"),
        grade="named",
        faults="scaling-upside-down",
    ),
)

CASES = [*longrope]
