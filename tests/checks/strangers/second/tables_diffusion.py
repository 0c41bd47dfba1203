"""Strangers: tables of steps, as in diffusion models."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty, right

DIFFUSION = '''
def table(positions, dim):
    """timesteps as in diffusion models: [n] -> [n, dim]"""
    half = dim // 2
    freqs = torch.exp(-math.log(10000) * torch.arange(start=0, end=half, dtype=torch.float32) / half)
    args = positions[:, None].float() * freqs[None]
    return torch.cat([torch.cos(args), torch.sin(args)], dim=-1)
'''
STEPS = {"d": 32, "base": 10000.0, "layout": "half, cosines first", "exponent": "2i/d", "first": 0}

diffusion = family(
    Case(
        name="2.diffusion",
        kind="table",
        source=DIFFUSION,
        target="table",
        told=STEPS,
        run=lambda m, n: m.table(torch.arange(n), 32),
        ref=dict(layout="half", cos_first=True),
        n=2100,
    ),
    right(
        "flip",
        "the sines first and then turned round, as flip_sin_to_cos does",
        (
            "torch.cat([torch.cos(args), torch.sin(args)], dim=-1)",
            "torch.cat([args.sin(), args.cos()], -1).roll(half, -1)",
        ),
    ),
    faulty(
        "scale",
        "steps are expected in [0, 1] and multiplied by 1,000",
        ("positions[:, None].float()", "1000.0 * positions[:, None].float()"),
        grade="cannot tell",
    ),
    faulty(
        "order",
        "sines come first, where the weights were trained with cosines first",
        ("[torch.cos(args), torch.sin(args)]", "[torch.sin(args), torch.cos(args)]"),
        grade="named",
        faults="table-layout",
    ),
    faulty(
        "half",
        "the embedding is made in half precision, positions and all",
        (
            "positions[:, None].float() * freqs[None]",
            "(positions[:, None].bfloat16() * freqs[None].bfloat16()).float()",
        ),
        grade="cannot tell",
    ),
)

CASES = diffusion
