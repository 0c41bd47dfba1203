"""Strangers: what is kept between calls: caches that grow, caches by length, counters, tables that end."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.second.shared import HALF, at, pieces

GROWS = '''
class GrowingRotary(nn.Module):
    """Tables are made when they are needed, and made anew when a text is longer"""

    def __init__(self, dim=16, base=10000.0, start=64):
        super().__init__()
        self.register_buffer("inv_freq", base ** -(torch.arange(0, dim, 2).float() / dim), persistent=False)
        self.length = 0
        self.grow(start)

    def grow(self, length):
        if length <= self.length:
            return
        angles = torch.arange(length).float()[:, None] * self.inv_freq[None, :]
        self.cos = torch.cat((angles, angles), -1).cos()
        self.sin = torch.cat((angles, angles), -1).sin()
        self.length = length

    def forward(self, x, position_ids):
        self.grow(int(position_ids.max()) + 1)
        cos = self.cos[position_ids][:, None]
        sin = self.sin[position_ids][:, None]
        left, right = x.chunk(2, -1)
        return x * cos + torch.cat((-right, left), -1) * sin


rotary = GrowingRotary()
'''


def run_grows(m, x, y, n):
    """A short call first, a long one, a short one again."""
    m.rotary(x[..., :5, :], at(x, 5))
    return pieces(lambda t, a, b: m.rotary(t, at(t, b)[:, a:]), x)


grows = family(
    Case(name="2.grows", kind="rotary", source=GROWS, target="rotary", told=HALF, run=run_grows),
    right(
        "double",
        "grows to twice what is asked for, from nothing",
        ("start=64", "start=1"),
        ("arange(length)", "arange(2 * length)"),
        ("self.length = length", "self.length = 2 * length"),
    ),
    faulty(
        "clamp",
        "positions beyond the table of 1,024 get its last row",
        ("start=64", "start=1024"),
        (
            "        self.grow(int(position_ids.max()) + 1)\n",
            "        position_ids = position_ids.clamp(max=self.length - 1)\n",
        ),
        grade="?",
    ),
    faulty(
        "half_grown",
        "when the cache grows, the cosines are made anew and the sines only cut from the old, with zeros beyond",
        (
            "        self.sin = torch.cat((angles, angles), -1).sin()\n",
            "        sin = torch.cat((angles, angles), -1).sin()\n"
            "        sin[64:] = 0 if self.length else sin[64:]\n"
            "        self.sin = sin\n",
        ),
        grade="?",
    ),
    faulty(
        "append",
        "what is added to the table when it grows begins at position 0 again",
        (
            "        angles = torch.arange(length).float()[:, None] * self.inv_freq[None, :]\n",
            "        new = torch.cat((torch.arange(self.length), torch.arange(length - self.length)))\n"
            "        angles = new.float()[:, None] * self.inv_freq[None, :]\n",
        ),
        grade="?",
    ),
    faulty(
        "counter",
        "keeps its own count of the tokens that it has seen, and ignores the position ids",
        ("        self.grow(int(position_ids.max()) + 1)\n", "        position_ids = self.count(x)\n"),
        (
            "    def forward",
            "    def count(self, x):\n"
            "        self.seen = getattr(self, 'seen', 0) + x.shape[-2]\n"
            "        self.grow(self.seen)\n"
            "        return torch.arange(self.seen - x.shape[-2], self.seen)[None]\n\n"
            "    def forward",
        ),
        grade="?",
    ),
)

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
        grade="?",
    ),
    faulty(
        "mutates",
        "the attention factor is multiplied into the cached tables in place, again at each call",
        (
            "cos, sin = cos * self.attention_factor, sin * self.attention_factor",
            "cos, sin = cos.mul_(self.attention_factor), sin.mul_(self.attention_factor)",
        ),
        grade="?",
    ),
)

CASES = [*grows, *shared]
