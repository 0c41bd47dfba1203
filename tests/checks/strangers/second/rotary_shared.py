"""Strangers: tables that layers share."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty
from tests.checks.strangers.second.shared import HALF, pieces

SHARED = """
CACHE = {}


def tables(length, dim, base):
    key = (length, dim, base)
    if key not in CACHE:
        angles = torch.outer(torch.arange(length).double(), base ** -(torch.arange(0, dim, 2).double() / dim))
        CACHE[key] = angles.cos().float(), angles.sin().float()
    return CACHE[key]


class Layer:
    def __init__(self, base, attention_factor=1.1, length=4200):
        self.base, self.length, self.attention_factor = base, length, attention_factor

    def __call__(self, q, k, pos):
        cos, sin = tables(self.length, q.shape[-1], self.base)
        cos, sin = cos * self.attention_factor, sin * self.attention_factor
        cos, sin = cos[pos], sin[pos]
        out = []
        for x in (q, k):
            lo, hi = torch.tensor_split(x, 2, dim=-1)
            out.append(torch.cat((torch.addcmul(lo * cos, hi, sin, value=-1), torch.addcmul(hi * cos, lo, sin)), -1))
        return tuple(out)


global_layer = Layer(1_000_000.0)
local_layer = Layer(10_000.0)
warm_up = global_layer(torch.ones(1, 1, 1, 16), torch.ones(1, 1, 1, 16), torch.arange(1))
"""

shared = family(
    Case(
        name="2.shared",
        kind="rotary",
        source=SHARED,
        target="local_layer",
        told={**{key: value for key, value in HALF.items() if key != "first"}, "factor": 1.1},
        run=lambda m, x, y, n: pieces(lambda q, k, a, b: m.local_layer(q, k, torch.arange(a, b)), x, y),
        ref=dict(factor=1.1),
    ),
    faulty(
        "key",
        "the base is missing from the key of the cache: local layers get the tables of the global ones, base 1,000,000",
        ("key = (length, dim, base)", "key = (length, dim)"),
        grade="general",
        faults="base",
    ),
    faulty(
        "mutates",
        "the attention factor is multiplied into the cached tables in place, again at each call",
        (
            "cos, sin = cos * self.attention_factor, sin * self.attention_factor",
            "cos, sin = cos.mul_(self.attention_factor), sin.mul_(self.attention_factor)",
        ),
        grade="cannot tell",
    ),
)

CASES = shared
